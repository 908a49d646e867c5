package emit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
	"github.com/streamjson/streamjson/stdio"
)

// splitRuns checks that data is whole runs back to back, and returns them
// (contract section 1, D12).
func splitRuns(t *testing.T, data []byte) [][]record {
	t.Helper()
	var runs [][]record
	for len(data) > 0 {
		at := bytes.Index(data, []byte(`{"type":"result"`))
		if at < 0 {
			t.Fatalf("no result in %.300q", data)
		}
		end := at + bytes.IndexByte(data[at:], '\n') + 1
		runs, data = append(runs, whole(t, data[:end])), data[end:]
	}
	return runs
}

// checkApart checks that runs have ids of their own.
func checkApart(t *testing.T, runs [][]record, sessions int) {
	t.Helper()
	runIDs, sessionIDs := map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		runIDs[r[0].str("_meta", "run_id")] = true
		sessionIDs[r[0].str("session_id")] = true
	}
	if len(runIDs) != len(runs) || len(sessionIDs) != sessions {
		t.Errorf("%d run ids and %d session ids in %d runs", len(runIDs), len(sessionIDs), len(runs))
	}
}

// One Stdout serves several runs in turn, and one at a time.
func TestRunsInTurnOnOneStdout(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	must(t, err)
	defer f.Close()
	out := stdio.FromFile(f)
	for i := range 3 {
		em := begin(t, quiet(out))
		if _, err := emit.New(t.Context(), quiet(out)); !errors.Is(err, stdio.ErrInUse) || !strings.Contains(err.Error(), "finish that one first") {
			t.Errorf("a run at the same time: %v", err)
		}
		if _, err := emit.New(t.Context(), quiet(f)); !errors.Is(err, stdio.ErrInUse) {
			t.Errorf("a run on the file itself: %v", err)
		}
		switch i {
		case 0:
			must(t, em.Emit(own("i", i)), em.Finish(event.Result{}))
		case 1:
			must(t, em.Emit(own("i", i)), em.Close())
		default:
			must(t, em.Do(func(context.Context) error { return em.Emit(own("i", i)) }))
		}
	}
	data, err := os.ReadFile(f.Name())
	must(t, err)
	runs := splitRuns(t, data)
	for i, r := range runs {
		if fmt.Sprint(r[1].at("i")) != fmt.Sprint(i) {
			t.Errorf("run %d: %s", i, r[1].raw)
		}
	}
	if len(runs) != 3 {
		t.Errorf("%d runs", len(runs))
	}
	checkApart(t, runs, 1)
}

// Two files may well be the same one; descriptors are what is refused.
func TestRunsOnTwoDescriptorsOfOneFile(t *testing.T) {
	open := func() *os.File {
		f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		must(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := begin(t, quiet(open())), begin(t, quiet(open()))
	must(t, first.Finish(event.Result{}), second.Finish(event.Result{}))
}

// childTwice does several runs on the process's stdout, one after the other,
// by each door; what is printed between them is no part of them.
func childTwice() int {
	for i := range 2 {
		code := runChild(func(_ context.Context, em *emit.Emitter) error { return em.Emit(own("i", i)) })
		if code != 0 {
			return code
		}
		fmt.Println("between the runs")
	}
	em, err := emit.New(context.Background(), childOptions())
	if err != nil {
		return 98
	}
	if em.Emit(own("i", 2)) != nil || em.Finish(event.Result{}) != nil {
		return 97
	}
	fmt.Println("between the runs")
	o := childOptions()
	o.Stdout = os.Stdout // which is the process's
	return emit.Run(context.Background(), o, func(_ context.Context, em *emit.Emitter) error { return em.Emit(own("i", 3)) })
}

// childDescriptors does many runs on the process's stdout, some of which are
// refused, and tells how many descriptors it has open before and after.
func childDescriptors() int {
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			panic(err)
		}
		return len(list)
	}
	before := 0
	for i := range 40 {
		for _, format := range []emit.Format{emit.FormatText, emit.FormatStreamJSON, emit.FormatJSON} {
			o := emit.Options{Format: format, Quiet: true}
			em, err := emit.New(context.Background(), o)
			if err != nil {
				panic(err)
			}
			for _, also := range []emit.Format{emit.FormatText, emit.FormatStreamJSON} {
				if _, err := emit.New(context.Background(), emit.Options{Format: also}); err == nil {
					panic("a second run on stdout was taken")
				}
			}
			o.MaxLineBytes = 1
			if _, err := emit.New(context.Background(), o); err == nil {
				panic("lines of one byte were taken")
			}
			_ = em.Finish(event.Result{})
		}
		if i == 0 {
			before = count()
		}
	}
	fmt.Fprintf(os.Stderr, "%d more\n", count()-before)
	return 0
}

// A run that is over, and one that was refused, leaves no descriptor open.
func TestRunsLeaveNoDescriptors(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	got := finish(t, child(t, "descriptors"))
	if string(got.stderr) != "0 more\n" || got.code != 0 {
		t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
	}
}

// A process that runs several prompts writes whole runs back to back.
func TestRunsBackToBackOnTheProcessStdout(t *testing.T) {
	got := finish(t, child(t, "twice"))
	runs := splitRuns(t, got.stdout)
	if len(runs) != 4 || got.code != 0 {
		t.Fatalf("exit code %d, %d runs, stderr %s", got.code, len(runs), got.stderr)
	}
	for i, r := range runs {
		if s := kinds(r); s != "init own result/success" || fmt.Sprint(r[1].at("i")) != fmt.Sprint(i) {
			t.Errorf("run %d: %s", i, s)
		}
	}
	checkApart(t, runs, 4)
	if n := strings.Count(string(got.stderr), "between the runs\n"); n != 3 {
		t.Errorf("stderr %q", got.stderr)
	}
}
