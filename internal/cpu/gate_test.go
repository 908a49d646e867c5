package cpu_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/streamjson/streamjson/internal/cpu"
)

func TestGateAsksAtTheLastOfItsUses(t *testing.T) {
	for _, has := range []bool{true, false} {
		var g cpu.Gate
		asked := 0
		for i := 1; i <= 2*cpu.GateUses; i++ {
			open := g.Knock(0, func() bool { asked++; return has })
			if late := i >= cpu.GateUses; asked > 0 != late || open != (late && has) || open != g.Open() {
				t.Fatalf("has %v, use %d: asked %d times, Knock %v, Open %v", has, i, asked, open, g.Open())
			}
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	}
}

func TestGateTakesOneLongUseForMany(t *testing.T) {
	yes := func() bool { return true }
	var g cpu.Gate
	if g.Knock(10, yes) || g.Knock(math.MinInt, yes) || !g.Knock(math.MaxInt, yes) {
		t.Error("a use of great weight must open the gate, others must not")
	}
}

func TestGateAsksOnceForAllGoroutines(t *testing.T) {
	var g cpu.Gate
	var asked atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range cpu.GateUses {
				g.Knock(0, func() bool { asked.Add(1); return true })
			}
		})
	}
	all.Wait()
	if asked.Load() != 1 || !g.Open() {
		t.Errorf("asked %d times, open %v", asked.Load(), g.Open())
	}
}
