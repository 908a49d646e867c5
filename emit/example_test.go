package emit_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/streamjson/streamjson/clock"
	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// options are those of the examples: on a program's own stdout a nil Stdout
// would do, and the ids and the time would be real.
func options() emit.Options {
	return emit.Options{
		Stdout: os.Stdout, Stderr: io.Discard,
		Product: "demo", Version: "1.0", SessionID: "sess_1",
		Clock: clock.Fixed(time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC)),
	}
}

// pin gives the example's run an id and a directory that are always the same.
func pin(em *emit.Emitter) *emit.Emitter {
	emit.Pin(em, "/repo", "01HQ2RUN000000000000000000")
	return em
}

func ExampleNew() {
	em, err := emit.New(context.Background(), options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer em.Close() // an error result, should Finish not be reached
	pin(em)
	_ = em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "Hello."}}})
	_ = em.Finish(event.Result{})
	// Output:
	// {"type":"system","subtype":"init","session_id":"sess_1","seq":0,"ts":"2026-10-02T12:00:00.000Z","cwd":"/repo","demo_version":"1.0","agent":{"name":"demo","provider":"local","role":"primary"},"capabilities":["stream_v1"],"_meta":{"run_id":"01HQ2RUN000000000000000000"}}
	// {"type":"assistant","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}}
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":1,"duration_ms":0,"result":"Hello.","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
}

// A program's main is one call. Here the format is text, as a person would
// ask for it; the body is the same for all three.
func ExampleRun() {
	o := options()
	o.Format = emit.FormatText
	code := emit.Run(context.Background(), o, func(_ context.Context, em *emit.Emitter) error {
		m := em.Message("msg_1")
		for _, piece := range []string{"Hello, ", "world."} {
			if err := m.Text(piece); err != nil {
				return err
			}
		}
		return m.End()
	})
	fmt.Println("exit code", code)
	// Output:
	// Hello, world.
	// exit code 0
}

func ExampleActor_Message() {
	o := options()
	o.Partial = true
	em, _ := emit.New(context.Background(), o)
	defer em.Close()
	_ = pin(em).Init(event.Init{})

	m := em.Message("msg_1")
	_ = m.Text("Reading ")
	_ = m.Text("go.mod.")
	_ = m.ToolArgs("toolu_1", `{"path":`)
	_ = m.ToolArgs("toolu_1", `"go.mod"}`)
	_ = m.ToolUse("toolu_1", "read_file", nil) // nil: the joined fragments
	_ = m.End()
	_ = em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_1", Text: "module x"}}})
	_ = em.Finish(event.Result{})
	// Output:
	// {"type":"system","subtype":"init","session_id":"sess_1","seq":0,"ts":"2026-10-02T12:00:00.000Z","cwd":"/repo","demo_version":"1.0","agent":{"name":"demo","provider":"local","role":"primary"},"capabilities":["stream_v1","partial_messages_v1"],"_meta":{"run_id":"01HQ2RUN000000000000000000"}}
	// {"type":"stream_event","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Reading "}}}
	// {"type":"stream_event","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"go.mod."}}}
	// {"type":"stream_event","session_id":"sess_1","seq":3,"ts":"2026-10-02T12:00:00.000Z","event":{"type":"tool_args_delta","tool_use_id":"toolu_1","partial_json":"{\"path\":"}}
	// {"type":"stream_event","session_id":"sess_1","seq":4,"ts":"2026-10-02T12:00:00.000Z","event":{"type":"tool_args_delta","tool_use_id":"toolu_1","partial_json":"\"go.mod\"}"}}
	// {"type":"assistant","session_id":"sess_1","seq":5,"ts":"2026-10-02T12:00:00.000Z","agent":"primary","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Reading go.mod."},{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"go.mod"}}]}}
	// {"type":"user","session_id":"sess_1","seq":6,"ts":"2026-10-02T12:00:00.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"module x"}]}}
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":7,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":1,"duration_ms":0,"result":"Reading go.mod.","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
}

// newRun begins a run whose first line is written, so that an example shows
// what comes after it.
func newRun(o emit.Options) *emit.Emitter {
	show := o.Stdout
	o.Stdout = &later{w: show, skip: 1}
	em, err := emit.New(context.Background(), o)
	if err != nil {
		panic(err)
	}
	_ = pin(em).Init(event.Init{})
	return em
}

