// Package redact keeps secrets out of what a program writes: texts, JSON, text
// that comes in chunks, the output of child processes.
//
//	r := redact.Default()
//	r.String("Authorization: Bearer kJ8sQ2vXz9Lm4Tw7") // Authorization: Bearer [REDACTED:bearer-token]
//
// # What is found
//
//   - Known values, which the program registers ([Options], [FromEnviron]), as
//     they are, and as base64, hex, and escaped for URLs or JSON.
//   - The values of sensitive names: password, authToken, X-Api-Key, DB_PASSWORD.
//     In JSON, headers, flags, queries, environments: any value. In free text
//     and code: a value that looks like a secret and not like a name, a path or
//     a call.
//   - Tokens that are known by their form: those of cloud providers, source
//     hosts, model providers and services, JSON Web Tokens, private keys,
//     credentials in URLs.
//
// # What is written
//
// [REDACTED:kind] in place of the secret part. The public part stays: the name,
// the prefix of a token (ghp_), the scheme of a header (Bearer), the first line
// of a PEM block. So ordinary text never has to wait for the end of what could
// become a prefix, and a reader sees what was there. No character of a secret
// part is written. The same secret gives the same text, and redacting twice is
// redacting once.
//
// # Chunks
//
// [Redactor.Stream] and [Redactor.JSONStream] find a secret however it is cut:
// joined, their output is that of [Redactor.String] and
// [Redactor.AppendJSON] for the whole. What they hold back is bounded.
//
// # Cost
//
// One pass over the text with a table of groups of three bytes, two to three
// bytes a nanosecond, or six where the processor looks up 64 bytes at once
// (AVX-512 with VBMI; the build tag purego leaves the assembly out); matchers
// are asked only where a keyword stands. No regular expressions, no allocation
// when nothing is found, time linear in the length of any text. Making a redactor
// takes microseconds; the tables behind the first pass are built when a keyword
// is first met.
package redact
