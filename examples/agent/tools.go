package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit/event"
)

// maxText is how much of a tool's output the model gets.
const maxText = 16 << 10

// A tool is something that the model can call. An error is for the model to
// read: it becomes the result of the call, not of the run.
type tool struct {
	name string
	run  func(ctx context.Context, a *agent, c call) (output, error)
}

func tools() []tool {
	return []tool{
		{"list_files", listFiles},
		{"read_file", readFile},
		{"search_text", searchText},
		{"run_command", runCommand},
		{"start_agent", startAgent},
	}
}

func toolNames() []string {
	var names []string
	for _, t := range tools() {
		names = append(names, t.name)
	}
	return names
}

// An output is what a tool returns.
type output struct {
	text    string            // for the model
	summary string            // for people
	path    string            // the file that it is about
	failed  bool              // and text says so
	values  map[string]string // for scripts; an absent one is unknown
}

// callTool runs one call and writes its result. An error of it ends the run.
func (a *agent) callTool(ctx context.Context, c call) (output, error) {
	if ctx.Err() != nil {
		return output{}, context.Cause(ctx)
	}
	began := time.Now()
	out, err := a.runTool(ctx, c)
	if err != nil && ctx.Err() != nil {
		// The tool failed because it was stopped. The emitter closes the call,
		// and says so.
		return output{}, context.Cause(ctx)
	}
	if err != nil {
		out.failed = true
		out.summary = valid(err.Error())
		out.text = strings.TrimLeft(out.text+"\n"+out.summary, "\n")
	}
	a.log.Info().Str("id", c.id).Str("took", time.Since(began).Round(time.Millisecond).String()).
		Msg(c.tool + ": " + out.summary)
	return out, a.actor.Emit(event.User{
		Content: []event.ToolResult{{ToolUseID: c.id, Text: out.text, IsError: out.failed}},
		ToolUseResult: &event.ToolUseResult{
			Path: out.path, IsError: out.failed, Summary: out.summary,
		},
	})
}

func (a *agent) runTool(ctx context.Context, c call) (output, error) {
	for _, t := range tools() {
		if t.name == c.tool {
			return t.run(ctx, a, c)
		}
	}
	return output{}, fmt.Errorf("no tool is called %q: use one of %s", c.tool, strings.Join(toolNames(), ", "))
}

// decode reads the arguments of a call. Models get them wrong now and then, so
// a member that the tool does not know is an error that tells them.
func decode(c call, args any) error {
	d := json.NewDecoder(bytes.NewReader(c.input))
	d.DisallowUnknownFields()
	if err := d.Decode(args); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the arguments of %s: %w", c.tool, err)
	}
	return nil
}

// clip cuts a text that is too long for the model, between characters, and
// says so.
func clip(text string, more int) string {
	if len(text) > maxText {
		n := maxText
		for n > maxText-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		more += len(text) - n
		text = text[:n]
	}
	if more > 0 {
		text += fmt.Sprintf("\n[%s more were left out]", size(int64(more)))
	}
	return text
}

// valid returns s in UTF-8. The stream would see to it as well, but output as
// plain text is written as it is, and all formats are to say the same.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// size returns a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1000:
		return plural(n, "byte")
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1000/1000)
	}
}

// plural returns "1 file" or "2 files".
func plural(n int64, what string) string { return fmt.Sprintf("%d %s", n, noun(n, what)) }

// noun returns what is counted, in the number that fits.
func noun(n int64, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}
