// Package text makes lines for people out of the bytes that a program writes
// to one of its outputs.
//
// The bytes go through four steps, and none of them depends on how they were
// cut by reads:
//
//  1. A byte order mark at the start is dropped. One of UTF-16 means that all
//     that follows is decoded from it.
//  2. Escape sequences are taken out (contract F10).
//  3. Secrets are replaced, also one of several lines (package redact).
//  4. The text is cut into lines at "\n", and lines that are too long into
//     parts, between characters. Bytes that are no UTF-8 become U+FFFD.
//
// # Carriage returns
//
// Those in front of a "\n" are part of the end of the line, and go. One that
// anything else follows begins the line anew, as progress bars do: what stood
// before it is replaced, and only the last state is told.
//
// # NUL
//
// The character U+0000 stays in the text, and the line says how many there
// are: programs that write UTF-16 without a byte order mark look like that,
// and some databases refuse them.
package text
