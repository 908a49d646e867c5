// Package early claims stdout before other packages print to it: libraries
// that greet, warn or probe in their init functions. Import it for that effect
// from main:
//
//	import _ "github.com/streamjson/streamjson/stdio/early"
//
// From then on what is printed to stdout lands on stderr; where both are one
// pipe, file or socket (2>&1), it is dropped. Stderr itself is left alone until
// a claim is made, so that a usage error is seen.
//
// stdio.Claim, and with it the emitter of a machine format, adopts what early
// took; stdio.Raw, and with it the text format, gives descriptor 1 back. A
// program that uses neither prints to stderr for the rest of its life, its
// --help included: import early where a machine format is what the program is
// for. A test binary is such a program: tests of a package that imports early
// need a TestMain that calls stdio.Raw, or what they report is lost.
//
// Go initializes a package once all that it imports is initialized. This one
// imports nothing above syscall, so that it comes before os, and before every
// package that can print by way of os: fmt, log, and what is built on them. It
// can't come before a C constructor, nor for certain before a package that
// prints with syscall.Write and imports nothing else.
//
// It works on Linux and macOS and does nothing elsewhere. It holds the only
// init function of the module, for there is no other way to be early.
package early
