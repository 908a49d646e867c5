// Package adopt makes a whole run of what a child process writes that speaks
// stream_v1 but may die, print, or lose count: whatever the child does, what
// comes out is a stream of the contract with exactly one result, and an exit
// status that agrees with it. The package starts no process and knows no
// clock but the one that it is given: bytes come in, bytes go out.
//
// # The rules
//
// An event is one JSON object in valid UTF-8, without a key twice, nested as
// deep as a line may be, with a filled type and session_id and an integer seq;
// a result also says whether it is an error. It passes byte for byte, in order,
// at once. Three things alone change bytes of it:
//
//   - its seq, once a line was inserted or dropped, or where the child's own
//     numbers have gaps and repeats (contract F3);
//   - its session_id, where that is not the one of the first event (F5);
//   - a string with a secret in it, and nothing around it.
//
// What else a child's line does against the contract is the child's, and stays.
//
//	| what comes                    | what becomes of it                                     |
//	| ----------------------------- | ------------------------------------------------------ |
//	| text                          | to stderr, redacted; a warning foreign_output          |
//	| text before, behind or between| the whole events of the line are kept, the rest is text|
//	| events on one line            |                                                        |
//	| the first part of an event, a | dropped, told on stderr; a warning broken_line         |
//	| key twice, no seq             |                                                        |
//	| CR LF, a byte order mark,     | cleaned; a warning framing                             |
//	| blanks around, blank lines, no|                                                        |
//	| newline at the end            |                                                        |
//	| raw control characters,       | spelled as contract F8 does, other bytes U+FFFD;       |
//	| bytes that are no UTF-8       | a warning respelled                                    |
//	| a line over the limit         | dropped in bounded memory; a warning long_line. A      |
//	|                               | result is replaced by a short one that says the same   |
//	| no init first                 | one is supplied                                        |
//	| a second init                 | dropped; a warning second_init. One with another       |
//	|                               | session_id begins another run: all of that is dropped, |
//	|                               | its result too; a warning other_run                    |
//	| anything behind the result    | dropped, told on stderr                                |
//	| what is open at the result    | closed in front of it                                  |
//	| no result                     | what is open is closed, and a result names the cause   |
//
// A warning line (system/warning) stands in front of the next event, or of the
// result. It says how often that has happened, and comes at the first time,
// then each time that the count has doubled, and for the rest at the end: never
// one for each line of a flood. What happens before the init line waits: for
// the warnings of the init that is supplied, or for its place behind the
// child's.
package adopt
