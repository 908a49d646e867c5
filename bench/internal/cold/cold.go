// Package cold measures what a command pays before its first line and after
// its last: the start of a process, and the size of its binary, by the library
// that it prints with.
package cold

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/streamjson/streamjson/bench/internal/stats"
)

// The programs that goals name.
const (
	StreamOurs   = "streamours"   // init and result by this SDK
	StreamThree  = "streamthree"  // two lines, with zerolog, slog and encoding/json
	EnvelopeOurs = "envelopeours" // one envelope by this SDK
	EnvelopeJSON = "envelopejson" // one envelope by encoding/json
)

const base = "github.com/streamjson/streamjson/bench/coldstart/programs/"

// A Program is one of coldstart/programs.
type Program struct {
	Name, Library string
	Document      bool // it prints one envelope, not two lines
}

// Programs returns those that this machine can build.
func Programs() []Program {
	list := []Program{
		{"none", "none", false},
		{StreamOurs, "ours", false},
		{StreamThree, "zerolog, slog and encoding/json", false},
		{"streamjson", "encoding/json", false},
		{"streamgoccy", "goccy/go-json", false},
		{"streamsegmentio", "segmentio/encoding", false},
		{"streamzerolog", "zerolog", false},
		{"streamzap", "zap", false},
		{"streamphuslu", "phuslu/log", false},
		{"streamslog", "slog", false},
		{EnvelopeOurs, "ours, EmitJSON", true},
		{"enveloperun", "ours, Run", true},
		{EnvelopeJSON, "encoding/json", true},
	}
	if slices.Contains([]string{"amd64", "arm64"}, runtime.GOARCH) {
		list = append(list, Program{"streamsonic", "sonic", false}, Program{"envelopesonic", "sonic", true})
	}
	return list
}

// A Row is what was measured of a program.
type Row struct {
	Program
	Starts []float64 // milliseconds from fork to exit, a round each
	Size   int64     // bytes of the stripped binary
}

// MS returns the median of the starts, in milliseconds.
func (r Row) MS() float64 { return stats.Median(r.Starts) }

// Measure builds the programs and starts each of them rounds times, in turn.
// It must run in a directory of the module that it is part of.
func Measure(ctx context.Context, programs []Program, rounds int) ([]Row, error) {
	dir, err := os.MkdirTemp("", "coldstart-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	rows := make([]Row, len(programs))
	for i, p := range programs {
		rows[i].Program = p
		if rows[i].Size, err = build(ctx, dir, p); err != nil {
			return nil, err
		}
		if err := check(ctx, binary(dir, p), p.Document); err != nil {
			return nil, fmt.Errorf("cold: %s: %w", p.Name, err)
		}
	}
	for range rounds {
		for i, p := range programs {
			start := time.Now()
			// No pipes: their goroutines would be measured, too.
			if err := exec.CommandContext(ctx, binary(dir, p)).Run(); err != nil {
				return nil, fmt.Errorf("cold: %s: %w", p.Name, err)
			}
			rows[i].Starts = append(rows[i].Starts, float64(time.Since(start).Microseconds())/1000)
		}
	}
	return rows, nil
}

func binary(dir string, p Program) string {
	name := p.Name
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

// build builds a program as a release would be.
func build(ctx context.Context, dir string, p Program) (int64, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", binary(dir, p), base+p.Name)
	cmd.Env = append(slices.Clone(os.Environ()), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("cold: building %s: %w\n%s", p.Name, err, out)
	}
	info, err := os.Stat(binary(dir, p))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

var errOutput = errors.New("it prints something else than it should")

// check makes sure that a program prints what is compared.
func check(ctx context.Context, path string, document bool) error {
	out, err := exec.CommandContext(ctx, path).Output()
	if err != nil {
		return err
	}
	if document {
		var d struct {
			SchemaVersion int `json:"schema_version"`
			OK            bool
			Data          []map[string]any
		}
		if err := json.Unmarshal(out, &d); err != nil || d.SchemaVersion != 1 || !d.OK || len(d.Data) != 2 {
			return fmt.Errorf("%w: %q", errOutput, out)
		}
		return nil
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	for _, l := range lines {
		if !json.Valid(l) {
			return fmt.Errorf("%w: %q", errOutput, out)
		}
	}
	return nil
}

// Find returns the row of a program.
func Find(rows []Row, name string) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Ratio returns how many times as long as b a program takes to start, by the
// median of the rounds' ratios.
func Ratio(a, b Row) float64 { return stats.MedianRatio(a.Starts, b.Starts) }
