package clock

import (
	"time"

	"github.com/streamjson/streamjson/internal/cpu"
)

// StampLen is the length in bytes of every text that a Stamper writes.
const StampLen = len("2006-01-02T15:04:05.000Z")

// The instants that RFC 3339 can spell with a four-digit year, in Unix seconds.
const (
	minSecond = -62167219200 // 0000-01-01T00:00:00Z
	maxSecond = 253402300799 // 9999-12-31T23:59:59Z
)

// A Stamper writes instants as the wire's ts (contract F4): RFC 3339, UTC,
// "Z", exactly three fraction digits, rounded down. It never runs backwards:
// an instant before the latest one it has written is written as that latest
// one, whatever the clock does. Instants before the year 0 and after the year
// 9999, which RFC 3339 can't spell, become the first and last that it can.
//
// It does not allocate. The zero Stamper is ready for use; it is not safe for
// concurrent use.
type Stamper struct {
	started bool
	milli   int64 // the instant of text, in Unix milliseconds
	second  int64 // the same, rounded down to seconds
	text    [StampLen]byte

	// For SetNow: a reading of the machine's clock, and how long after it the
	// text has to be looked at again.
	anchor time.Time
	next   time.Duration
	pulse  pulse
}

// anchorLife is how long a reading of the wall clock is gone on from.
const anchorLife = time.Second

// Append appends the text of t to dst, StampLen bytes and no quotes, and
// returns the extended buffer.
func (s *Stamper) Append(dst []byte, t time.Time) []byte {
	s.Set(t)
	return s.AppendText(dst)
}

// AppendText appends the text of the latest instant once more. Before the
// first it is all zero bytes.
func (s *Stamper) AppendText(dst []byte) []byte { return append(dst, s.text[:]...) }

// Milli returns the latest instant written, in Unix milliseconds; 0 before the
// first. The text is the same as long as this is.
func (s *Stamper) Milli() int64 { return s.milli }

// Set moves the stamper to t and reports whether its text changed by that.
func (s *Stamper) Set(t time.Time) bool {
	milli := unixMilli(t)
	if s.started && milli <= s.milli {
		return false
	}
	second, fraction := floorDiv(milli, 1000)
	if !s.started || second != s.second {
		s.setSecond(second)
	}
	s.started, s.milli = true, milli
	put3(s.text[20:], fraction)
	return true
}

// SetNow is Set(c.Now()), at a third of the price where c is System: that reads
// the wall clock once a second, and in between the monotonic clock, or, where
// lines come fast, hardly more than a counter of the processor. The text
// follows a wall clock that was set with a delay of a second at most.
func (s *Stamper) SetNow(c Clock) bool {
	if _, ok := c.(systemClock); !ok {
		return s.Set(c.Now())
	}
	var ticks uint64
	if s.pulse.state == beating {
		if ticks = cpu.Ticks(); s.pulse.quietAt(ticks) {
			return false
		}
	}
	passed := time.Since(s.anchor)
	if passed < s.next {
		s.pulse.vain()
		return false
	}
	return s.advance(passed, ticks)
}

// advance moves the stamper to so long after the anchor, or to a new one. The
// ticks were read just before that.
func (s *Stamper) advance(passed time.Duration, ticks uint64) bool {
	if passed >= anchorLife || s.anchor.IsZero() {
		s.anchor, passed = time.Now(), 0
	}
	now := s.anchor.Add(passed)
	s.next = min(passed+time.Millisecond-time.Duration(now.Nanosecond())%time.Millisecond, anchorLife)
	if s.pulse.state == beating {
		s.pulse.turn(ticks, cpu.Ticks(), passed, s.next-passed)
	}
	return s.Set(now)
}

// Time returns the latest instant written, in UTC with millisecond precision;
// the zero time before the first.
func (s *Stamper) Time() time.Time {
	if !s.started {
		return time.Time{}
	}
	return time.UnixMilli(s.milli).UTC()
}

// setSecond rewrites the text up to the fraction.
func (s *Stamper) setSecond(second int64) {
	s.second = second
	t := time.Unix(second, 0).UTC()
	year, month, day := t.Date()
	hour, minute, sec := t.Clock()
	b := &s.text
	put2(b[0:], year/100)
	put2(b[2:], year%100)
	b[4] = '-'
	put2(b[5:], int(month))
	b[7] = '-'
	put2(b[8:], day)
	b[10] = 'T'
	put2(b[11:], hour)
	b[13] = ':'
	put2(b[14:], minute)
	b[16] = ':'
	put2(b[17:], sec)
	b[19] = '.'
	b[23] = 'Z'
}

// unixMilli is t.UnixMilli with the years clamped to what RFC 3339 can spell.
func unixMilli(t time.Time) int64 {
	switch second := t.Unix(); {
	case second < minSecond:
		return minSecond * 1000
	case second > maxSecond:
		return maxSecond*1000 + 999
	default:
		return second*1000 + int64(t.Nanosecond())/1e6
	}
}

// floorDiv divides rounding down, so that times before 1970 keep a fraction
// that is not negative.
func floorDiv(n, by int64) (quotient int64, rest int) {
	quotient, r := n/by, n%by
	if r < 0 {
		quotient, r = quotient-1, r+by
	}
	return quotient, int(r)
}

func put2(b []byte, n int) {
	_ = b[1]
	b[0] = byte('0' + n/10)
	b[1] = byte('0' + n%10)
}

func put3(b []byte, n int) {
	_ = b[2]
	b[0] = byte('0' + n/100)
	b[1] = byte('0' + n/10%10)
	b[2] = byte('0' + n%10)
}
