package streamjsoncobra_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/goleak"

	"github.com/streamjson/streamjson/envelope"
	"github.com/streamjson/streamjson/exitcode"
	streamjsoncobra "github.com/streamjson/streamjson/integrations/cobra"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func human(w io.Writer, data any) error {
	_, err := fmt.Fprintln(w, "for people")
	return err
}

// tool has what cobra programs have. out is where commands that haven't been
// changed print to.
func tool(out io.Writer) *cobra.Command {
	answer := func(_ context.Context, call *envelope.Call, cmd *cobra.Command, args []string) (any, error) {
		flags := map[string]string{}
		cmd.Flags().Visit(func(f *pflag.Flag) { flags[f.Name] = f.Value.String() })
		return map[string]any{"args": args, "flags": flags}, nil
	}
	root := &cobra.Command{Use: "tool", Short: "a tool", Version: "1.2.3"}
	root.SetOut(out)
	root.SetErr(io.Discard)
	root.PersistentFlags().StringP("dir", "C", ".", "run in `DIR`")
	root.Flags().String("local", "", "of the root alone")

	list := &cobra.Command{Use: "list [FILE...]", Aliases: []string{"ls"}, Short: "list things", RunE: streamjsoncobra.RunE(answer, human)}
	list.Flags().String("name", "", "only that one")
	list.Flags().StringSlice("tag", nil, "only those")
	list.Flags().BoolP("all", "a", false, "all")
	list.Flags().IntP("count", "n", 0, "how many")
	list.Flags().Bool("old", false, "")
	_ = list.Flags().MarkDeprecated("old", "use --all")
	list.MarkFlagsMutuallyExclusive("all", "count")

	show := &cobra.Command{Use: "show MODULE", Args: cobra.ExactArgs(1), RunE: streamjsoncobra.RunE(func(_ context.Context, _ *envelope.Call, _ *cobra.Command, args []string) (any, error) {
		switch args[0] {
		case "partial":
			return "some", exitcode.Error{Code: 9, Err: errors.New("the rest is missing")}
		case "panic":
			panic("oh")
		}
		return nil, envelope.WithHint(errors.New("no module "+args[0]), "try list")
	}, human)}
	need := &cobra.Command{Use: "need", RunE: streamjsoncobra.RunE(answer, human)}
	need.Flags().String("key", "", "")
	_ = need.MarkFlagRequired("key")
	legacy := &cobra.Command{Use: "legacy", Run: func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "for people") }}
	silent := &cobra.Command{Use: "silent", RunE: func(*cobra.Command, []string) error { return nil }}
	fails := &cobra.Command{Use: "fails", RunE: func(*cobra.Command, []string) error { return errors.Join(errors.New("one"), errors.New("two")) }}
	half := &cobra.Command{Use: "half", RunE: func(cmd *cobra.Command, _ []string) error {
		fmt.Fprintln(cmd.OutOrStdout(), "half of it")
		return errors.New("the rest is missing")
	}}
	hook := &cobra.Command{Use: "hook", PreRunE: func(*cobra.Command, []string) error { return errors.New("from the hook") }, RunE: streamjsoncobra.RunE(answer, human)}
	raw := &cobra.Command{Use: "raw", DisableFlagParsing: true, RunE: streamjsoncobra.RunE(answer, human)}
	through := &cobra.Command{Use: "through CMD...", RunE: streamjsoncobra.RunE(answer, human)}
	through.Flags().SetInterspersed(false)
	old := &cobra.Command{Use: "oldcmd", Deprecated: "use list", RunE: streamjsoncobra.RunE(answer, human)}
	mod := &cobra.Command{Use: "mod", Short: "a group"}
	mod.AddCommand(&cobra.Command{Use: "tidy", Args: cobra.NoArgs, RunE: streamjsoncobra.RunE(answer, human)})
	later := streamjsoncobra.Pending(&cobra.Command{Use: "later", RunE: streamjsoncobra.RunE(answer, human)})
	root.AddCommand(list, show, need, legacy, silent, fails, half, hook, raw, through, old, mod, later)
	return root
}

func call(o streamjsoncobra.Options, root func(io.Writer) *cobra.Command, args ...string) (stdout, stderr string, code int) {
	var out, prose bytes.Buffer
	o.Stdout, o.Stderr, o.Signals = &out, &prose, []os.Signal{}
	o.Args = slices.Concat([]string{}, args)
	code = streamjsoncobra.Main(context.Background(), root(&out), o)
	return out.String(), prose.String(), code
}

