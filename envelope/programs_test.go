package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
)

type body = func(context.Context, *envelope.Call) (any, error)

// programs are the programs that this test binary can be.
func programs() map[string]func() int {
	return map[string]func() int{
		"size":   sizeProgram,
		"emit":   emitProgram,
		"prints": printsProgram,
		"until":  func() int { return runAs(untilStopped) },
		"stuck":  func() int { return runAs(stuck) },
		"linger": lingerProgram,
		"pick":   func() int { return runAs(pick) },
		"hang":   func() int { return runAs(hangingMarshaller) },
		"late":   lateProgram,
		"nested": nestedProgram,
	}
}

// ready tells the test that what it waits for has begun.
func ready() { _, _ = os.Stderr.WriteString("ready\n") }

// runAs runs a body in the way that the environment says.
func runAs(b body) int {
	return envelope.Run(context.Background(), optionsFromEnv(), b)
}

func optionsFromEnv() envelope.RunOptions {
	duration := func(name string) time.Duration {
		d, _ := time.ParseDuration(os.Getenv(name))
		return d
	}
	return envelope.RunOptions{
		JSON:      os.Getenv("MODE") != "human",
		Name:      "prog",
		Timeout:   duration("TIMEOUT"),
		Grace:     duration("GRACE"),
		Heartbeat: duration("HEARTBEAT"),
		Human: func(w io.Writer, data any) error {
			_, err := fmt.Fprintln(w, "human:", data)
			return err
		},
	}
}

// sizeProgram answers with SIZE bytes of data, and fails if FAIL says so.
func sizeProgram() int {
	return runAs(func(context.Context, *envelope.Call) (any, error) {
		n, err := strconv.Atoi(os.Getenv("SIZE"))
		if err != nil {
			return nil, err
		}
		ready()
		return strings.Repeat("0123456789abcde\n", n/16), failure()
	})
}

func failure() error {
	if os.Getenv("FAIL") != "" {
		return errors.New("failed on purpose")
	}
	return nil
}

// emitProgram is the smallest program, and exits at once (rows 26 and 29).
func emitProgram() int {
	n, _ := strconv.Atoi(os.Getenv("SIZE"))
	ready()
	code, err := envelope.EmitJSON(os.Stdout, strings.Repeat("x", n), envelope.Err(failure()))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// noisy prints to stdout when it is encoded.
type noisy struct{}

func (noisy) MarshalJSON() ([]byte, error) {
	fmt.Println("stray: marshaller")
	return []byte(`"quiet"`), nil
}

// printsProgram prints to stdout in every way and at every time.
func printsProgram() int {
	defer fmt.Println("stray: deferred function of main")
	code := runAs(func(context.Context, *envelope.Call) (any, error) {
		fmt.Println("stray: library")
		_, _ = syscall.Write(1, []byte("stray: raw descriptor\n"))
		child := exec.Command("sh", "-c", "echo stray: child; (echo stray: grandchild)")
		child.Stdout = os.Stdout
		_ = child.Run()
		child = exec.Command("sh", "-c", "echo stray: child with descriptor 1")
		child.Stdout = os.NewFile(1, "stdout")
		_ = child.Run()
		return noisy{}, failure()
	})
	fmt.Println("stray: behind Run; a new version is out!")
	return code
}

// untilStopped works until its context is done. RETURN says what it does then.
func untilStopped(ctx context.Context, call *envelope.Call) (any, error) {
	ready()
	<-ctx.Done()
	switch os.Getenv("RETURN") {
	case "nil":
		return "partial", nil
	case "error":
		return "partial", errors.Join(errors.New("own trouble"), ctx.Err())
	case "panic":
		panic("while stopping")
	case "print":
		for range 10 {
			fmt.Println("for nobody")
		}
		call.Warn("cleaned up")
		return nil, nil
	case "code":
		return nil, exitcode.Error{Code: 9, Err: context.Cause(ctx)}
	}
	call.Warn("stopping")
	if os.Getenv("RETURN") == "stdin" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	return "partial", ctx.Err()
}

func stuck(context.Context, *envelope.Call) (any, error) {
	ready()
	select {}
}

// lingerProgram lives on after its document is out.
func lingerProgram() int {
	code := runAs(func(context.Context, *envelope.Call) (any, error) { return "done", failure() })
	ready()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return code
}

// pick ends as CASE says.
func pick(ctx context.Context, call *envelope.Call) (any, error) {
	switch name := os.Getenv("CASE"); name {
	case "ok":
		return "data", nil
	case "warn":
		call.Warn("beware")
		return "data", nil
	case "error":
		return nil, errors.New("no such module")
	case "partial":
		return "some", envelope.WithHint(errors.New("the rest is missing"), "try again")
	case "joined":
		return nil, errors.Join(errors.New("first"), errors.New("second"))
	case "status":
		return nil, exitcode.Error{Code: 42, Err: errors.New("special")}
	case "usage":
		return nil, &envelope.UsageError{Err: errors.New("MODULE is missing"), Usage: "Usage: prog MODULE\n"}
	case "panic":
		panic(fmt.Sprintf("broken invariant, JSON %v", call.JSON()))
	case "goexit":
		runtime.Goexit()
	case "timeout":
		<-ctx.Done()
		return nil, ctx.Err()
	case "nan":
		return math.NaN(), nil
	case "beat":
		<-ctx.Done()
		return nil, nil
	default:
		return nil, fmt.Errorf("no case %q", name)
	}
	return nil, nil
}

type endless struct{}

func (endless) MarshalJSON() ([]byte, error) {
	ready()
	select {}
}

func hangingMarshaller(context.Context, *envelope.Call) (any, error) { return endless{}, nil }

// lateProgram warns and prints from a goroutine that outlives the body.
func lateProgram() int {
	ended := make(chan struct{})
	finished := make(chan struct{})
	code := runAs(func(_ context.Context, call *envelope.Call) (any, error) {
		go func() {
			defer close(finished)
			<-ended
			call.Warn("too late for the document")
			fmt.Println("stray: update check of a goroutine") // rows 52 and 53
		}()
		return "data", nil
	})
	close(ended)
	<-finished
	return code
}

// nestedProgram runs a command inside of a command.
func nestedProgram() int {
	return runAs(func(context.Context, *envelope.Call) (any, error) {
		inner := runAs(func(context.Context, *envelope.Call) (any, error) { return "inner", nil })
		return map[string]int{"inner": inner}, nil
	})
}