// A later writer leaves out the first lines.
type later struct {
	w    io.Writer
	skip int
}

func (l *later) Write(p []byte) (int, error) {
	if l.skip > 0 {
		l.skip--
		return len(p), nil
	}
	return l.w.Write(p)
}

// A sub-agent is a nested actor: its lines carry the id of the tool call that
// started it.
func ExampleActor_Nested() {
	em := newRun(options())
	_ = em.Emit(event.Assistant{Content: []event.Block{
		event.ToolUse{ID: "toolu_1", Name: "agent", Input: map[string]any{"task": "count files"}},
	}})
	sub := em.Nested("toolu_1", "counter")
	m := sub.Message("")
	_ = m.Text("7 files")
	_ = m.End()
	_ = sub.End()
	_ = em.Emit(event.User{Content: []event.ToolResult{{ToolUseID: "toolu_1", Text: "7 files"}}})
	_ = em.Finish(event.Result{Result: "There are 7 files."})
	// Output:
	// {"type":"assistant","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"agent","input":{"task":"count files"}}]}}
	// {"type":"assistant","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","parent_tool_use_id":"toolu_1","agent":"counter","message":{"role":"assistant","content":[{"type":"text","text":"7 files"}]}}
	// {"type":"user","session_id":"sess_1","seq":3,"ts":"2026-10-02T12:00:00.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"7 files"}]}}
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":4,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":1,"duration_ms":0,"result":"There are 7 files.","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
}

// Work that runs beside the body belongs under Go: the result waits for it, and
// its failure is the run's.
func ExampleActor_Go() {
	em := newRun(options())
	err := em.Do(func(ctx context.Context) error {
		em.Go(func(ctx context.Context) error {
			actor := emit.FromContext(ctx)
			return actor.Emit(event.Memory{Op: "record", Subject: "build command"})
		})
		return nil
	})
	fmt.Println(err, em.ExitCode())
	// Output:
	// {"type":"system","subtype":"memory","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","op":"record","subject":"build command"}
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":0,"duration_ms":0,"result":"","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
	// <nil> 0
}

// The low-level door: the index is the position of the block in the message
// that an Assistant event completes later.
func ExampleActor_Text() {
	o := options()
	o.Partial = true
	em := newRun(o)
	_ = em.Text(0, "Hel")
	_ = em.Text(0, "lo.")
	_ = em.Emit(event.Assistant{Content: []event.Block{event.Text{Text: "Hello."}}})
	_ = em.Finish(event.Result{})
	// Output:
	// {"type":"stream_event","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}}
	// {"type":"stream_event","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo."}}}
	// {"type":"assistant","session_id":"sess_1","seq":3,"ts":"2026-10-02T12:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}}
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":4,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":1,"duration_ms":0,"result":"Hello.","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
}

// A line of the program's own: readers that don't know its subtype ignore it.
func ExampleActor_Emit_ownSubtype() {
	em := newRun(options())
	_ = em.Emit(event.System{Subtype: "demo_index", Fields: struct {
		Files int    `json:"files"`
		Root  string `json:"root"`
	}{7, "."}})
	err := em.Emit(event.System{Subtype: "demo_index", Fields: map[string]any{"seq": 1}})
	fmt.Println(err)
	_ = em.Finish(event.Result{})
	// Output:
	// {"type":"system","subtype":"demo_index","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","files":7,"root":"."}
	// emit: system/demo_index refused: /seq: is a member of the envelope: choose another name for it
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":0,"duration_ms":0,"result":"","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
}

// Records of level warn and above stand in the stream, too.
func ExampleActor_SlogHandler() {
	em := newRun(options())
	log := slog.New(em.SlogHandler())
	log.Info("index loaded", "files", 7) // stderr only
	log.Warn("index is stale", "age", 3*time.Hour)
	_ = em.Finish(event.Result{})
	// Output:
	// {"type":"system","subtype":"warning","session_id":"sess_1","seq":1,"ts":"2026-10-02T12:00:00.000Z","category":"notice","message":"index is stale age=3h0m0s"}
	// {"type":"result","subtype":"success","session_id":"sess_1","seq":2,"ts":"2026-10-02T12:00:00.000Z","is_error":false,"num_turns":0,"duration_ms":0,"result":"","stop_reason":"end_turn","route_history":[{"turn":0,"target":"primary"}]}
}
