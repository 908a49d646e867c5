// Package jsonl appends JSON text to byte slices and walks JSON text that
// others wrote. It is where the string, number and escape rules of the wire
// (contract F8, F9 and F10) are made true:
//
//   - strings leave the process in one spelling only, valid UTF-8, on one
//     line, without a raw control character (F8);
//   - numbers are finite, floats are spelled as encoding/json spells them, and
//     nesting is at most [MaxDepth] deep (F9);
//   - escape sequences for terminals can be taken out of prose (F10).
//
// The package knows JSON and nothing above it: no event, no envelope, no rule
// about what is secret. Redaction enters through one hole, the [Filter], which
// sees decoded strings and decides by itself.
//
// Three doors lead in. [AppendString] and its kin write what the program knows
// to be text. [AppendRaw] takes JSON text from a model, a tool or a marshaller
// and lets only well-formed text through, rewritten to the rules above.
// [Values] takes Go values: the usual kinds by a type switch without
// reflection or allocation, all others through an encoder whose output is
// treated like any other foreign text.
//
// Functions named Append extend dst and return it, as the built-in append
// does. They may use the spare capacity of dst as working space, so nothing
// else may live there, and their input must not overlap it. When one returns
// an error, dst comes back with the length that it had.
//
// All functions and [Values] are safe for concurrent use. [Lexer] and
// [Stripper] hold state and belong to one goroutine at a time.
package jsonl
