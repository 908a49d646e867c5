package bench_test

import (
	"testing"

	"github.com/streamjson/streamjson/bench/internal/suite"
)

// BenchmarkEmit is whole emits to a discarding writer: number, clock, lock,
// encoding, Write.
func BenchmarkEmit(b *testing.B) { run(b, suite.Emits()) }

// BenchmarkEncode is the encoding alone.
func BenchmarkEncode(b *testing.B) { run(b, suite.Encodes()) }

// BenchmarkFloor is the parts of what no emitter can do without.
func BenchmarkFloor(b *testing.B) {
	parts, err := suite.NewBuilder(suite.FreshSize).Parts()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range parts.Contenders {
		b.Run(p.Name, func(b *testing.B) { loop(b, p.Op) })
	}
}

func run(b *testing.B, keys []suite.Key) {
	builder := suite.NewBuilder(suite.FreshSize)
	for _, k := range keys {
		b.Run(k.String(), func(b *testing.B) {
			c, err := builder.Case(k, nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, x := range c.Contenders {
				b.Run(x.Name, func(b *testing.B) { loop(b, x.Op) })
			}
		})
	}
}

func loop(b *testing.B, op func() (int, error)) {
	b.ReportAllocs()
	total := 0
	for b.Loop() {
		n, err := op()
		if err != nil {
			b.Fatal(err)
		}
		total += n
	}
	b.SetBytes(int64(total / b.N))
}
