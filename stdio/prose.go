package stdio

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	// maxHeld is how much prose waits for a slow reader.
	maxHeld = 64 << 10
	// maxProseWrite is what a pipe that has room at all takes at once.
	maxProseWrite = 4096
)

// Prose is an io.Writer for what people read, on stderr. It never waits: what
// the reader does not take at once is held, up to 64 KiB, and goes out with a
// later Write or Drain. What does not fit is dropped, by whole lines where
// there are any, and one line tells how many bytes are missing at that place.
// A stderr that nobody reads is no error, and is not tried again.
//
// No goroutine works for it, so the tail of what was written last needs a
// Drain. It is safe for concurrent use. A zero Prose discards. On Windows a
// Write waits for the reader.
type Prose struct {
	terminal bool

	mu      sync.Mutex // never held while waiting
	out     proseport
	held    []byte // not written yet; no longer than maxHeld
	dropped int    // bytes that are missing after held
	midLine bool   // the last byte that was written does not end a line
	silent  silence
}

// proseport is the way to stderr, one attempt at a time.
type proseport interface {
	// writeNow makes one attempt and returns errAgain where it would wait.
	writeNow(p []byte) (int, error)
	// awaitRoom waits until the reader has made room, or for limit.
	awaitRoom(limit time.Duration)
}

// silence is why a Prose writes nothing; several reasons may hold.
type silence uint8

const (
	muted    silence = 1 << iota // Mute
	mirrored                     // stderr is where the claimed stdout goes
	gone                         // nobody reads it
)

// NewProse returns a Prose on a file of the caller's, which stays the caller's
// to close. A nil file takes nothing.
func NewProse(f *os.File) *Prose {
	p := &Prose{terminal: isTerminalFile(f), out: proseFile(f)}
	if f == nil {
		p.silent = muted
	}
	return p
}

// ClaimProse returns the Prose on the stderr of the process, always the same
// one, on a private close-on-exec descriptor: what happens to descriptor 2
// afterwards does not concern it. While a claim of stdout is [Stdout.Mirrored]
// it writes nothing. It fails where stderr is closed or the system is out of
// descriptors.
func ClaimProse() (*Prose, error) {
	process.Lock()
	defer process.Unlock()
	if process.prose != nil {
		return process.prose, nil
	}
	p, err := claimProse()
	if err != nil {
		return nil, err
	}
	p.hush(process.claim != nil && process.claim.mirrored)
	process.prose = p
	return p, nil
}

// Write takes all of b, and never fails: prose is best effort.
func (p *Prose) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flush() {
		p.hold(p.push(b))
	} else {
		p.hold(b)
	}
	return len(b), nil
}

// Drain gives the reader up to limit to take what is held. Other methods need
// not wait for it.
func (p *Prose) Drain(limit time.Duration) {
	deadline := time.Now().Add(limit)
	for {
		done, moved := p.tryFlush()
		left := time.Until(deadline)
		if done || left <= 0 {
			return
		}
		if !moved { // a terminal may be called ready and take nothing
			time.Sleep(min(left, minPause))
		}
		p.out.awaitRoom(left)
	}
}

// tryFlush tells whether nothing is left and whether anything went out.
func (p *Prose) tryFlush() (done, moved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := len(p.held)
	done = p.flush()
	return done, len(p.held) < before
}

// Mute discards what is held and all that is written from now on: for a run
// that leaves prose out.
func (p *Prose) Mute() { p.set(muted, true) }

// IsTerminal tells whether p leads to a terminal.
func (p *Prose) IsTerminal() bool { return p.terminal }

// hush mutes p for as long as stderr is part of the stream.
func (p *Prose) hush(yes bool) { p.set(mirrored, yes) }

func (p *Prose) set(why silence, yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent &^= why; yes {
		p.silent |= why
	}
}

// flush writes what is held, and the line about what was dropped behind it;
// false: the reader has not taken all of it.
func (p *Prose) flush() bool {
	for {
		if rest := p.push(p.held); len(rest) < len(p.held) {
			p.held = p.held[:copy(p.held, rest)]
		}
		if len(p.held) > 0 {
			return false
		}
		if p.dropped == 0 {
			return true
		}
		p.tellDropped()
	}
}

// push writes b as far as the reader takes it and returns the rest; a silent
// Prose takes everything. Errors
// other than a gone reader may pass (a full disk), so they count as a reader
// who is slow.
func (p *Prose) push(b []byte) (rest []byte) {
	for len(b) > 0 {
		if p.silent != 0 || p.out == nil {
			return nil
		}
		n, err := p.out.writeNow(piece(b))
		if n > 0 {
			p.midLine = b[n-1] != '\n'
			b = b[n:]
		}
		if p.isOver(err) {
			p.silent |= gone
			return nil
		}
		if err != nil || n <= 0 {
			return b
		}
	}
	return nil
}

func (p *Prose) isOver(err error) bool {
	return IsReaderGone(err) || errors.Is(err, os.ErrClosed) || p.terminal && isHangUp(err)
}

// hold keeps b for later, or as many of its first lines as there is room for.
func (p *Prose) hold(b []byte) {
	if len(b) == 0 || p.silent != 0 {
		return
	}
	if p.dropped > 0 {
		if len(p.held) > maxHeld/2 { // one large gap is better than many small ones
			p.dropped += len(b)
			return
		}
		p.tellDropped()
	}
	if room := maxHeld - len(p.held); len(b) > room {
		whole := bytes.LastIndexByte(b[:room], '\n') + 1
		p.dropped += len(b) - whole
		b = b[:whole]
	}
	p.held = append(p.held, b...)
}

// tellDropped holds the line that stands for the bytes dropped at this place.
func (p *Prose) tellDropped() {
	midLine := p.midLine
	if n := len(p.held); n > 0 {
		midLine = p.held[n-1] != '\n'
	}
	if midLine {
		p.held = append(p.held, '\n')
	}
	p.held = append(p.held, "stdio: "...)
	p.held = strconv.AppendInt(p.held, int64(p.dropped), 10)
	p.held = append(p.held, " bytes of stderr dropped here: its reader was too slow\n"...)
	p.dropped = 0
}

// piece returns what of b to write at once: whole lines if there are any.
func piece(b []byte) []byte {
	if len(b) <= maxProseWrite {
		return b
	}
	if whole := bytes.LastIndexByte(b[:maxProseWrite], '\n') + 1; whole > 0 {
		return b[:whole]
	}
	return b[:maxProseWrite]
}
