package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
)

const (
	// maxMatches is how many matching lines the model gets; all are counted.
	maxMatches = 100
	// maxMatch is how much of a matching line.
	maxMatch = 200
	// maxSearched is how much text one search reads.
	maxSearched = 64 << 20
)

// searchText finds the lines that hold a text.
func searchText(ctx context.Context, a *agent, c call) (output, error) {
	args := struct{ Text, Path, Pattern string }{Path: "."}
	if err := decode(c, &args); err != nil {
		return output{}, err
	}
	if args.Text == "" {
		return output{}, errors.New("text is empty: say what to search for")
	}
	s := search{text: []byte(args.Text)}
	more, err := walk(ctx, a.files, args.Path, args.Pattern, func(name string, _ fs.FileInfo) error {
		data, _, err := readRegular(a.files, name)
		if err != nil || isBinary(data) {
			return nil // what can't be read has no lines to show
		}
		if s.read += len(data); s.read > maxSearched {
			s.more = true
			return fs.SkipAll
		}
		s.file(name, data)
		return nil
	})
	if err != nil {
		return output{}, err
	}
	s.more = s.more || more
	out := output{text: clip(valid(s.list.String()), 0), path: args.Path}
	if s.matches > maxMatches {
		out.text += fmt.Sprintf("[%d more matches were left out]\n", s.matches-maxMatches)
	}
	out.values = map[string]string{"count": count(s.matches, s.more), "files": count(s.files, s.more)}
	out.summary = plural(int64(s.matches), "line") + " in " + plural(int64(s.files), "file")
	if s.more {
		out.summary = "at least " + out.summary
	}
	return out, nil
}

// A search is what a search has found so far.
type search struct {
	text           []byte
	list           bytes.Buffer
	matches, files int
	read           int
	more           bool // it gave up because there was too much
}

func (s *search) file(name string, data []byte) {
	before := s.matches
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if !bytes.Contains(line, s.text) {
			continue
		}
		s.matches++
		if s.matches <= maxMatches {
			line = bytes.TrimSpace(line)
			fmt.Fprintf(&s.list, "%s:%d: %s\n", name, number, line[:min(len(line), maxMatch)])
		}
	}
	if s.matches > before {
		s.files++
	}
}
