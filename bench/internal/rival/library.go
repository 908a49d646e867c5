// Package rival writes the lines of package line by other libraries, each in
// the way that its documentation recommends for speed: buffers reused, HTML
// escaping off, prefixes encoded once. Loggers number and stamp under one lock,
// as they must for a stream whose order is that of its numbers.
package rival

import (
	"io"
	"slices"

	"github.com/streamjson/streamjson/bench/internal/line"
)

// A Library is one way to write lines.
type Library struct {
	// Name is how tables call it; Module is the path that it comes from, ""
	// for the standard library.
	Name, Module string
	// Writes tells which shapes it can write.
	Writes func(line.Shape) bool
	// New returns an encoder of its own for each caller.
	New func() line.Encoder
	// Renamed and Extra are the members that it insists on: top-level names
	// that it writes instead of ours, and members beside ours.
	Renamed map[string]string
	Extra   []string

	// emitter is set where numbering and stamping isn't Locked's.
	emitter func(w io.Writer) line.Emitter
}

// Libraries returns all libraries that this build has, the names of which are
// unique.
func Libraries() []Library {
	list := standard()
	list = append(list, experimental()...)
	list = append(list, native()...)
	list = append(list, reflective()...)
	return append(list, loggers()...)
}

// Find returns the library called name.
func Find(name string) (Library, bool) {
	list := Libraries()
	i := slices.IndexFunc(list, func(l Library) bool { return l.Name == name })
	if i < 0 {
		return Library{}, false
	}
	return list[i], true
}

// NewEmitter returns an emitter that writes to w by lib.
func NewEmitter(lib Library, w io.Writer) line.Emitter {
	if lib.emitter != nil {
		return lib.emitter(w)
	}
	return &locked{w: w, encoder: lib.New()}
}

// all is for libraries that write every shape.
func all(line.Shape) bool { return true }

// lines is for loggers, which write no documents.
func lines(s line.Shape) bool { return s != line.Envelope }
