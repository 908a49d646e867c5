package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// What is wrong with a script is told with its file and line.
func TestScriptErrors(t *testing.T) {
	for _, c := range []struct{ rule, text, want string }{
		{"an empty script", "", "x:1: there is no turn before this"},
		{"comments only", "# a\n\n# b", "x:3: there is no turn before this"},
		{"a step without a turn", "say hi", "x:1: say stands outside of a turn"},
		{"an unknown verb", "turn\nshout hi", `x:2: "shout" is no verb`},
		{"an empty turn", "turn\nturn\nsay hi", "x:2: the turn before this has neither"},
		{"a turn that only waits", "turn\nwait 1s", "x:2: the turn before this has neither"},
		{"cut without a text", "turn\ncut", "x:2: the turn before this has neither"},
		{"turn with a text", "turn one", "x:1: turn takes nothing"},
		{"a turn that is never reached", "turn\nsay hi\nturn\nsay ho", "x:3: this is never reached"},
		{"a turn after the end", "turn\ncall a {}\nfail no\nturn\nsay ho", "x:4: this is never reached"},
		{"a loop that is never reached", "turn\nsay hi\nloop", "x:3: this is never reached"},
		{"a loop of nothing", "loop", "x:1: loop needs a turn"},
		{"a step after loop", "turn\ncall a {}\nloop\nsay hi", "x:4: say stands after loop"},
		{"a call at the end", "turn\ncall a {}", "x:2: the turn before this calls a tool"},
		{"a step after the end of its turn", "turn\nfail no\nsay hi", "x:3: say stands after fail"},
		{"retry at the end", "turn\nsay hi\nretry again", "x:3: nothing follows retry"},
		{"retry without a text", "turn\nretry", "x:2: retry needs a text"},
		{"cut with a text", "turn\nsay hi\ncut it", "x:3: cut takes nothing"},
		{"wait without a unit", "turn\nsay hi\nwait 5", "x:3: wait needs a duration"},
		{"a negative wait", "turn\nsay hi\nwait -1s", "x:3: wait needs a duration"},
		{"usage without numbers", "turn\nsay hi\nusage", "x:3: usage needs input=N"},
		{"an unknown usage", "turn\nsay hi\nusage output=1 tokens=2", `x:3: "tokens=2" is none of`},
		{"a negative usage", "turn\nsay hi\nusage input=-1", `x:3: "input=-1" is none of`},
		{"a call without arguments", "turn\ncall read_file", "x:2: call needs a tool and its arguments"},
		{"a call without a tool", "turn\ncall {}", "x:2: call needs the name of a tool"},
		{"a call with a bad name", "turn\ncall a.b = read_file {}", "x:2: a result's name is of letters"},
		{"a name that is taken", "turn\ncall prompt = read_file {}", "x:2: prompt is taken"},
		{"one name twice", "turn\ncall a = x {}\ncall a = y {}", "x:3: another call of this turn is named a"},
		{"arguments that are no JSON", `turn` + "\n" + `call a {"path": }`, "x:2: the arguments of a are no JSON object"},
		{"arguments and more", `turn` + "\n" + `call a {} {}`, "x:2: the arguments of a are no JSON object"},
		{"an unknown name", "turn\nsay ${files}", `x:2: ${files}: no call of an earlier turn is named "files"`},
		{"a name of the same turn", "turn\ncall a {}\nsay ${a}", `x:3: ${a}: no call of an earlier turn is named "a"`},
		{"a name in arguments", `turn` + "\n" + `call a {"x": ["${b}"]}`, `x:2: ${b}: no call of an earlier turn is named "b"`},
		{"task at top level", "turn\nsay ${task}", "x:2: ${task}: no call"},
		{"a name of another agent", "turn\ncall a {}\nturn\nsay hi\nagent b\nturn\nsay ${a}", "x:7: ${a}: no call"},
		{"an open placeholder", "turn\nsay ${prompt", "x:2: ${ without its }"},
		{"an agent without a name", "turn\nsay hi\nagent\nturn\nsay ho", "x:3: agent needs a name"},
		{"an agent twice", "turn\nsay 1\nagent a\nturn\nsay 2\nagent b\nturn\nsay 3\nagent a", "x:9: agent a stands here for the second time"},
		{"the same agent in a row", "turn\nsay 1\nagent a\nturn\nsay 2\nagent a\nturn\nsay 3", "x:6: agent a stands here for the second time"},
		{"an agent without a turn", "turn\nsay hi\nagent a", "x:3: there is no turn before this"},
		{"bytes that are no text", "turn\nsay \xff", "x:2: the line is not valid UTF-8"},
	} {
		_, err := parse("x", c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.rule, err, c.want)
		}
	}
}

func TestScript(t *testing.T) {
	s, err := parse("x", "\n# first\n\tturn\r\nthink a\nsay b\nwait 20ms\nsay\nsay c\n call n = tool {\"k\": [1, true]}\nturn\ncut it is not\n")
	if err == nil {
		t.Fatalf("cut with a text passed: %v", s)
	}
	s, err = parse("x", "turn\nthink a\nsay b\nwait 20ms\nsay\nsay c ${prompt}\ncall n = tool {\"k\": [1, true]}\nusage input=1 cache_creation=2\nturn\nsay ${n} $${n}\nagent a\nturn\nsay ${task}")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, step := range s.top.turns[0] {
		texts = append(texts, string(step.verb)+":"+step.text)
	}
	if got, want := strings.Join(texts, "|"), "think:a|say:b|wait:20ms|say:\n|say:\nc ${prompt}|call:|usage:input=1 cache_creation=2"; got != want {
		t.Errorf("the steps are %q, want %q", got, want)
	}
	call, tokens := s.top.turns[0][5], s.top.turns[0][6].usage
	if call.name != "n" || call.tool != "tool" || len(call.args) != 1 || tokens.InputTokens != 1 || tokens.CacheCreation != 2 {
		t.Errorf("the call is %+v, the usage %+v", call, tokens)
	}
	if s.top.turns[0][3].wait != 0 || s.top.turns[0][2].wait != 20*time.Millisecond || len(s.agents["a"].turns) != 1 {
		t.Errorf("the script is %+v", s)
	}
}

