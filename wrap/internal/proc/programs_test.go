//go:build linux

package proc_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/streamjson/streamjson/wrap/internal/proc"
)

// programs are what this test binary can be instead of the tests.
func programs() map[string]func(args []string) int {
	return map[string]func(args []string) int{
		"forever": runForever,
		"front":   runInFront,
		"sole":    runAsSoleParent,
		"other":   runBesideAnother,
		"size":    runSize,
		"leave":   leaveGroup,
	}
}

// runForever runs a command that does not end, with a goroutine ending its
// thread now and then, and prints the command's id.
func runForever([]string) int {
	go func() {
		for {
			done := make(chan struct{})
			go func() {
				defer close(done)
				runtime.LockOSThread() // and never unlocked: the thread ends
			}()
			<-done
			time.Sleep(time.Millisecond)
		}
	}()
	e, err := proc.Run(context.Background(), proc.Spec{
		Argv: []string{"sleep", "600"}, Grace: long,
		Started: func(pid int) { fmt.Println(pid) },
	})
	fmt.Println(e, err)
	return 1
}

// runInFront runs a command that reads the terminal, then reads it itself.
func runInFront(args []string) int {
	e, err := proc.Run(context.Background(), proc.Spec{
		Argv: sh(args[0]), Grace: time.Second, Stdin: proc.Inherit,
		Stdout: os.Stdout, Stderr: os.Stderr,
	})
	fmt.Printf("exit %d %v\n", e.Code, err)
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Printf("mine [%s]\n", strings.TrimSpace(line))
	return 0
}

// runAsSoleParent runs a script as a program whose only child it is, and tells
// how that went and what children are left.
func runAsSoleParent(args []string) int {
	proc.Run(context.Background(), proc.Spec{Argv: []string{"true"}}) // opens what the runtime keeps
	before := descriptors()
	e, err := proc.Run(context.Background(), proc.Spec{
		Argv: sh(args[0]), Grace: 100 * time.Millisecond, SoleParent: true,
		Stdout: os.Stdout, Stderr: os.Stderr,
	})
	fmt.Printf("exit %d held %v %v children %d descriptors %d\n", e.Code, e.Held, err, len(children()), descriptors()-before)
	return 0
}

// runBesideAnother runs commands while a child of somebody else in the process
// has ended, and tells whether that one's status is still to be had.
func runBesideAnother([]string) int {
	other := exec.Command("sh", "-c", "exit 42")
	if err := other.Start(); err != nil {
		return 1
	}
	for range 20 {
		proc.Run(context.Background(), proc.Spec{Argv: sh("setsid true & true"), Grace: time.Second})
	}
	other.Wait()
	fmt.Println("status", other.ProcessState.ExitCode())
	return 0
}

// runSize runs a command on a terminal of its own that shows its size, again
// when it changes.
func runSize([]string) int {
	e, err := proc.Run(context.Background(), proc.Spec{
		Argv: []string{"bash", "-c", "show() { echo size $(stty size </dev/tty); }; trap 'show; exit' WINCH; show; while :; do sleep 0.01; done"},
		PTY:  true, Grace: long, Stdout: os.Stdout,
	})
	fmt.Println("done", e.Code, err)
	return 0
}

// leaveGroup goes over to another group of its session and is deaf there.
func leaveGroup([]string) int {
	signal.Ignore(syscall.SIGTERM)
	other := exec.Command("sleep", "600")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := other.Start(); err != nil {
		return 1
	}
	if err := syscall.Setpgid(0, other.Process.Pid); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(other.Process.Pid)
	other.Wait()
	time.Sleep(time.Hour)
	return 0
}
