package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/streamjson/streamjson/exitcode"
)

// A child is a command that was started.
type child struct {
	cmd    *exec.Cmd
	pid    int
	sole   bool          // Spec.SoleParent
	exited chan struct{} // closed when it has ended
	front  *foreground   // nil unless it stands in the foreground of a terminal

	waited  bool // it was reaped, with waitErr
	waitErr error

	tree // what it has started
}

// start opens the streams and starts the command.
func (r *run) start() *StartError {
	s := &r.spec
	path, failed := find(s)
	if failed != nil {
		return failed
	}
	// Not exec.Command: the program has been found already.
	cmd := &exec.Cmd{Path: path, Args: s.Argv, Dir: s.Dir, Env: s.Env}
	if s.Stdin == Inherit {
		cmd.Stdin = os.Stdin
	}
	theirs, err := r.open(cmd)
	if err != nil {
		return cannotStart(s, err)
	}
	c := &child{cmd: cmd, sole: s.SoleParent, exited: make(chan struct{})}
	if s.Stdin == Inherit && !s.PTY {
		c.front = inForeground(os.Stdin)
	}
	err = c.launch()
	for _, f := range theirs {
		f.Close() // or their streams would never end
	}
	if err != nil {
		r.close()
		return cannotStart(s, err)
	}
	r.child = c
	return nil
}

// open makes the streams and gives their other ends to cmd. It returns those
// ends, to be closed after the start.
func (r *run) open(cmd *exec.Cmd) (theirs []*os.File, err error) {
	ownGroup(cmd, r.spec.PTY)
	if r.spec.PTY {
		t, tty, err := openTerminal()
		if err != nil { // not wrapped: that a device is missing is not that the command is
			return nil, fmt.Errorf("no terminal can be had for it: %v", err)
		}
		cmd.Stdout, cmd.Stderr = tty, tty
		r.terminal = t
		r.streams = []*stream{newStream("output", t.file, r.spec.Stdout)}
		return []*os.File{tty}, nil
	}
	stdout, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stderr, theirErr, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdout.Close(), theirOut.Close())
	}
	widen(stdout)
	widen(stderr)
	cmd.Stdout, cmd.Stderr = theirOut, theirErr
	r.streams = []*stream{
		newStream("stdout", stdout, r.spec.Stdout),
		newStream("stderr", stderr, r.spec.Stderr),
	}
	return []*os.File{theirOut, theirErr}, nil
}

// launch starts the command from a thread that is kept until it has ended: the
// death that a command is given on Linux comes with that of the thread which
// has started it, not of the process.
func (c *child) launch() error {
	c.adoptOrphans()
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		if err != nil {
			started <- err
			return
		}
		c.pid = c.cmd.Process.Pid
		c.front.bring(c.pid)
		started <- nil
		c.await()
		close(c.exited)
	}()
	err := <-started
	if err != nil {
		c.leaveOrphans()
	}
	return err
}

// wait reaps the command, once.
func (c *child) wait() {
	if !c.waited {
		c.waited, c.waitErr = true, c.cmd.Wait()
	}
}

// reap reaps the command, and what it has left behind if that is ours, and
// fills in how it ended. Limit is how long killed orphans are waited for.
func (c *child) reap(e *Exit, limit time.Duration) error {
	c.wait()
	c.front.giveBack()
	c.reapOrphans(limit)
	c.leaveOrphans()
	state := c.cmd.ProcessState
	if state == nil {
		e.Code = exitcode.Failure
		return fmt.Errorf("the command's exit status can't be had, something else in this process may have taken it: %w", c.waitErr)
	}
	e.Code, e.Signal = ending(state)
	e.Killed = e.Killed && e.Signal == killName
	return nil
}
