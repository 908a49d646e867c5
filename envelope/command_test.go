package envelope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/streamjson/streamjson/envelope"
)

// tool is a program by package flag, with what a program of its kind has: a
// flag that takes a value on the root and on a command, arguments, a command
// below a command, a pending one.
func tool() *envelope.Command {
	rootFlags := flag.NewFlagSet("tool", flag.ExitOnError) // Main must not let it exit
	dir := rootFlags.String("C", ".", "run in `DIR`")
	listFlags := flag.NewFlagSet("list", flag.PanicOnError)
	name := listFlags.String("name", "", "only modules of that `NAME`")
	all := listFlags.Bool("all", false, "all of them")
	count := listFlags.Int("n", 0, "how many")
	answer := func(_ context.Context, call *envelope.Call) (any, error) {
		return map[string]any{"dir": *dir, "name": *name, "all": *all, "n": *count, "args": call.Args()}, nil
	}
	human := func(w io.Writer, data any) error {
		_, err := fmt.Fprintln(w, "for people")
		return err
	}
	return &envelope.Command{
		Name: "tool", Flags: rootFlags, Summary: "a tool",
		Commands: []*envelope.Command{
			{Name: "list", Args: "[FILE...]", Summary: "list things", Flags: listFlags, Body: answer, Human: human},
			{Name: "show", Args: "MODULE [VERSION]", Body: answer, Human: human},
			{Name: "exec", Args: "CMD...", Passthrough: true, Body: answer, Human: human},
			{Name: "later", Pending: true, Body: answer, Human: human},
			{Name: "mod", Commands: []*envelope.Command{{Name: "tidy", Body: answer, Human: human}}},
			{Name: "fail", Body: func(context.Context, *envelope.Call) (any, error) {
				return nil, &envelope.UsageError{Err: errors.New("the value of -x is missing")}
			}},
		},
	}
}

// call runs the tool in-process.
func call(o envelope.RunOptions, args ...string) (stdout, stderr string, code int) {
	var out, prose bytes.Buffer
	o.Stdout, o.Stderr, o.Signals = &out, &prose, []os.Signal{}
	code = tool().Main(context.Background(), args, o)
	return out.String(), prose.String(), code
}

