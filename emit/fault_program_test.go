package emit_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// faultPrograms are the children of the tests with real processes.
func faultPrograms() map[string]func() int {
	return map[string]func() int{
		"bytewise": programBytewise,
		"stray":    programStray,
		"firehose": programFirehose,
		"waiter":   programWaiter,
		"ticker":   programTicker,
		"quick":    programQuick,
		"answer":   programAnswer,
		"abrupt":   programAbrupt,
		"finished": programFinished,
		"lastword": programLastWord,
		"chatty":   programChatty,
	}
}

// The variables by which a test tells a program what to do.
const (
	wireVariable  = "EMIT_TEST_WIRE"  // the format
	graceVariable = "EMIT_TEST_GRACE" // Options.Grace
	sizeVariable  = "EMIT_TEST_SIZE"  // how much
	wayVariable   = "EMIT_TEST_WAY"   // how

	signalsVariable = "EMIT_TEST_SIGNALS" // Options.Signals: a number
)

// programRun is Run with what the test has asked for.
func programRun(body func(context.Context, *emit.Emitter) error) int {
	return programRunIn(context.Background(), body)
}

func programRunIn(ctx context.Context, body func(context.Context, *emit.Emitter) error) int {
	o := emit.Options{Product: "kit", Version: "1", Partial: true}
	if name := os.Getenv(wireVariable); name != "" {
		must1(o.Format.Set(name))
	}
	if text := os.Getenv(graceVariable); text != "" {
		grace, err := time.ParseDuration(text)
		must1(err)
		o.Grace = grace
	}
	if text := os.Getenv(signalsVariable); text != "" {
		n, err := strconv.Atoi(text)
		must1(err)
		o.Signals = []os.Signal{syscall.Signal(n)}
	}
	return emit.Run(ctx, o, body)
}

func programSize(standard int) int {
	if text := os.Getenv(sizeVariable); text != "" {
		n, err := strconv.Atoi(text)
		must1(err)
		return n
	}
	return standard
}

// say tells the test something on stderr, not by way of the emitter.
func talk(what string) { fmt.Fprintln(os.Stderr, what) }

// programBytewise reads its stdin one byte at a time, a system call each, and
// says in the end what it has read.
func programBytewise() int {
	var all []byte
	for b := make([]byte, 1); ; all = append(all, b[0]) {
		n, err := syscall.Read(syscall.Stdin, b)
		for errors.Is(err, syscall.EINTR) {
			n, err = syscall.Read(syscall.Stdin, b)
		}
		must1(err)
		if n == 0 {
			break
		}
	}
	_, err := os.Stdout.Write(all)
	must1(err)
	return 0
}

// programStray emits events of 1 MB while a library prints to stdout in each
// way that there is, before, meanwhile and afterwards.
func programStray() int {
	stdout := os.NewFile(1, "another name for stdout")
	fmt.Println("stray: early") // nothing is claimed yet: the test expects it
	code := programRun(func(_ context.Context, em *emit.Emitter) error {
		quit, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			for i := 0; ; i++ {
				n := rand.IntN(100)
				if ways := []int{0, 30, 60, 99}; i < len(ways) {
					n = ways[i] // each of them once at least
				} else if isClosed(quit) {
					return
				}
				printStray(stdout, n)
				time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) // the prints come at random times
			}
		}()
		for i := range programSize(8) {
			must1(em.Emit(event.Warning{Category: "big", Message: strings.Repeat(strconv.Itoa(i%10), 1<<20)}))
		}
		close(quit)
		<-over
		return nil
	})
	fmt.Println("stray: late")
	_, _ = stdout.WriteString("stray: latest\n")
	return code
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// printStray prints to stdout in the way that n out of a hundred chooses.
func printStray(stdout *os.File, n int) {
	switch {
	case n < 30:
		fmt.Println("stray: Println")
	case n < 60:
		_, _ = stdout.WriteString("stray: descriptor 1\n")
	case n < 98:
		log.New(os.Stdout, "stray: ", 0).Print("log")
	default:
		cmd := exec.Command(os.Args[0])
		cmd.Env = childEnv("nosuchprogram") // says so on its stderr
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
		_ = cmd.Run()
	}
}

// programFirehose emits until it can't.
func programFirehose() int {
	return programRun(func(_ context.Context, em *emit.Emitter) error {
		for i := 0; ; i++ {
			if err := em.Emit(event.Warning{Category: "fire", Message: strconv.Itoa(i) + strings.Repeat("x", programSize(8000))}); err != nil {
				return err
			}
		}
	})
}