func TestExpand(t *testing.T) {
	seen := results{
		"a": {text: "line\n", summary: "sum", values: map[string]string{"k": "v", "empty": ""}},
		"b": {},
	}
	for text, want := range map[string]string{
		"plain $5 {x} $":         "plain $5 {x} $",
		"<${a}>":                 "<line>",
		"${a.summary} ${a.k}":    "sum v",
		"${a.empty|x}":           "",
		"${a.none|other|wise}":   "other|wise",
		"${a.none|}":             "",
		"$${a} ${b}":             "${a} ",
		"${a.none}":              `error ${a.none}: the call a gave no such value: say what to write otherwise, as in ${a.none|none}`,
		"${":                     "error ${ without its }: write $${ for the characters themselves",
		"${a.k}${a.k}$${$${a.k}": "vv${${a.k}",
	} {
		got, err := expand(text, seen.value)
		if err != nil {
			got = "error " + err.Error()
		}
		if got != want {
			t.Errorf("expand(%q) = %q, want %q", text, got, want)
		}
	}
}

// A value that is missing when it is needed ends the run at its line.
func TestMissingValue(t *testing.T) {
	t.Chdir(t.TempDir())
	path := writeScript(t, "turn\ncall list_files {}\nturn\nsay The largest is ${list_files.largest}.\n")
	f := inProcess(t, streaming("--script", path)...)
	r := f.stream(t).result()
	if want := path + ":4: ${list_files.largest}: the call list_files gave no such value"; f.code != 1 || len(r.Errors) != 1 || !strings.HasPrefix(r.Errors[0], want) {
		t.Errorf("exit status %d, errors %q, want %q", f.code, r.Errors, want)
	}
}

// A script of any size and kind ends in a result, not in memory or for ever.
func TestUnreadableScripts(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, make([]byte, maxInput+1), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := loadScript(t.Context(), huge)
	if want := huge + ":1: more than 1.0 MB"; err == nil || err.Error() != want {
		t.Errorf("a script that is too long: %v, want %s", err, want)
	}
	_, err = loadScript(t.Context(), filepath.Join(dir, "none"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a script that is not there: %v", err)
	}
}

// FuzzParse: no text makes the parser panic, an error names the line, and a
// script that passes can be played from its beginning to an end.
func FuzzParse(f *testing.F) {
	scripts, err := filepath.Glob(scriptPath("*.script"))
	if err != nil || len(scripts) == 0 {
		f.Fatal("no scripts to begin with")
	}
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(defaultScript)
	f.Add("turn\ncall a = b {\"x\": \"${prompt|y}\"}\nloop\nagent z\nturn\nrefuse $${")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse("f", text)
		var where *scriptError
		if err != nil {
			if !errors.As(err, &where) || where.line < 1 || where.line > strings.Count(text, "\n")+1 {
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		for name, p := range s.agents {
			checkPart(t, name, p)
		}
		checkPart(t, "", s.top)
	})
}

// checkPart checks that whatever the loop does, there is a turn to play.
func checkPart(t *testing.T, name string, p part) {
	if len(p.turns) == 0 {
		t.Fatalf("%q has no turn", name)
	}
	for i, turn := range p.turns {
		if len(turn) == 0 {
			t.Fatalf("%q: turn %d is empty", name, i)
		}
		calls, ends := 0, turn[len(turn)-1].verb.ends()
		for _, s := range turn {
			switch s.verb {
			case verbCall:
				calls++
			case verbRetry:
				calls = 0
			}
		}
		goesOn := calls > 0 && !ends
		if last := i == len(p.turns)-1 && !p.loops; goesOn == last {
			t.Fatalf("%q: turn %d goes on: %v", name, i, goesOn)
		}
	}
}

// FuzzPieces: the pieces of a text are that text, none is empty, and a
// character of several bytes is cut.
func FuzzPieces(f *testing.F) {
	f.Add("two words")
	f.Add("– a dash, 日本語 and \U0001f600\n\n  spaces  ")
	f.Add("\xff\xfe\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		for name, cut := range map[string][]string{"words": collect(words(text)), "chunks": collect(chunks(text))} {
			if strings.Join(cut, "") != text {
				t.Errorf("%s of %q: %q", name, text, cut)
			}
			for _, piece := range cut {
				if piece == "" {
					t.Errorf("%s of %q: an empty piece", name, text)
				}
			}
		}
	})
}

func collect(pieces func(func(string) bool)) []string {
	var list []string
	for piece := range pieces {
		list = append(list, piece)
	}
	return list
}

func TestWordsCutCharacters(t *testing.T) {
	whole, cut := 0, 0
	for piece := range words("Größe – und so weiter…") {
		if utf8.ValidString(piece) {
			whole++
		} else {
			cut++
		}
	}
	if whole == 0 || cut == 0 {
		t.Errorf("%d whole pieces and %d in the midst of a character", whole, cut)
	}
}