// TestCommandMode: rows 136 and 137: every way in which arguments can be wrong
// gives one envelope when --json is asked for, wherever it stands; and what only
// looks like --json doesn't count.
func TestCommandMode(t *testing.T) {
	for _, c := range []struct {
		args string
		json bool
		code int
		says string // in errors, or on stderr for people
	}{
		{"list --json", true, 0, ""},
		{"--json list", true, 0, ""},
		{"-json list", true, 0, ""},
		{"list", false, 0, ""},
		{"list --json=false", false, 0, ""},
		{"list --json=true", true, 0, ""},
		{"--json list --json=false", false, 0, ""},
		{"--json=false list --json", true, 0, ""},
		{"list --json=maybe", true, 2, "-json"},
		{"list a b --json", true, 0, ""},

		// not a flag: the value of another one, or an argument
		{"list --name --json", false, 0, ""},
		{"list --name=--json", false, 0, ""},
		{"-C --json list", false, 0, ""},
		{"list -- --json", false, 0, ""},
		{"exec ls --json", false, 0, ""},
		{"exec --json ls -l", true, 0, ""},
		{"exec -- ls --json", false, 0, ""},

		// wrong flags, on either side
		{"list --json --nosuch", true, 2, "-nosuch"},
		{"list --nosuch --json", true, 2, "-nosuch"},
		{"--json list --nosuch", true, 2, "-nosuch"},
		{"--nosuch list --json", true, 2, "-nosuch"},
		{"--nosuch --json list", true, 2, "-nosuch"},
		{"list --nosuch", false, 2, "-nosuch"},
		{"list --nosuch --name --json", false, 2, "-nosuch"},
		{"list --nosuch -- --json", false, 2, "-nosuch"},
		{"list -n x --json", true, 2, "-n"},
		{"list --json -n", true, 2, "-n"},
		{"list ---x --json", true, 2, "bad flag syntax"},
		{"list --=x --json", true, 2, "bad flag syntax"},

		// wrong commands and arguments
		{"nosuch --json", true, 2, `unknown command "nosuch"`},
		{"--json nosuch", true, 2, `unknown command "nosuch"`},
		{"nosuch", false, 2, `unknown command "nosuch"`},
		{"nosuch -C --json", false, 2, "unknown command"},
		{"nosuch list --name --json", true, 2, "unknown command"}, // --name is one of list alone
		{"mod nosuch --json", true, 2, `unknown command "nosuch" for "tool mod"`},
		{"--json", true, 2, "needs a command"},
		{"", false, 2, "needs a command"},
		{"mod --json", true, 2, `"tool mod" needs a command`},
		{"show --json", true, 2, `the argument MODULE of "tool show" is missing`},
		{"show", false, 2, "MODULE"},
		{"show --json m v", true, 0, ""},
		{"show m v w --json", true, 2, `takes 2 arguments, not "w"`},
		{"mod tidy x --json", true, 2, "takes no arguments"},
		{"exec --json", true, 2, "CMD"},
		{"later --json", true, 2, "has no JSON answer yet"},
		{"later", false, 0, ""},
		{"fail --json", true, 2, "the value of -x is missing"},

		// help is no failure
		{"--help --json", true, 0, ""},
		{"list -h --json", true, 0, ""},
		{"--json help list", true, 0, ""},
		{"help --json", true, 0, ""},
		{"help nosuch --json", true, 2, "unknown command"},
		{"list --json --nosuch --help", true, 2, "-nosuch"},
		{"list --help --nosuch --json", true, 0, ""},
		{"show --help --json", true, 0, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := call(envelope.RunOptions{}, strings.Fields(c.args)...)
			if code != c.code {
				t.Errorf("exit status %d, want %d\n%s\n%s", code, c.code, stdout, stderr)
			}
			if !c.json {
				if code == 0 && stdout != "for people\n" || code != 0 && stdout != "" || !strings.Contains(stderr, c.says) {
					t.Errorf("for people: stdout %q, stderr %q", stdout, stderr)
				}
				return
			}
			e := mustParse(t, []byte(stdout))
			if e.OK != (code == 0) || !strings.Contains(strings.Join(e.Errors, "\n"), c.says) || !strings.Contains(stderr, c.says) {
				t.Errorf("errors %q, stderr %q; want %q in both", e.Errors, stderr, c.says)
			}
			if usage := strings.Contains(stderr, "Usage: tool"); code == 2 && !usage && !strings.Contains(c.args, "later") {
				t.Errorf("no usage text on stderr: %q", stderr)
			}
		})
	}
}

