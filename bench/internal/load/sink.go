package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// A Sink is where lines go.
type Sink string

// The sinks.
const (
	Discard Sink = "discard" // a writer that counts: the cost of emitting alone
	File    Sink = "file"    // a file in the directory for temporary files
	Pipe    Sink = "pipe"    // a pipe to a process that reads and checks each line
	Slow    Sink = "slow"    // the same, at slowRate
)

// Sinks returns all sinks.
func Sinks() []Sink { return []Sink{Discard, File, Pipe, Slow} }

// slowRate is what a slow reader reads, in bytes a second.
const slowRate = 20 << 20

// readerEnv makes a process the reader of a pipe, see ServeReader.
const readerEnv = "STREAMJSON_BENCH_READER"

// ServeReader makes the process a reader if it was started as one, and ends
// it. It is the first call of a main function, or of TestMain.
func ServeReader() {
	sink := Sink(os.Getenv(readerEnv))
	if sink == "" {
		return
	}
	var c Checker
	if err := serve(&c, os.Stdin, sink == Slow); err != nil && c.Fault == "" {
		c.Fault = "reading: " + err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(report{c, c.rest, c.last})
	os.Exit(0)
}

// A report is a Checker as it crosses over to another process.
type report struct {
	Checker
	Rest, Last []byte
}

func serve(c *Checker, r io.Reader, slow bool) error {
	buf := make([]byte, 64<<10)
	start, total := time.Now(), 0
	for {
		n, err := r.Read(buf)
		_, _ = c.Write(buf[:n])
		if total += n; slow {
			due := time.Duration(total) * time.Second / slowRate
			time.Sleep(due - time.Since(start))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// An outlet is an open sink. Finish closes it and returns what has arrived.
type outlet struct {
	w      io.Writer
	finish func() (*Checker, error)
}

// open opens a sink; one that can be looked at is checked if check is set,
// else its bytes are counted. The order of what went to Discard is checked
// while it is written, which takes time.
func (s Sink) open(check bool) (*outlet, error) {
	switch s {
	case Discard:
		return openDiscard(check), nil
	case File:
		return openFile(check)
	case Pipe, Slow:
		return openPipe(s)
	default:
		return nil, fmt.Errorf("load: no sink %q: choose one of %v", s, Sinks())
	}
}

// A counter counts what it is given. Emitters write one batch at a time, and
// finish reads it after the last.
type counter struct{ c Checker }

func (w *counter) Write(p []byte) (int, error) {
	w.c.Bytes += uint64(len(p))
	return len(p), nil
}

func openDiscard(check bool) *outlet {
	var w counter
	if check {
		return &outlet{&w.c, func() (*Checker, error) { return &w.c, nil }}
	}
	return &outlet{&w, func() (*Checker, error) { return &w.c, nil }}
}

func openFile(check bool) (*outlet, error) {
	f, err := os.CreateTemp("", "throughput-*.jsonl")
	if err != nil {
		return nil, err
	}
	return &outlet{f, func() (*Checker, error) {
		defer os.Remove(f.Name())
		defer f.Close()
		var c Checker
		if !check {
			info, err := f.Stat()
			if err != nil {
				return nil, err
			}
			c.Bytes = uint64(info.Size())
			return &c, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return &c, serve(&c, f, false)
	}}, nil
}

// openPipe starts the executable once more as the reader.
func openPipe(s Sink) (*outlet, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// As a process finds its own stdout: blocking. Fd sees to that.
	w.Fd()
	self, err := os.Executable()
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	cmd := exec.Command(self)
	cmd.Env = append(slices.Clone(os.Environ()), readerEnv+"="+string(s))
	cmd.Stdin, cmd.Stderr = r, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	_ = r.Close() // the child has its own
	return &outlet{w, func() (*Checker, error) {
		if err := w.Close(); err != nil {
			return nil, err
		}
		var rep report
		err := json.NewDecoder(out).Decode(&rep)
		if err = errors.Join(err, cmd.Wait()); err != nil {
			return nil, fmt.Errorf("load: the reader of the pipe: %w", err)
		}
		rep.rest, rep.last = rep.Rest, rep.Last
		return &rep.Checker, nil
	}}, nil
}
