package clock_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const layout = "2006-01-02T15:04:05.000Z"

func TestClocks(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	fixed := clock.Fixed(start)
	if a, b := fixed.Now(), fixed.Now(); !a.Equal(start) || !b.Equal(start) {
		t.Errorf("Fixed moved: %v, %v", a, b)
	}
	stepping := clock.Stepping(start, 5*time.Millisecond)
	for i := range 3 {
		want := start.Add(time.Duration(i) * 5 * time.Millisecond)
		if got := stepping.Now(); !got.Equal(want) {
			t.Errorf("reading %d of Stepping = %v, want %v", i, got, want)
		}
	}
	before := time.Now()
	if got := clock.System().Now(); got.Before(before) {
		t.Errorf("System = %v, before %v", got, before)
	}
}

func TestStamperText(t *testing.T) {
	plus := time.FixedZone("", 5*3600+30*60)
	for _, c := range []struct {
		rule string
		t    time.Time
		want string
	}{
		{"three digits, rounded down", time.Date(2026, 10, 2, 12, 0, 0, 123_999_999, time.UTC), "2026-10-02T12:00:00.123Z"},
		{"fraction written when zero", time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC), "2026-10-02T12:00:00.000Z"},
		{"other zones become UTC", time.Date(2026, 1, 1, 0, 0, 0, 0, plus), "2025-12-31T18:30:00.000Z"},
		{"the zero time", time.Time{}, "0001-01-01T00:00:00.000Z"},
		{"before 1970, rounded down", time.Date(1969, 12, 31, 23, 59, 59, 1_500_000, time.UTC), "1969-12-31T23:59:59.001Z"},
		{"year 0", time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), "0000-01-01T00:00:00.000Z"},
		{"before year 0", time.Date(-1, 12, 31, 0, 0, 0, 0, time.UTC), "0000-01-01T00:00:00.000Z"},
		{"last of year 9999", time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), "9999-12-31T23:59:59.999Z"},
		{"after year 9999", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "9999-12-31T23:59:59.999Z"},
		{"far after year 9999", time.Unix(1<<45, 0), "9999-12-31T23:59:59.999Z"},
		{"a leap day", time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC), "2024-02-29T23:59:59.000Z"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			var s clock.Stamper
			if got := string(s.Append(nil, c.t)); got != c.want {
				t.Errorf("Append(%v) = %s, want %s", c.t, got, c.want)
			}
		})
	}
}

func TestStamperNeverRunsBackwards(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s clock.Stamper
	now := time.Date(2026, 10, 2, 23, 59, 58, 0, time.UTC)
	var latest time.Time
	last := ""
	for range 20_000 {
		now = now.Add(time.Duration(r.Int64N(int64(4*time.Second))) - 2*time.Second + time.Millisecond)
		if now.After(latest) {
			latest = now
		}
		got := string(s.Append(nil, now))
		if got < last {
			t.Fatalf("%s after %s", got, last)
		}
		if want := latest.Format(layout); got != want {
			t.Fatalf("Append(%v) = %s, want %s", now, got, want)
		}
		if !s.Time().Equal(latest.Truncate(time.Millisecond)) || s.Milli() != latest.UnixMilli() {
			t.Fatalf("Time = %v, Milli = %d, want %v", s.Time(), s.Milli(), latest)
		}
		last = got
	}
}

func TestStamperSetTellsWhetherTheTextChanged(t *testing.T) {
	var s clock.Stamper
	now := time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		t    time.Time
		want bool
	}{
		{now, true},
		{now, false},
		{now.Add(999 * time.Microsecond), false},
		{now.Add(time.Millisecond), true},
		{now, false},
		{now.Add(24 * time.Hour), true},
	} {
		if got := s.Set(c.t); got != c.want {
			t.Errorf("Set %d = %v, want %v", i, got, c.want)
		}
	}
}

// SetNow writes what the machine's clock tells, to the millisecond, also where
// it goes on from an older reading; and what any other clock tells.
func TestStamperSetNow(t *testing.T) {
	var s clock.Stamper
	for until := time.Now().Add(1100 * time.Millisecond); ; {
		before := time.Now().Truncate(time.Millisecond)
		changed := s.SetNow(clock.System())
		after := time.Now()
		// The monotonic clock may drift against the wall clock by a little.
		const drift = 2 * time.Millisecond
		if got := s.Time(); got.Before(before.Add(-drift)) || got.After(after.Add(drift)) {
			t.Fatalf("SetNow gives %v between %v and %v", got, before, after)
		}
		if text := string(s.AppendText(nil)); text != s.Time().Format(layout) {
			t.Fatalf("the text is %s at %v (changed: %v)", text, s.Time(), changed)
		}
		if after.After(until) {
			break
		}
	}
	var stepping clock.Stamper
	c := clock.Stepping(time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC), time.Millisecond)
	for i := range 3 {
		stepping.SetNow(c)
		if want := fmt.Sprintf("2026-10-02T12:00:00.%03dZ", i); string(stepping.AppendText(nil)) != want {
			t.Errorf("reading %d: %s, want %s", i, stepping.AppendText(nil), want)
		}
	}
}

func TestStamperDoesNotAllocate(t *testing.T) {
	var s clock.Stamper
	buf := make([]byte, 0, clock.StampLen)
	now := time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(333 * time.Millisecond)
		buf = s.Append(buf[:0], now)
	}); n != 0 {
		t.Errorf("%v allocations a stamp, want none", n)
	}
}

func FuzzStamper(f *testing.F) {
	f.Add(int64(0), int64(0))
	f.Add(int64(253402300799), int64(999_999_999))
	f.Add(int64(-62135596800), int64(1))
	f.Fuzz(func(t *testing.T, second, nano int64) {
		at := time.Unix(second, nano)
		if y := at.UTC().Year(); y < 0 || y > 9999 {
			t.Skip("clamped, see the table")
		}
		var s clock.Stamper
		if got, want := string(s.Append(nil, at)), at.UTC().Format(layout); got != want {
			t.Errorf("Append(%v) = %s, want %s", at, got, want)
		}
	})
}

func BenchmarkSetNow(b *testing.B) {
	var s clock.Stamper
	b.Run("SetNow", func(b *testing.B) {
		for b.Loop() {
			s.SetNow(clock.System())
		}
	})
	b.Run("Set", func(b *testing.B) {
		for b.Loop() {
			s.Set(clock.System().Now())
		}
	})
	b.Run("reading", func(b *testing.B) {
		base := time.Now()
		for b.Loop() {
			_ = time.Since(base)
		}
	})
}

func BenchmarkStamper(b *testing.B) {
	var s clock.Stamper
	buf := make([]byte, 0, clock.StampLen)
	now := time.Now()
	for b.Loop() {
		now = now.Add(300 * time.Microsecond)
		buf = s.Append(buf[:0], now)
	}
}