func TestCommandEnv(t *testing.T) {
	for _, c := range []struct {
		env, args string
		option    bool
		json      bool
		code      int
	}{
		{"1", "list", false, true, 0},
		{"true", "list --nosuch", false, true, 2},
		{"0", "list", true, false, 0},
		{"", "list", true, true, 0},
		{"", "list --json=false", true, false, 0},
		{"1", "list --json=false", false, false, 0},
		{"maybe", "list", false, true, 2},
		{"maybe", "list --json", false, true, 0},
		{"maybe", "list --json=false", false, false, 0},
	} {
		t.Run(c.env+" "+c.args, func(t *testing.T) {
			t.Setenv("TOOL_JSON", c.env)
			stdout, stderr, code := call(envelope.RunOptions{JSON: c.option, JSONEnv: "TOOL_JSON"}, strings.Fields(c.args)...)
			if code != c.code || envelope.IsEnvelope([]byte(stdout)) != c.json {
				t.Errorf("exit status %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			if c.code == 2 && c.env == "maybe" && !strings.Contains(stderr, "TOOL_JSON") {
				t.Errorf("stderr doesn't name the variable: %s", stderr)
			}
		})
	}
}

// TestCommandValues: flags may stand behind arguments, and reach the body.
func TestCommandValues(t *testing.T) {
	stdout, stderr, code := call(envelope.RunOptions{}, "-C", "/d", "list", "x", "--name", "v", "y", "-all", "-n=3", "--json", "--", "-z")
	var data struct {
		Dir, Name string
		All       bool
		N         int
		Args      []string
	}
	if err := json.Unmarshal(mustParse(t, []byte(stdout)).Data, &data); err != nil {
		t.Fatal(err)
	}
	if code != 0 || stderr != "" || data.Dir != "/d" || data.Name != "v" || !data.All || data.N != 3 || !slices.Equal(data.Args, []string{"x", "y", "-z"}) {
		t.Errorf("exit status %d, %+v, stderr %q", code, data, stderr)
	}
}

// TestCommandHelp: for programs help is data, for people it is text on stdout.
func TestCommandHelp(t *testing.T) {
	stdout, stderr, code := call(envelope.RunOptions{}, "list", "--help", "--json")
	var help struct {
		Command, Summary, Usage string
		Commands                []struct{ Name, Args, Summary string }
		Flags                   []struct{ Name, Value, Default, Usage string }
	}
	e := mustParse(t, []byte(stdout))
	if err := json.Unmarshal(e.Data, &help); err != nil {
		t.Fatal(err)
	}
	if code != 0 || help.Command != "tool list" || help.Summary != "list things" || len(help.Flags) != 4 || help.Flags[3].Value != "NAME" && help.Flags[2].Value != "NAME" {
		t.Errorf("exit status %d, %+v", code, help)
	}
	if !strings.HasPrefix(help.Usage, "Usage: tool list [flags] [FILE...]\n") || stderr != help.Usage {
		t.Errorf("usage %q, stderr %q", help.Usage, stderr)
	}
	if stdout, stderr, code = call(envelope.RunOptions{}, "list", "--help"); code != 0 || stdout != help.Usage || stderr != "" {
		t.Errorf("for people: exit status %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if stdout, _, _ = call(envelope.RunOptions{}, "help"); !strings.Contains(stdout, "\n  list   list things\n") {
		t.Errorf("the root's help lacks its commands: %s", stdout)
	}
}

// evil is a flag value whose code prints and panics.
type evil struct{}

func (evil) String() string   { return "" }
func (evil) Set(string) error { panic("a flag value that panics") }

// TestCommandForeignFlags: code behind flags runs under Run's care, a flag set
// may be the global one, have a Usage of its own, and be used again.
func TestCommandForeignFlags(t *testing.T) {
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.Var(evil{}, "evil", "")
	fs.Usage = func() { fmt.Fprintln(fs.Output(), "my own usage") }
	root := &envelope.Command{Name: "x", Args: "[A]", Flags: fs, Body: func(context.Context, *envelope.Call) (any, error) { return fs.Args(), nil }}
	do := func(args ...string) (string, string, int) {
		var out, prose bytes.Buffer
		code := root.Main(context.Background(), args, envelope.RunOptions{Stdout: &out, Stderr: &prose, Signals: []os.Signal{}})
		return out.String(), prose.String(), code
	}
	for range 2 {
		stdout, stderr, code := do("--json", "--evil", "1")
		if e := mustParse(t, []byte(stdout)); code != 1 || e.OK || !strings.Contains(e.Errors[0], "a flag value that panics") {
			t.Errorf("exit status %d, %s, %s", code, stdout, stderr)
		}
		if stdout, _, code = do("a", "--json"); code != 0 || string(mustParse(t, []byte(stdout)).Data) != "[\n    \"a\"\n  ]" {
			t.Errorf("exit status %d, %s", code, stdout)
		}
		if _, stderr, code = do("--nosuch"); code != 2 || !strings.Contains(stderr, "my own usage") {
			t.Errorf("exit status %d, %s", code, stderr)
		}
	}
	clash := flag.NewFlagSet("y", flag.ContinueOnError)
	clash.Bool("json", false, "")
	root.Flags = clash
	if stdout, stderr, code := do("--json"); code != 2 || !strings.Contains(stdout+stderr, "defines a flag -json of its own") {
		t.Errorf("a flag json of one's own: exit status %d, %s, %s", code, stdout, stderr)
	}
}

// FuzzCommandArgs: whatever the arguments, Main doesn't panic, and answers either
// by exactly one envelope, whose ok is what the status says, or by none at all.
func FuzzCommandArgs(f *testing.F) {
	for _, seed := range []string{
		"list\n--json", "--json\nlist\n--nosuch", "list\n--name\n--json", "exec\n--\n--json", "help\n--json", "-\n--\n-",
		"--json=\nlist", "show\n\xff\n--json", "list\n-n\n-json", "mod\ntidy\n--help\n-json=T",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		stdout, _, code := call(envelope.RunOptions{}, strings.Split(joined, "\n")...)
		if strings.HasPrefix(stdout, "{") {
			if e := mustParse(t, []byte(stdout)); e.OK != (code == 0) {
				t.Errorf("exit status %d, ok %v", code, e.OK)
			}
		} else if code != 0 && stdout != "" {
			t.Errorf("exit status %d, and text on stdout: %q", code, stdout)
		}
	})
}
