package emit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/internal/ulid"
	"github.com/streamjson/streamjson/redact"
)

// Capabilities that a stream can announce.
const (
	capStream  = "stream_v1"
	capPartial = "partial_messages_v1"
)

const (
	defaultGrace   = 5 * time.Second
	smallestMax    = 4096 // the least MaxLineBytes
	defaultVersion = "unknown"
)

// Options says how a stream is written. The zero value is ready for use: a
// stream-json stream on stdout, prose on stderr.
type Options struct {
	// Product and Version become the member <product>_version of the init
	// line. Product is written in lower case, with '_' for what is neither
	// letter nor digit; the default is what the program was called as. That of
	// Version is the main module's, from the build info.
	Product, Version string

	// SessionID stands on every line. A resumed session has the same one; the
	// default is new: "sess_" and 26 characters that sort by time.
	SessionID string

	// Format is what goes to stdout; FormatStreamJSON by default.
	Format Format

	// Stdout and Stderr are where lines and prose go; nil means the process's
	// own. In a machine format a nil Stdout is claimed (package stdio): what
	// anything else in the process prints to stdout lands on stderr. An
	// *os.File that is the process's stdout counts as nil. A *stdio.Stdout
	// serves several runs in turn.
	Stdout, Stderr io.Writer

	// Also are further places for the lines of the stream, which are the same
	// whatever Format is. Each has a goroutine and a buffer of its own; one
	// that fails, or that stands still while its buffer is full, is cut off
	// and told once in prose, and stdout is unharmed.
	Also []io.Writer

	// Clock gives the time; nil is clock.System(). It is read under the
	// emitter's lock and must not call the emitter.
	Clock clock.Clock

	// Redactor keeps secrets out of the lines and out of prose; nil is
	// redact.Default(), and redact.None() switches it off. With a nil Redactor
	// Run also looks for the values of the environment's secrets.
	Redactor *redact.Redactor

	// Partial writes stream_event lines (partial_messages_v1).
	Partial bool

	// Capabilities are announced beyond stream_v1 and partial_messages_v1.
	Capabilities []string

	// Append encodes arbitrary values, those inside events that are neither
	// plain types nor maps and slices of them; nil is encoding/json without
	// HTML escaping. What it appends is checked and put on one line.
	Append func(dst []byte, v any) ([]byte, error)

	// MaxLineBytes bounds a line, its newline included: 0 for no limit, else
	// at least 4096. Texts that don't fit are cut between characters, which
	// _meta.truncated_bytes tells; deltas are split. An event is refused only
	// where ids or the input of a tool don't fit.
	MaxLineBytes int

	// Heartbeat writes a heartbeat line after that time without a line; 0
	// writes none. Grace is how long a run may take to wind down once it is
	// cancelled; 0 is five seconds.
	Heartbeat, Grace time.Duration

	// Signals are what Run takes; nil is INT, TERM and HUP, except those that
	// were ignored at the start; an empty slice takes none.
	Signals []os.Signal

	// MirrorAll mirrors prose of level info into the stream too, not only
	// warn and above. Quiet writes no prose on stderr; mirroring stays.
	MirrorAll, Quiet bool

	// Burst trades the durability of each line for throughput, five times and
	// more: a line that comes while another is being written, or within 50 µs
	// of a write, may wait in a buffer of 256 KiB for a goroutine that writes
	// what has gathered there. A line that comes alone, an Error, the result, and
	// everything before a Flush are in the kernel when the call returns, as all
	// lines are without Burst. A kill -9, or os.Exit without Finish, can lose
	// what waits; an error of a write is told by a later call.
	Burst bool
}

// normalize fills in the defaults, or says what is wrong with the options.
func (o Options) normalize() (Options, error) {
	switch {
	case o.Format > FormatText:
		return o, fmt.Errorf("emit: Options.Format: %v is no format", o.Format)
	case o.MaxLineBytes != 0 && o.MaxLineBytes < smallestMax:
		return o, fmt.Errorf("emit: Options.MaxLineBytes: %d is below %d, the least that holds a line", o.MaxLineBytes, smallestMax)
	case o.Heartbeat < 0 || o.Grace < 0:
		return o, errors.New("emit: Options.Heartbeat and Options.Grace must not be negative")
	case slices.Contains(o.Capabilities, ""):
		return o, errors.New("emit: Options.Capabilities: a capability must not be empty")
	case slices.Contains(o.Also, nil):
		return o, errors.New("emit: Options.Also: a writer must not be nil")
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Redactor == nil {
		o.Redactor = redact.Default()
	}
	if o.Redactor.Contains(o.SessionID) || slices.ContainsFunc(o.Capabilities, o.Redactor.Contains) {
		return o, errors.New("emit: Options: the session id and capabilities must not hold a secret: they are never altered")
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Product == "" {
		o.Product = programName()
	}
	o.Product = productName(o.Product)
	if o.Version == "" {
		o.Version = buildVersion()
	}
	if o.SessionID == "" {
		o.SessionID = "sess_" + ulid.New(o.Clock.Now())
	}
	o.Capabilities = capabilities(o)
	return o, nil
}

// capabilities returns what the init line announces, each once.
func capabilities(o Options) []string {
	list := []string{capStream}
	if o.Partial {
		list = append(list, capPartial)
	}
	for _, c := range o.Capabilities {
		// What this run can't emit is not announced.
		if !slices.Contains(list, c) && c != capPartial {
			list = append(list, c)
		}
	}
	return list
}

// programName is what the program was called as. The name of its file, which
// os.Executable has to ask for, can be another one behind a link.
func programName() string {
	if len(os.Args) == 0 {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

// productName returns name as it can stand in a member's name.
func productName(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '_'
		}
	}, name)
	if strings.Trim(clean, "_") == "" {
		return "program"
	}
	return clean
}

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return defaultVersion
}

// workingDirectory returns where the process runs. Getwd fails in a directory
// that was deleted.
func workingDirectory() string {
	if dir, err := os.Getwd(); err == nil && dir != "" {
		return dir
	}
	if dir := os.Getenv("PWD"); dir != "" {
		return dir
	}
	return "."
}
