package emit_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A leaper is a clock that leaps to any time that a time.Time can hold.
type leaper struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (c *leaper) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Unix(int64(c.r.Uint64()), int64(c.r.Uint64()))
}

// A7: whatever the clock says, ts is well formed and never runs backwards, ids
// are ids, durations are not negative, and nothing panics (contract F4, F5).
func TestClocks(t *testing.T) {
	day := time.Date(2026, 11, 30, 23, 59, 59, 999_999_999, time.FixedZone("far east", 14*3600))
	runID := regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	for name, c := range map[string]struct {
		clock       clock.Clock
		first, last string // of ts; "" for any
	}{
		"fixed":         {clock.Fixed(day), "2026-11-30T09:59:59.999Z", "2026-11-30T09:59:59.999Z"},
		"back":          {clock.Stepping(day, -time.Hour), "", ""},
		"forward":       {clock.Stepping(day, time.Hour), "", ""},
		"over midnight": {clock.Stepping(day, time.Millisecond), "", ""},
		"zero":          {clock.Fixed(time.Time{}), "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"},
		"before zero":   {clock.Fixed(time.Time{}.AddDate(-5, 0, 0)), "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"},
		"before 1970":   {clock.Stepping(time.Unix(-1, 999_999_999), time.Nanosecond), "", ""},
		"year 9999":     {clock.Stepping(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), time.Minute), "", "9999-12-31T23:59:59.999Z"},
		"year 10000":    {clock.Fixed(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
		"as late as":    {clock.Fixed(time.Unix(1<<62, 0)), "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
		"as early as":   {clock.Fixed(time.Unix(-1<<62, 0)), "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"},
		"leaping":       {&leaper{r: rand.New(rand.NewPCG(1, 1))}, "", ""},
		"leaping again": {&leaper{r: rand.New(rand.NewPCG(2, 2))}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []emit.Format{emit.FormatStreamJSON, emit.FormatJSON} {
				var w tape
				o := quiet(&w)
				o.SessionID, o.Clock, o.Format, o.Heartbeat = "", c.clock, format, time.Millisecond
				em := begin(t, o)
				for range 50 {
					must(t, em.Emit(event.State{SessionState: "running"}))
				}
				// A heartbeat may come, or not: the clock decides.
				time.Sleep(2 * time.Millisecond)
				must(t, em.Finish(event.Result{}))
				if format == emit.FormatJSON {
					r, err := parse(compact(t, w.bytes()))
					must(t, err)
					checkResult(t, r)
					if !stampForm.MatchString(r.str("ts")) {
						t.Errorf("%s", r.raw)
					}
					continue
				}
				records := whole(t, w.bytes())
				first, end := records[0].str("ts"), last(records).str("ts")
				if c.first != "" && first != c.first || c.last != "" && end != c.last {
					t.Errorf("ts runs from %s to %s", first, end)
				}
				if id := records[0].str("_meta", "run_id"); !runID.MatchString(id) {
					t.Errorf("run_id %q", id)
				}
				if id := records[0].str("session_id"); !runID.MatchString(strings.TrimPrefix(id, "sess_")) {
					t.Errorf("session_id %q", id)
				}
				for _, r := range append(ofKind(records, "system/heartbeat"), last(records)) {
					if strings.Contains(string(r.raw), `_ms":-`) {
						t.Errorf("a negative time: %s", r.raw)
					}
				}
			}
		})
	}
}