// programWaiter opens a tool call, a task and a nested one, and then waits for a
// model that never answers.
func programWaiter() int {
	return programRun(func(ctx context.Context, em *emit.Emitter) error {
		if err := errors.Join(openSome(em), em.Emit(event.State{SessionState: "running"})); err != nil {
			return err
		}
		talk("waiting")
		<-ctx.Done()
		talk("cancelled")
		switch os.Getenv(wayVariable) {
		case "nil":
			return nil
		case "error":
			return errors.New("the body's own error")
		case "never":
			select {}
		default:
			return ctx.Err()
		}
	})
}

func openSome(em *emit.Emitter) error {
	m := em.Message("m1")
	nested := em.Nested("call_1", "helper")
	return errors.Join(
		m.Text("so far"), m.ToolUse("call_1", "Bash", nil), m.ToolUse("call_2", "Read", map[string]any{"path": "x"}), m.End(),
		nested.Emit(event.TaskStarted{TaskID: "task_1", Kind: "tool_agent"}),
		nested.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: "call_3", Name: "Bash"}}}),
		em.Message("m2").Text("and then"),
	)
}

// programTicker works until it is told to stop, and never leaves a tool call
// unanswered by itself.
func programTicker() int {
	return programRun(func(ctx context.Context, em *emit.Emitter) error {
		if err := openSome(em); err != nil {
			return err
		}
		work := em.Nested("call_2", "worker")
		for i := 0; ctx.Err() == nil; i++ {
			id := "tick_" + strconv.Itoa(i)
			if err := work.Emit(event.Assistant{Content: []event.Block{event.ToolUse{ID: id, Name: "tick"}}}); err != nil {
				return err
			}
			if ctx.Err() != nil {
				break // no further step of a cancelled run
			}
			if err := work.Emit(event.User{Content: []event.ToolResult{{ToolUseID: id, Text: strings.Repeat("y", programSize(10))}}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// programQuick is a run that is over soon.
func programQuick() int {
	return programRun(func(_ context.Context, em *emit.Emitter) error {
		return errors.Join(em.Emit(event.State{SessionState: "running"}), em.Message("m").Text("hello"))
	})
}

// programAnswer has a long final text, and ends as the test wants.
func programAnswer() int {
	return programRun(func(_ context.Context, em *emit.Emitter) error {
		m := em.Message("m")
		if err := errors.Join(m.Text(strings.Repeat("0123456789abcdef", programSize(1<<20)/16)), m.End()); err != nil {
			return err
		}
		if os.Getenv(wayVariable) == "turns" {
			return emit.ErrMaxTurns
		}
		return nil
	})
}

// programAbrupt ends its process right behind an event.
func programAbrupt() int {
	return programRun(func(_ context.Context, em *emit.Emitter) error {
		for i := range programSize(100) {
			must1(em.Emit(event.Warning{Category: "x", Message: strconv.Itoa(i)}))
		}
		switch os.Getenv(wayVariable) {
		case "os.Exit":
			os.Exit(7)
		case "log.Fatal":
			log.Fatal("fatal: the end")
		case "zerolog":
			em.Log().Fatal().Msg("fatal: the end")
		case "bare panic":
			go func() { panic("fatal: the end") }()
			select {}
		case "SIGKILL":
			self, err := os.FindProcess(os.Getpid())
			must1(err)
			must1(self.Kill())
			select {}
		}
		return nil
	})
}

// programFinished has called Finish when the signal comes.
func programFinished() int {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGTERM)
	return programRun(func(_ context.Context, em *emit.Emitter) error {
		must1(em.Finish(event.Result{Result: "done"}))
		<-came
		return errors.New("too late")
	})
}

// programLastWord signals itself once its run is cancelled, because its stdout is
// broken or because its time is over, and before its body returns.
func programLastWord() int {
	came := make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGTERM)
	ctx := context.Background()
	if os.Getenv(wayVariable) == "timeout" {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, 10*time.Millisecond)
		defer stop()
	}
	return programRunIn(ctx, func(ctx context.Context, em *emit.Emitter) error {
		if err := em.Emit(event.State{SessionState: "running"}); err != nil {
			return err
		}
		<-ctx.Done()
		self, err := os.FindProcess(os.Getpid())
		must1(err)
		must1(self.Signal(syscall.SIGTERM))
		<-came
		signal.Stop(came) // returns when all others have the signal, too
		return ctx.Err()
	})
}

// programChatty has a lot to say to people.
func programChatty() int {
	return programRun(func(_ context.Context, em *emit.Emitter) error {
		must1(em.Emit(event.State{SessionState: "running"}))
		for i := range programSize(2000) {
			em.Log().Warn().Int("i", i).Msg(strings.Repeat("chatter ", 20))
		}
		switch os.Getenv(wayVariable) {
		case "panic":
			panic("the end of the chatter")
		case "own":
			talk("words of its own")
		}
		return nil
	})
}
