package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/streamjson/streamjson/internal/jsonl"
)

var benchKinds = []string{"ascii", "code", "nonascii", "cjk", "controls"}

func BenchmarkAppendString(b *testing.B) {
	for _, size := range []int{40, 2 << 10, 64 << 10} {
		for _, kind := range benchKinds {
			texts := corpus(kind, size)
			run := func(name string, f func(s string)) {
				b.Run(fmt.Sprintf("%s/%d/%s", kind, size, name), func(b *testing.B) {
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for i := range b.N {
						f(texts[i%len(texts)])
					}
				})
			}
			buf := make([]byte, 0, 7*size)
			run("ours", func(s string) { buf = jsonl.AppendString(buf[:0], s) })
			run("copy", func(s string) { buf = append(append(append(buf[:0], '"'), s...), '"') })
			enc := json.NewEncoder(io.Discard)
			enc.SetEscapeHTML(false)
			run("encodingjson", func(s string) {
				if err := enc.Encode(s); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

func BenchmarkAppendRaw(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	inputs := make([][]byte, 2000)
	for i := range inputs {
		inputs[i], _ = json.Marshal(toolInput(r))
	}
	for name, filter := range map[string]jsonl.Filter{"plain": nil, "filter": unchanged{}} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 4096)
			b.SetBytes(int64(len(inputs[0])))
			b.ReportAllocs()
			for i := range b.N {
				var err error
				if buf, err = jsonl.AppendRaw(buf[:0], inputs[i%len(inputs)], filter); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("encodingjson", func(b *testing.B) { // checks and compacts, no more
		var buf bytes.Buffer
		b.SetBytes(int64(len(inputs[0])))
		b.ReportAllocs()
		for i := range b.N {
			buf.Reset()
			if err := json.Compact(&buf, inputs[i%len(inputs)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// unchanged is a filter that changes nothing.
type unchanged struct{}

func (unchanged) Text(s string) string           { return s }
func (unchanged) Key(name string) (string, bool) { return name, false }
func (unchanged) Covered(s string) string        { return s }

func BenchmarkAppendValue(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	inputs := make([]map[string]any, 2000)
	for i := range inputs {
		inputs[i] = toolInput(r)
	}
	for name, filter := range map[string]jsonl.Filter{"plain": nil, "filter": unchanged{}} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 4096)
			v := jsonl.Values{Filter: filter}
			b.ReportAllocs()
			for i := range b.N {
				var err error
				if buf, err = v.AppendMap(buf[:0], inputs[i%len(inputs)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("encodingjson", func(b *testing.B) {
		enc := json.NewEncoder(io.Discard)
		enc.SetEscapeHTML(false)
		b.ReportAllocs()
		for i := range b.N {
			if err := enc.Encode(inputs[i%len(inputs)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("struct", func(b *testing.B) {
		buf := make([]byte, 0, 4096)
		b.ReportAllocs()
		for range b.N {
			var err error
			if buf, err = (jsonl.Values{}).AppendValue(buf[:0], plainStruct{B: "x", S: "y"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkStripANSI(b *testing.B) {
	texts := corpus("ascii", 100)
	b.Run("nothing", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			jsonl.StripANSI(texts[i%len(texts)])
		}
	})
	b.Run("colour", func(b *testing.B) {
		coloured := make([]string, 1000)
		for i := range coloured {
			coloured[i] = "\x1b[31m" + texts[i][:50] + "\x1b[0m" + texts[i][50:]
		}
		var p jsonl.Stripper
		buf := make([]byte, 0, 200)
		b.ReportAllocs()
		for i := range b.N {
			buf = p.Append(buf[:0], []byte(coloured[i%len(coloured)]))
		}
	})
}
