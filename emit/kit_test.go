package emit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit"
)

// hangGuard is far above what any step takes: it only turns a hang into a
// failure.
const hangGuard = 30 * time.Second

// A tape is a writer that keeps what it was given, call by call.
type tape struct {
	mu    sync.Mutex
	data  []byte
	sizes []int
}

func (w *tape) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.data = append(w.data, p...)
	w.sizes = append(w.sizes, len(p))
	return len(p), nil
}

func (w *tape) bytes() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.data)
}

func (w *tape) String() string { return string(w.bytes()) }

func (w *tape) calls() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.sizes)
}

// A writeFunc is a writer that does as a test says.
type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// quiet returns options with the given stdout and no prose.
func quiet(w io.Writer) emit.Options {
	return emit.Options{Product: "kit", Version: "1", SessionID: "sess_kit", Stdout: w, Stderr: io.Discard, Signals: noSignals}
}

func begin(t testing.TB, o emit.Options) *emit.Emitter {
	t.Helper()
	em, err := emit.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = em.Close() })
	return em
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// within fails the test if f does not return.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(hangGuard):
		t.Fatal(what, "hangs")
	}
}

// eventually polls until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(hangGuard); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: ", what)
		}
	}
}

// A record is one line of a stream, as a reader sees it. It knows nothing of
// the code that wrote it.
type record struct {
	raw    []byte
	object map[string]any // numbers as json.Number
	keys   []string       // of the object, in order
}

func (r record) str(path ...string) string {
	s, _ := r.at(path...).(string)
	return s
}

func (r record) at(path ...string) any {
	var v any = r.object
	for _, name := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			i := int(name[0] - '0')
			if len(name) != 1 || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// kind is type, or type/subtype, or stream_event/type.
func (r record) kind() string {
	switch typ := r.str("type"); typ {
	case "system", "result":
		return typ + "/" + r.str("subtype")
	case "stream_event":
		return typ + "/" + r.str("event", "type")
	default:
		return typ
	}
}

func kinds(records []record) string {
	list := make([]string, len(records))
	for i, r := range records {
		list[i] = strings.TrimPrefix(r.kind(), "system/")
	}
	return strings.Join(list, " ")
}

// ofKind returns the records of a kind.
func ofKind(records []record, kind string) []record {
	return slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.kind() != kind })
}

// parse decodes one JSON object, and refuses what encoding/json lets pass:
// invalid UTF-8, keys that stand twice, raw control characters.
func parse(line []byte) (record, error) {
	r := record{raw: line}
	if !utf8.Valid(line) {
		return r, errors.New("invalid UTF-8")
	}
	for _, c := range string(line) {
		if c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff && bytes.HasPrefix(line, []byte("\ufeff")) {
			return r, fmt.Errorf("the character %U stands there raw", c)
		}
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	v, keys, err := value(d)
	if err != nil {
		return r, err
	}
	if _, err := d.Token(); err != io.EOF {
		return r, errors.New("more than one value")
	}
	object, ok := v.(map[string]any)
	if !ok {
		return r, errors.New("not an object")
	}
	r.object, r.keys = object, keys
	return r, nil
}

// value decodes the next value token by token, so that it sees each key.
func value(d *json.Decoder) (v any, keys []string, err error) {
	token, err := d.Token()
	if err != nil {
		return nil, nil, err
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, nil, err
			}
			name := key.(string)
			if _, twice := object[name]; twice {
				return nil, nil, fmt.Errorf("the key %q stands twice", name)
			}
			keys = append(keys, name)
			if object[name], _, err = value(d); err != nil {
				return nil, nil, err
			}
		}
		_, err = d.Token()
		return object, keys, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			element, _, err := value(d)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, element)
		}
		_, err = d.Token()
		return list, nil, err
	}
	return token, nil, nil
}

// lines parses whole lines; what stands behind the last newline comes back.
func lines(t testing.TB, data []byte) (records []record, cut []byte) {
	t.Helper()
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			return records, data
		}
		r, err := parse(data[:end])
		if err != nil {
			t.Fatalf("line %d: %v: %.300q", len(records), err, data[:end])
		}
		records, data = append(records, r), data[end+1:]
	}
	return records, nil
}

var stampForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// checkPrefix checks whatever holds for the beginning of any stream, be it
// ended or not.
func checkPrefix(t testing.TB, records []record) {
	t.Helper()
	open := map[string]bool{}
	for i, r := range records {
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("line %d: %s: %.300s", i, fmt.Sprintf(format, args...), r.raw)
		}
		if seq := fmt.Sprint(r.at("seq")); seq != fmt.Sprint(i) {
			fail("seq is %s", seq)
		}
		if !stampForm.MatchString(r.str("ts")) {
			fail("ts is %q", r.str("ts"))
		}
		if i > 0 && (r.str("ts") < records[i-1].str("ts") || r.str("session_id") != records[0].str("session_id")) {
			fail("ts runs backwards, or another session_id, after %.120s", records[i-1].raw)
		}
		checkOrder(r.keys, fail)
		if first := r.kind() == "system/init"; first != (i == 0) {
			fail("init at the wrong place")
		}
		if r.kind() == "result/"+r.str("subtype") && i != len(records)-1 {
			fail("something follows the result")
		}
		checkOpened(r, open, fail)
	}
	if len(records) > 0 && records[len(records)-1].str("type") == "result" {
		for id := range open {
			t.Errorf("%s is open at the result", id)
		}
	}
}

// checkOrder checks the order of the envelope's members (contract F7).
func checkOrder(keys []string, fail func(string, ...any)) {
	head := []string{"type", "subtype", "session_id", "seq", "ts", "parent_tool_use_id"}
	at := 0
	for i, key := range keys {
		place := slices.Index(head, key)
		switch {
		case place >= 0 && (i > at || at > 0 && place <= slices.Index(head, keys[at-1])):
			fail("member %s at the wrong place", key)
		case place >= 0:
			at = i + 1
		case key == "_meta" && i != len(keys)-1:
			fail("_meta is not the last member")
		case key == "extension" && i < len(keys)-1 && keys[i+1] != "_meta":
			fail("extension at the wrong place")
		}
	}
}

// checkOpened follows tool calls and tasks (contract section 3).
func checkOpened(r record, open map[string]bool, fail func(string, ...any)) {
	set := func(class, id string, opens bool) {
		if id == "" || open[class+id] == opens {
			fail("%s %q is opened twice, or not open, or empty", class, id)
		}
		if opens {
			open[class+id] = true
		} else {
			delete(open, class+id)
		}
	}
	content, _ := r.at("message", "content").([]any)
	for _, b := range content {
		switch block, _ := b.(map[string]any); block["type"] {
		case "tool_use":
			id, _ := block["id"].(string)
			set("tool ", id, true)
		case "tool_result":
			id, _ := block["tool_use_id"].(string)
			set("tool ", id, false)
		}
	}
	switch r.kind() {
	case "system/task_started":
		set("task ", r.str("task_id"), true)
	case "system/task_progress":
		if !open["task "+r.str("task_id")] {
			fail("progress of a task that does not run")
		}
	case "system/task_notification":
		set("task ", r.str("task_id"), false)
	}
}

// whole checks a complete stream, and returns its records.
func whole(t testing.TB, data []byte) []record {
	t.Helper()
	records, cut := lines(t, data)
	if len(cut) > 0 {
		t.Fatalf("the stream ends within a line: %.300q", cut)
	}
	if len(records) < 2 {
		t.Fatalf("%d lines are no stream: %.300q", len(records), data)
	}
	checkPrefix(t, records)
	checkResult(t, records[len(records)-1])
	return records
}

// checkResult checks the terminal line.
func checkResult(t testing.TB, r record) {
	t.Helper()
	if r.str("type") != "result" {
		t.Fatalf("the last line is no result: %.300s", r.raw)
	}
	isError, ok := r.at("is_error").(bool)
	errs, has := r.at("errors").([]any)
	if !ok || isError != has || isError && len(errs) == 0 {
		t.Errorf("is_error and errors do not agree: %.300s", r.raw)
	}
	for _, key := range []string{"num_turns", "duration_ms", "result", "stop_reason", "subtype"} {
		if r.at(key) == nil {
			t.Errorf("the result lacks %s: %.300s", key, r.raw)
		}
	}
}

// last returns the terminal record.
func last(records []record) record { return records[len(records)-1] }

// errorsOf returns the errors of a result, joined.
func errorsOf(r record) string {
	list, _ := r.at("errors").([]any)
	text := make([]string, len(list))
	for i, e := range list {
		text[i], _ = e.(string)
	}
	return strings.Join(text, "\n")
}
