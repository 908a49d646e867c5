// Package sonicjson lends an emitter or an envelope the encoder of
// github.com/bytedance/sonic for arbitrary values: structs, and everything else
// that is neither a plain type nor a map or slice of them, which the module
// encodes by itself.
//
//	emit.Options{Append: sonicjson.Append}
//
// # When it pays
//
// To import this package adds about 20 ms to the start of a process, and the
// first value of each type some milliseconds, in which its encoder is compiled.
// A program that emits tens of thousands of structs gets that back; a command
// that prints one document does not, and should leave Append nil.
//
// # What it writes
//
// The same as the default, encoding/json without HTML escaping: keys of maps in
// order, invalid UTF-8 replaced, what a MarshalJSON returns checked and compact.
// What an Append function returns is checked and escaped anew by its caller
// anyway (contract F8 and F9), so the bytes on the wire do not depend on the
// encoder, but for one thing: in the JSON text that a string with the tag
// ",string" becomes, invalid UTF-8, the separators U+2028 and U+2029, backspace
// and form feed are spelled in another way of the same meaning. Maps with keys of type bool, which
// encoding/json refuses, are written.
//
// # Where it works
//
// On amd64 and arm64, with the Go versions that sonic knows. Elsewhere, with the
// build tag nosonic, and in a process that may not make memory executable
// (MemoryDenyWriteExecute of systemd, strict SELinux), Append uses encoding/json.
// It never prints. Sonic itself reads the environment variable SONIC_MODE when
// the process starts, and panics there on a value that it does not know.
package sonicjson
