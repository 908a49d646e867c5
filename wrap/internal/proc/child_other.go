//go:build !linux && !darwin

package proc

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/streamjson/streamjson/exitcode"
)

// killName is what no command ends by where there are no signals.
const killName = ""

// A tree is what a command has started: it can't be found here.
type tree struct{}

func ownGroup(*exec.Cmd, bool) {}

func (c *child) await() { c.wait() }

// tell ends the command: there is no way to ask it.
func (c *child) tell(os.Signal) { c.kill() }

func (c *child) kill() { c.cmd.Process.Kill() }

func (c *child) signalRest(os.Signal)      {}
func (c *child) settle(time.Time)          {}
func (c *child) killRest(bool)             {}
func (c *child) adoptOrphans()             {}
func (c *child) leaveOrphans()             {}
func (c *child) reapOrphans(time.Duration) {}

// ending is the exit status, held to eight bits: zero stays what only success is.
func ending(state *os.ProcessState) (code int, signal string) {
	code = state.ExitCode()
	if code < 0 || code > 255 {
		code = exitcode.Failure
	}
	return code, ""
}

func isPath(key string) bool { return strings.EqualFold(key, "PATH") }

func hungUp(*os.File) bool { return false }

func readNow(*os.File, []byte) int { return 0 }

func widen(*os.File) {}

// A terminal is not to be had here.
type terminal struct{ file *os.File }

func openTerminal() (*terminal, *os.File, error) {
	return nil, nil, errors.New("there are no pseudo-terminals on this system")
}

func (t *terminal) stop() {}

// A foreground is not to be had here.
type foreground struct{}

func inForeground(*os.File) *foreground { return nil }

func (f *foreground) bring(int) {}
func (f *foreground) giveBack() {}
