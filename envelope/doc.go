// Package envelope writes and reads the one-shot answer of a command with
// --json, and runs the command so that this answer is the only thing on stdout
// whatever happens to it.
//
// # The wire
//
// The answer is one JSON document with five members, in this order, always:
//
//	{
//	  "schema_version": 1,
//	  "ok": true,
//	  "data": {"any": "JSON value"},
//	  "errors": [],
//	  "warnings": []
//	}
//
//	member          type      meaning
//	schema_version  integer   1. It changes only when a parser of today could choke on
//	                          the change; further keys inside data never change it.
//	ok              boolean   what the exit status tells: true if and only if it is 0.
//	data            any       the answer; null when there is none. With ok false it is
//	                          null or what the command had found by then.
//	errors          string[]  what went wrong, for people. Empty if ok, else not.
//	warnings        string[]  what a caller should know although it is no failure.
//
// The document is indented by two spaces (Compact: one line), ends in exactly
// one newline, and nothing else is on stdout. Strings are escaped by contract
// F8: a line separator, a C1 control or an escape character never stands raw in
// it, invalid UTF-8 becomes U+FFFD, and '<', '>', '&' stay as they are. Errors
// and warnings are prose: escape sequences are taken out of them. Secrets are
// replaced everywhere (package redact) unless that is switched off.
//
// A reader looks at ok or at the exit status, whichever it likes; the two can't
// disagree. It ignores members that it does not know.
//
// # The doors
//
// [EmitJSON] writes one document and returns the exit status that goes with it.
// [Run] does that for a whole command body: it claims stdout, so that stray
// prints can't reach it, and turns errors, panics, signals, a time limit and a
// reader that has gone into the one document and the right status.
// [Command] is the front for programs that use package flag: it finds out by
// parsing whether JSON is asked for, also when the arguments are wrong. Package
// integrations/cobra, a module of its own, does the same for cobra.
//
// [Validate], [IsEnvelope] and [Decode] are for those who read the answers of
// other programs. Package envelopetest holds a program to all of this.
package envelope
