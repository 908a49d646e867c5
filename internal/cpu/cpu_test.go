package cpu_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	xcpu "golang.org/x/sys/cpu"

	"github.com/streamjson/streamjson/internal/cpu"
)

// What nobody asks for would go unseen: all else works without it.
func TestHasAVX2(t *testing.T) {
	if want := assembly && xcpu.X86.HasAVX2 && xcpu.X86.HasPOPCNT; cpu.HasAVX2() != want {
		t.Errorf("HasAVX2() = %v, want %v", cpu.HasAVX2(), want)
	}
}

func TestHasVBMI(t *testing.T) {
	x := xcpu.X86
	if want := assembly && runtime.GOOS != "darwin" && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VBMI && x.HasBMI2; cpu.HasVBMI() != want {
		t.Errorf("HasVBMI() = %v, want %v", cpu.HasVBMI(), want)
	}
}

func TestHasSteadyTicks(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("only Linux on amd64 says what it makes of the processor's counter")
	}
	want := assembly && strings.Contains(string(info), " nonstop_tsc")
	if got := cpu.HasSteadyTicks(); got != want {
		t.Errorf("HasSteadyTicks() = %v, want %v", got, want)
	}
}

// Ticks goes on with the time, at some rate.
func TestTicks(t *testing.T) {
	if !cpu.HasSteadyTicks() {
		t.Skip("there are no steady ticks")
	}
	before, start := cpu.Ticks(), time.Now()
	for time.Since(start) < 5*time.Millisecond {
		runtime.Gosched()
	}
	passed := cpu.Ticks() - before
	spent := time.Since(start)
	if rate := float64(passed) / float64(spent); rate < .01 || rate > 20 {
		t.Errorf("%d ticks in %v", passed, spent)
	}
}

func BenchmarkTicks(b *testing.B) {
	b.Run("ticks", func(b *testing.B) {
		for b.Loop() {
			cpu.Ticks()
		}
	})
	b.Run("clock", func(b *testing.B) {
		start := time.Now()
		for b.Loop() {
			_ = time.Since(start)
		}
	})
}
