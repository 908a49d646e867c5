// Package envelopetest keeps a program's --json from rotting. A [Guard] holds
// the register of the program's commands: those whose answer in JSON is stable,
// which must never lose it, and those where it is pending, which must not have
// it yet, so that the list of what is left to do stays true.
//
//	func TestJSON(t *testing.T) {
//		envelopetest.Guard{
//			Run: run, // func(args []string, stdin io.Reader, stdout, stderr io.Writer) int
//			Stable: []envelopetest.Command{
//				{Name: "list"},
//				{Name: "show", OK: []string{"example.com/m"}, Fail: []string{"no/such"}},
//			},
//			Pending: []envelopetest.Command{{Name: "graph"}},
//		}.Test(t)
//	}
package envelopetest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// Command is an entry of the register.
type Command struct {
	// Name is the command as people type it, without the program: "list", "mod
	// tidy"; "" for a program that has no commands.
	Name string
	// OK are arguments behind the name with which it succeeds.
	OK []string
	// Fail are arguments with which it fails; nil: a flag that it doesn't have.
	Fail []string
	// Stdin is what it may read.
	Stdin string
	// Why says, for a pending command, what it is waiting for.
	Why string
}

// Guard is the register of a program and the way to run it. Set Run or Program.
type Guard struct {
	// Run runs the program in-process and returns its exit status. It must write
	// to the writers that it is given.
	Run func(args []string, stdin io.Reader, stdout, stderr io.Writer) (exitCode int)
	// Program is the path of a built program, followed by arguments that come
	// before all others. Real processes also show what is printed to descriptor 1
	// behind the program's back.
	Program []string
	// Dir and Env (added to that of the test) are for Program.
	Dir string
	Env []string

	// Flag asks for JSON; default "--json".
	Flag string
	// Stable commands answer with one envelope, whose ok is what the exit status
	// says, and nothing else on stdout: on success, on failure, on a flag that
	// they don't have, before and behind it.
	Stable []Command
	// Pending commands have no such answer yet. A refusal in an envelope doesn't
	// count as one, a success does.
	Pending []Command
	// Commands are the names of all commands that the program has. One that is in
	// neither list fails the test. nil: not checked.
	Commands []string

	// Timeout is for one run; default one minute.
	Timeout time.Duration
}

// unknownFlag is one that no program has.
const unknownFlag = "--envelopetest-no-such-flag"

// Test runs every command of the register and reports each that broke its
// promise: which it was, what came out, and what to do about it.
func (g Guard) Test(t testing.TB) {
	t.Helper()
	if g.Flag == "" {
		g.Flag = "--json"
	}
	if g.Timeout <= 0 {
		g.Timeout = time.Minute
	}
	if !g.checkRegister(t) {
		return
	}
	for _, c := range g.Stable {
		g.stable(t, c)
	}
	for _, c := range g.Pending {
		g.pending(t, c)
	}
}

// checkRegister tells whether the register makes sense. A guard that guards
// nothing must not pass.
func (g Guard) checkRegister(t testing.TB) bool {
	t.Helper()
	if (g.Run == nil) == (len(g.Program) == 0) {
		t.Errorf("envelopetest: set one of Guard.Run and Guard.Program, so that there is one way to run the commands")
		return false
	}
	if len(g.Stable) == 0 && len(g.Pending) == 0 {
		t.Errorf("envelopetest: the register is empty: list the program's commands in Guard.Stable and Guard.Pending")
		return false
	}
	seen := map[string]string{}
	for i, c := range slices.Concat(g.Stable, g.Pending) {
		list := "Stable"
		if i >= len(g.Stable) {
			list = "Pending"
		}
		if other, twice := seen[c.Name]; twice {
			t.Errorf("envelopetest: the command %q stands in %s and in %s: remove one entry", c.Name, other, list)
		}
		seen[c.Name] = list
		if g.Commands != nil && !slices.Contains(g.Commands, c.Name) {
			t.Errorf("envelopetest: the program has no command %q: remove its entry from %s", c.Name, list)
		}
	}
	for _, name := range g.Commands {
		if _, ok := seen[name]; !ok {
			t.Errorf("envelopetest: the command %q is in neither list: add it to Guard.Stable, or to Guard.Pending until it answers %s", name, g.Flag)
		}
	}
	return true
}

// stable checks the promise of a stable command.
func (g Guard) stable(t testing.TB, c Command) {
	t.Helper()
	words := strings.Fields(c.Name)
	fail := c.Fail
	if fail == nil {
		fail = []string{unknownFlag}
	}
	type try struct {
		what string
		args []string
		ok   bool
	}
	tries := []try{
		{"success", join(words, g.Flag, c.OK...), true},
		{"failure", join(words, g.Flag, fail...), false},
		{"a flag that it doesn't have", join(words, g.Flag, unknownFlag), false},
		{"the same with " + g.Flag + " behind it", join(words, unknownFlag, g.Flag), false},
	}
	if c.Fail == nil {
		tries = slices.Delete(tries, 1, 2) // it is the third
	}
	for _, try := range tries {
		r := g.run(try.args, c.Stdin)
		if wrong, todo := r.judge(try.ok); wrong != "" {
			t.Errorf("%s", r.report(fmt.Sprintf("the stable command %q, on %s, %s", c.Name, try.what, wrong), todo))
		}
	}
}

// pending checks that a pending command is still that.
func (g Guard) pending(t testing.TB, c Command) {
	t.Helper()
	r := g.run(join(strings.Fields(c.Name), g.Flag, c.OK...), c.Stdin)
	switch {
	case r.problem != "":
		t.Errorf("%s", r.report(fmt.Sprintf("the pending command %q %s", c.Name, r.problem), ""))
	case r.answers():
		t.Errorf("%s", r.report(fmt.Sprintf("the pending command %q answers in JSON now", c.Name),
			"well done: move its entry from Guard.Pending to Guard.Stable, with arguments in Fail that make it fail"))
	}
}

func join(words []string, flag string, rest ...string) []string {
	args := append(slices.Clone(words), flag)
	return append(args, rest...)
}
