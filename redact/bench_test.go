package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/redact"
)

// code makes fresh text, of the kind that models write: prose and Go, with a
// word now and then that the prefilter stops at. Every benchmark goes through
// texts that it has not seen, for a processor learns a repeated one by heart.
func code(size int) string {
	r := rand.New(rand.NewPCG(4, 4))
	words := strings.Fields(`the model reads a file and then writes the patch which fixes broken tests in package server handler returns
		error when context is done so that callers may retry later with backoff func (s *Server) Close() error { return nil } if err != nil
		x := map[string]int{"a": 1} // see below; for i := range n { total += items[i].Count } "path/to/file.go": 42, <tag> &x != 'c' -> done.`)
	rare := strings.Fields(`token key password https://example.com/path cookie secretary --verbose token_count keyboard`)
	var b strings.Builder
	for b.Len() < size {
		if r.IntN(150) == 0 {
			b.WriteString(rare[r.IntN(len(rare))])
		} else {
			b.WriteString(words[r.IntN(len(words))])
		}
		b.WriteByte(" \n\t  "[r.IntN(5)])
	}
	return b.String()[:size]
}

func redactors(b *testing.B) map[string]*redact.Redactor {
	return map[string]*redact.Redactor{
		"none":    redact.None(),
		"default": redact.Default(),
		"known": withKnown(b, "sk-live-9f8e7d6c5b4a39281706", `p"a\s/s&<é-and-more`, "correct horse battery staple",
			"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "hunter2hunter2"),
	}
}

var order = []string{"none", "default", "known"}

// A fresh delta of 40 bytes through a stream.
func BenchmarkDelta40(b *testing.B) {
	text := code(1 << 20)
	for _, name := range order {
		b.Run(name, func(b *testing.B) {
			s := redactors(b)[name].Stream()
			dst := make([]byte, 0, 1<<10)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i * 40 % (len(text) - 40)
				dst = s.Append(dst[:0], text[at:at+40])
			}
		})
	}
}

// 64 KiB of fresh code without secrets.
func BenchmarkCode64K(b *testing.B) {
	text := code(4 << 20)
	for _, name := range order[1:] {
		b.Run(name, func(b *testing.B) {
			r := redactors(b)[name]
			b.SetBytes(64 << 10)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i << 16 % len(text)
				r.String(text[at : at+1<<16])
			}
		})
	}
}

// Text with a secret in each line: what a replacement costs.
func BenchmarkSecrets(b *testing.B) {
	text := strings.Repeat("the key is "+aToken+" in this line of text\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redact.Default().String(text)
	}
}

// What is done once a process, at the first keyword, and for values of one's own.
func BenchmarkBuild(b *testing.B) {
	b.Run("rules", func(b *testing.B) {
		for b.Loop() {
			redact.BuildIndex()
		}
	})
	b.Run("five values", func(b *testing.B) {
		for b.Loop() {
			redactors(b)
		}
	})
}