func mustParse(t testing.TB, doc string) envelope.Envelope[json.RawMessage] {
	t.Helper()
	if err := envelope.ValidateStrict([]byte(doc)); err != nil {
		t.Fatalf("not one strict envelope: %v\n%s", err, doc)
	}
	e, err := envelope.Decode[json.RawMessage]([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestMode: rows 136 and 137 of the field cases, by cobra.
func TestMode(t *testing.T) {
	for _, c := range []struct {
		args string
		json bool
		code int
		says string // in errors, or on stderr for people
	}{
		{"list --json", true, 0, ""},
		{"--json list", true, 0, ""},
		{"ls --json x y", true, 0, ""},
		{"list", false, 0, ""},
		{"list --json=false", false, 0, ""},
		{"--json list --json=false", false, 0, ""},
		{"list --json=perhaps", true, 2, "neither true nor false"},
		{"list -an 3 --json", true, 2, "[all count]"},

		// not a flag
		{"list --name --json", false, 0, ""},
		{"list --name=--json", false, 0, ""},
		{"-C --json list", false, 0, ""},
		{"list -C --json", false, 0, ""},
		{"list -n --json", false, 2, "invalid argument"},
		{"list -- --json", false, 0, ""},
		{"raw --json", false, 0, ""},
		{"through ls --json", false, 0, ""},
		{"through --json ls -l", true, 0, ""},

		// wrong flags, on either side
		{"list --json --nosuch", true, 2, "unknown flag: --nosuch"},
		{"list --nosuch --json", true, 2, "unknown flag: --nosuch"},
		{"--json list --nosuch", true, 2, "unknown flag: --nosuch"},
		{"--nosuch list --json", true, 2, "unknown flag: --nosuch"},
		{"list --nosuch", false, 2, "unknown flag: --nosuch"},
		{"list -z --json", true, 2, "unknown shorthand flag"},
		{"list -zC --json", false, 2, "unknown shorthand flag"}, // the value of -C
		{"list --nosuch --name --json", false, 2, "unknown flag"},
		{"list --nosuch -- --json", false, 2, "unknown flag"},
		{"list --count x --json", true, 2, "invalid argument"},
		{"list --json --count", true, 2, "flag needs an argument"},
		{"list ---x --json", true, 2, "bad flag syntax"},
		{"list --=x --json", true, 2, "bad flag syntax"},
		{"list -=x --json", true, 2, "unknown shorthand flag"},

		// wrong commands and arguments
		{"nosuch --json", true, 2, `unknown command "nosuch"`},
		{"--json nosuch", true, 2, `unknown command "nosuch"`},
		{"nosuch", false, 2, `unknown command "nosuch"`},
		{"show --json", true, 2, "accepts 1 arg(s), received 0"},
		{"show", false, 2, "accepts 1 arg(s)"},
		{"mod tidy x --json", true, 2, "unknown command"},
		{"need --json", true, 2, `required flag(s) "key" not set`},
		{"later --json", true, 2, "has no JSON answer yet"},
		{"later", false, 0, ""},

		// errors of the commands
		{"show x --json", true, 1, "no module x"},
		{"show x", false, 1, "no module x"},
		{"show partial --json", true, 9, "the rest is missing"},
		{"show panic --json", true, 1, "panic: oh"},
		{"fails --json", true, 1, "two"},
		{"fails", false, 1, "two"},
		{"hook --json", true, 1, "from the hook"},

		{"legacy", false, 0, ""},
		{"legacy --json", true, 0, ""},
		{"silent --json", true, 0, ""},
		{"oldcmd --json", true, 0, ""},

		// help, completion, version
		{"--json", true, 0, ""},
		{"mod --json", true, 0, ""},
		{"--help --json", true, 0, ""},
		{"list -h --json", true, 0, ""},
		{"help list --json", true, 0, ""},
		{"--json help", true, 0, ""},
		{"help nosuch --json", true, 2, "no help about"},
		{"--version --json", true, 0, ""},
		{"completion bash --json", true, 0, ""},
		{"completion nosuch --json", true, 0, ""}, // cobra shows the help of completion
		{"completion bash x --json", true, 2, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := call(streamjsoncobra.Options{}, tool, strings.Fields(c.args)...)
			if code != c.code {
				t.Errorf("exit status %d, want %d\n%s\n%s", code, c.code, stdout, stderr)
			}
			if !c.json {
				if code == 0 && stdout != "for people\n" || code != 0 && stdout != "" || !strings.Contains(stderr, c.says) {
					t.Errorf("for people: stdout %q, stderr %q", stdout, stderr)
				}
				return
			}
			e := mustParse(t, stdout)
			if e.OK != (code == 0) || !strings.Contains(strings.Join(e.Errors, "\n"), c.says) || !strings.Contains(stderr, c.says) {
				t.Errorf("errors %q, stderr %q; want %q in both", e.Errors, stderr, c.says)
			}
			if code == 2 && (!strings.Contains(stderr, "Usage:\n") || !strings.Contains(stderr, "--help'")) {
				t.Errorf("no usage text on stderr: %q", stderr)
			}
		})
	}
}

func TestTraverseChildren(t *testing.T) {
	traversing := func(out io.Writer) *cobra.Command {
		root := tool(out)
		root.TraverseChildren = true
		return root
	}
	for _, c := range []struct {
		args string
		json bool
		code int
	}{
		{"--local --json list", false, 0},
		{"--local x list --json", true, 0},
		{"--json list", true, 0},
		{"--dir --json list", false, 0},
		{"list --json --nosuch", true, 2},
		{"--nosuch list --json", true, 2},
		{"--local x mod tidy --json", true, 0},
		{"-C --json ls -a", false, 0},
		{"-C d --local=x ls --name --json", false, 0},
	} {
		stdout, stderr, code := call(streamjsoncobra.Options{}, traversing, strings.Fields(c.args)...)
		if code != c.code || envelope.IsEnvelope([]byte(stdout)) != c.json {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}

func TestValues(t *testing.T) {
	stdout, stderr, code := call(streamjsoncobra.Options{}, tool, "-C", "/d", "list", "x", "--tag=a,b", "--tag", "c", "--json", "--", "-z")
	var data struct {
		Args  []string
		Flags map[string]string
	}
	if err := json.Unmarshal(mustParse(t, stdout).Data, &data); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"dir": "/d", "tag": "[a,b,c]", "json": "true"}
	if code != 0 || stderr != "" || !slices.Equal(data.Args, []string{"x", "-z"}) || fmt.Sprint(data.Flags) != fmt.Sprint(want) {
		t.Errorf("exit status %d, %+v, stderr %q", code, data, stderr)
	}
}

// TestData: what each kind of command answers.
func TestData(t *testing.T) {
	for _, c := range []struct {
		args, data string
		warnings   int
	}{
		{"legacy --json", "{\n    \"output\": \"for people\\n\"\n  }", 0},
		{"silent --json", "null", 0},
		{"half --json", "{\n    \"output\": \"half of it\\n\"\n  }", 0},
		{"--version --json", "{\n    \"output\": \"tool version 1.2.3\\n\"\n  }", 0},
		{"show partial --json", `"some"`, 0},
		{"oldcmd --json", "", 1},     // row 47: a notice is a warning
		{"list --old --json", "", 1}, // so is this one
	} {
		stdout, _, _ := call(streamjsoncobra.Options{}, tool, strings.Fields(c.args)...)
		e := mustParse(t, stdout)
		if c.data != "" && string(e.Data) != c.data || len(e.Warnings) != c.warnings {
			t.Errorf("%s: data %s, warnings %q", c.args, e.Data, e.Warnings)
		}
	}
	stdout, _, _ := call(streamjsoncobra.Options{}, tool, "completion", "bash", "--json")
	if e := mustParse(t, stdout); !strings.Contains(string(e.Data), "bash completion V2 for tool") {
		t.Errorf("the completion script is lost: %.200s", e.Data)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range []string{"list --help --json", "help list --json"} {
		stdout, stderr, code := call(streamjsoncobra.Options{}, tool, strings.Fields(args)...)
		var help struct {
			Command, Summary, Usage string
			Flags                   []struct{ Name, Shorthand, Value string }
		}
		if err := json.Unmarshal(mustParse(t, stdout).Data, &help); err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, f := range help.Flags {
			names = append(names, f.Name)
		}
		if code != 0 || help.Command != "tool list" || help.Summary != "list things" || !strings.Contains(help.Usage, "tool list [FILE...]") ||
			fmt.Sprint(names) != "[all count help name tag dir json]" {
			t.Errorf("%s: exit status %d, %+v, stderr %q", args, code, help, stderr)
		}
	}
}

// TestShellCompletion: the protocol of shells is left alone, whatever the default.
func TestShellCompletion(t *testing.T) {
	for _, args := range [][]string{{"__complete", "list", "--json", ""}, {"__completeNoDesc", "sh"}} {
		stdout, _, code := call(streamjsoncobra.Options{RunOptions: envelope.RunOptions{JSON: true}}, tool, args...)
		if code != 0 || strings.HasPrefix(stdout, "{") || !strings.Contains(stdout, ":") {
			t.Errorf("%q: exit status %d, %q", args, code, stdout)
		}
	}
}

func TestEnv(t *testing.T) {
	for _, c := range []struct {
		env, args string
		json      bool
		code      int
	}{
		{"1", "list", true, 0},
		{"1", "list --nosuch", true, 2},
		{"0", "list", false, 0},
		{"1", "list --json=false", false, 0},
		{"perhaps", "list", true, 2},
		{"perhaps", "list --json", true, 0},
		{"1", "raw --nosuch", true, 0},
	} {
		t.Setenv("TOOL_JSON", c.env)
		stdout, stderr, code := call(streamjsoncobra.Options{RunOptions: envelope.RunOptions{JSONEnv: "TOOL_JSON"}}, tool, strings.Fields(c.args)...)
		if code != c.code || envelope.IsEnvelope([]byte(stdout)) != c.json {
			t.Errorf("%s %s: exit status %d, stdout %q, stderr %q", c.env, c.args, code, stdout, stderr)
		}
	}
}

// TestAgain: a root is as before when Main returns, and can be used again, also
// by cobra itself.
func TestAgain(t *testing.T) {
	var out bytes.Buffer
	root := tool(&out)
	run := func(args ...string) (string, int) {
		var stdout bytes.Buffer
		code := streamjsoncobra.Main(context.Background(), root, streamjsoncobra.Options{Args: args, RunOptions: envelope.RunOptions{Stdout: &stdout, Stderr: io.Discard, Signals: []os.Signal{}}})
		return stdout.String(), code
	}
	for range 3 {
		if doc, code := run("list", "--json"); code != 0 || !mustParse(t, doc).OK {
			t.Errorf("exit status %d, %s", code, doc)
		}
		if doc, code := run("fails", "--json"); code != 1 || mustParse(t, doc).OK {
			t.Errorf("exit status %d, %s", code, doc)
		}
		if text, code := run("list"); code != 0 || text != "for people\n" {
			t.Errorf("exit status %d, %q", code, text)
		}
	}
	if root.SilenceErrors || root.SilenceUsage {
		t.Error("the root is still silent")
	}
	out.Reset()
	root.SetArgs([]string{"list"})
	if err := root.Execute(); err != nil || out.String() != "for people\n" {
		t.Errorf("by cobra alone: %v, %q", err, out.String())
	}
	root.SetArgs([]string{"fails"})
	if err := root.Execute(); err == nil || !strings.Contains(err.Error(), "two") {
		t.Errorf("by cobra alone: %v", err)
	}
}

// TestOwnJSONFlag: the flag is ours to define.
func TestOwnJSONFlag(t *testing.T) {
	clash := func(out io.Writer) *cobra.Command {
		root := tool(out)
		root.Commands()[0].Flags().Bool("json", false, "")
		return root
	}
	stdout, stderr, code := call(streamjsoncobra.Options{}, clash, "list")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "defines a flag --json of its own") {
		t.Errorf("exit status %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// badErr is an error that can't be compared.
type badErr []string

func (badErr) Error() string { return "a list of errors" }

func TestUncomparableError(t *testing.T) {
	root := func(io.Writer) *cobra.Command {
		return &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return badErr{} }}
	}
	if stdout, _, code := call(streamjsoncobra.Options{}, root, "--json"); code != 1 || mustParse(t, stdout).Errors[0] != "a list of errors" {
		t.Errorf("exit status %d, %s", code, stdout)
	}
}

// FuzzArgs: whatever the arguments, there is one envelope or none; and where
// cobra can parse them, the scan has found what cobra's own parsing finds.
func FuzzArgs(f *testing.F) {
	for _, seed := range []string{
		"list\n--json", "--json\nlist\n--nosuch", "list\n--name\n--json", "through\n--\n--json", "help\n--json",
		"-\n--\n-", "list\n-aC\n--json", "list\n-n\n-1\n--json=T", "--local\n--json\nlist", "list\n--json=\n---", "raw\n--json", "list\n--tag\n--\n--json",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, joined string) {
		args := strings.Split(joined, "\n")
		if args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd {
			t.Skip()
		}
		parsed, reached := false, false
		watched := func(out io.Writer) *cobra.Command {
			root := tool(out)
			for _, c := range root.Commands() {
				c.PreRun = func(c *cobra.Command, _ []string) {
					if !c.DisableFlagParsing {
						reached, parsed = true, c.Flag("json").Value.String() == "true"
					}
				}
			}
			return root
		}
		stdout, _, code := call(streamjsoncobra.Options{}, watched, args...)
		isJSON := strings.HasPrefix(stdout, "{")
		if isJSON {
			if e := mustParse(t, stdout); e.OK != (code == 0) {
				t.Errorf("exit status %d, ok %v", code, e.OK)
			}
		}
		if reached && parsed != isJSON {
			t.Errorf("%q: cobra finds --json %v, the scan %v", args, parsed, isJSON)
		}
	})
}
