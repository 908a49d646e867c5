package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// testFilter hides the word "secret" in texts and keys, and covers what is
// below a key that begins with "token".
type testFilter struct{}

func (testFilter) Text(s string) string { return strings.ReplaceAll(s, "secret", "[R]") }

func (testFilter) Key(name string) (string, bool) {
	return strings.ReplaceAll(name, "secret", "[R]"), strings.HasPrefix(name, "token")
}

func (testFilter) Covered(s string) string {
	return fmt.Sprintf("[covered %d]", utf8.RuneCountInString(s))
}

func TestAppendRawFilter(t *testing.T) {
	for _, c := range []struct{ rule, in, want string }{
		{"text", `"a secret b"`, `"a [R] b"`},
		{"escaped text is decoded first", `"\u0073ecret\n"`, `"[R]\n"`},
		{"text in arrays and objects", `[["secret"],{"a":"secret"}]`, `[["[R]"],{"a":"[R]"}]`},
		{"numbers and literals stay", `["1",1,-2.50,true,false,null]`, `["1",1,-2.50,true,false,null]`},
		{"key", `{"my secret":1}`, `{"my [R]":1}`},
		{"escaped key", `{"\u0073ecret":1}`, `{"[R]":1}`},
		{"covered string", `{"token":"abc"}`, `{"token":"[covered 3]"}`},
		{"a covered string is counted decoded", `{"token":"\u0061\n"}`, `{"token":"[covered 2]"}`},
		{"covered number becomes a string", `{"token":-12.50}`, `{"token":"[covered 6]"}`},
		{"covered literals stay", `{"token":[true,false,null]}`, `{"token":[true,false,null]}`},
		{"structure below a covered key stays", `{"token":{"a":["x",{"b":1},[]],"c":{}}}`, `{"token":{"a":["[covered 1]",{"b":"[covered 1]"},[]],"c":{}}}`},
		{"keys below a covered key are filtered", `{"token":{"secret":1,"b":"secret"}}`, `{"token":{"[R]":"[covered 1]","b":"[covered 6]"}}`},
		{"cover ends with its member", `{"token":{"a":1},"b":1,"c":[{"token":1},2]}`, `{"token":{"a":"[covered 1]"},"b":1,"c":[{"token":"[covered 1]"},2]}`},
		{"cover ends with an array", `{"token":[1,[2]],"b":["secret",3]}`, `{"token":["[covered 1]",["[covered 1]"]],"b":["[R]",3]}`},
		{"cover inside cover", `{"token":{"token":{"a":1},"b":2},"c":3}`, `{"token":{"token":{"a":"[covered 1]"},"b":"[covered 1]"},"c":3}`},
		{"two keys made alike", `{"xsecret":1,"x[R]":2}`, `{"x[R]":1,"x[R]#2":2}`},
		{"a key made like an earlier one", `{"[R]":1,"secret":2}`, `{"[R]":1,"[R]#2":2}`},
		{"the number is free", `{"secret":1,"[R]#2":2,"[R]":3}`, `{"[R]":1,"[R]#2":2,"[R]#3":3}`},
		{"a key like a numbered one", `{"secret":1,"[R]":2,"[R]#2":3}`, `{"[R]":1,"[R]#2":2,"[R]#2#2":3}`},
		{"each object by itself", `[{"secret":1},{"secret":{"secret":1,"[R]":2},"[R]":3}]`, `[{"[R]":1},{"[R]":{"[R]":1,"[R]#2":2},"[R]#2":3}]`},
		{"names before and after", `{"a":1,"b":2,"secret":3,"c":4,"[R]":5}`, `{"a":1,"b":2,"[R]":3,"c":4,"[R]#2":5}`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			out, err := jsonl.AppendRaw(nil, []byte(c.in), testFilter{})
			if err != nil || string(out) != c.want {
				t.Errorf("%s\n got %s, %v\nwant %s", c.in, out, err, c.want)
			}
		})
	}
}

func TestAppendRawFilterStillRefuses(t *testing.T) {
	for _, in := range []string{`{"secret":1,"secret":2}`, `{"a":1,"\u0061":2}`, `["secret`, strings.Repeat("[", 1001)} {
		if out, err := jsonl.AppendRaw([]byte("#"), []byte(in), testFilter{}); err == nil || string(out) != "#" {
			t.Errorf("took %.50s: %.50s", in, out)
		}
	}
}

// mangler answers with what no filter should.
type mangler struct{}

func (mangler) Text(string) string        { return "\xff\x1b\u2028\"" }
func (mangler) Key(string) (string, bool) { return "\xfe", false }
func (mangler) Covered(string) string     { return "" }

func TestAppendRawEscapesWhatTheFilterReturns(t *testing.T) {
	out, err := jsonl.AppendRaw(nil, []byte(`{"a":"x","b":["y"],"c":{"d":1}}`), mangler{})
	if err != nil {
		t.Fatal(err)
	}
	checkRaw(t, out)
	const want = "{\"\ufffd\":\"\ufffd\\u001b\\u2028\\\"\",\"\ufffd#2\":[\"\ufffd\\u001b\\u2028\\\"\"],\"\ufffd#3\":{\"\ufffd\":1}}"
	if string(out) != want {
		t.Errorf("got %s want %s", out, want)
	}
}

func FuzzAppendRawFilter(f *testing.F) {
	for _, s := range []string{`{"token":{"a":[1,"x"]},"secret":"secret","[R]":2}`, `["secret","\u0073ecret"]`, `{"secret":1,"[R]#2":1,"[R]":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		plain, err := jsonl.AppendRaw(nil, in, nil)
		out, filterErr := jsonl.AppendRaw(nil, in, testFilter{})
		if (err == nil) != (filterErr == nil) {
			t.Fatalf("%q: %v without, %v with a filter", in, err, filterErr)
		}
		if err != nil {
			return
		}
		checkRaw(t, out) // valid, no key twice
		if bytes.Contains(out, []byte("secret")) {
			t.Fatalf("%q became %q", in, out)
		}
		if !bytes.Contains(plain, []byte("secret")) && !bytes.Contains(plain, []byte(`"token`)) && !bytes.Equal(plain, out) {
			t.Fatalf("%q has nothing to hide and became %q", plain, out)
		}
	})
}

// Very many keys, and as many made alike, take linear time: the test
// would not end otherwise.
func TestManyKeys(t *testing.T) {
	n := 100_000
	if testing.Short() || raceEnabled {
		n = 20_000
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"key%d":{"a":%d}`, i, i)
	}
	in := []byte("{" + b.String()[1:] + "}")
	out, err := jsonl.AppendRaw(nil, in, nil)
	if err != nil || !bytes.Equal(out, in) {
		t.Fatalf("%d keys: %v", n, err)
	}
	out, err = jsonl.AppendRaw(nil, in, alike{})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool, n)
	err = jsonl.Members(out, func(key string, _ []byte) error {
		seen[key] = true
		return nil
	})
	if err != nil || len(seen) != n {
		t.Fatalf("%d keys made alike: %d remain, %v", n, len(seen), err)
	}
	twice := append(bytes.Clone(in[:len(in)-1]), `,"key7":1}`...)
	if _, err := jsonl.AppendRaw(nil, twice, nil); err == nil {
		t.Error("the last of many keys stands twice, unseen")
	}
}

// alike gives all keys the same name.
type alike struct{}

func (alike) Text(s string) string      { return s }
func (alike) Key(string) (string, bool) { return "k", false }
func (alike) Covered(s string) string   { return s }

// Around the number of keys at which the search changes, with nested objects
// on both sides of it.
func TestAppendRawNestedObjectsOfAllSizes(t *testing.T) {
	object := func(n int, inner string) string {
		var b strings.Builder
		for i := range n {
			value := "0"
			if i%5 == 2 {
				value = inner
			}
			fmt.Fprintf(&b, `,"k%d":%s`, i, value)
		}
		return "{" + strings.TrimPrefix(b.String(), ",") + "}"
	}
	for outer := range 40 {
		for _, inner := range []int{0, 1, 15, 16, 17, 18, 40} {
			in := object(outer, object(inner, object(17, "1")))
			if _, err := jsonl.AppendRaw(nil, []byte(in), nil); err != nil {
				t.Fatalf("%d, %d: %v", outer, inner, err)
			}
			for _, k := range []int{0, outer / 2, outer - 1} {
				if outer == 0 {
					continue
				}
				twice := in[:len(in)-1] + fmt.Sprintf(`,"\u006b%d":0}`, k)
				if _, err := jsonl.AppendRaw(nil, []byte(twice), nil); err == nil {
					t.Fatalf("%d, %d: k%d stands twice, unseen", outer, inner, k)
				}
			}
		}
	}
}

func TestMembers(t *testing.T) {
	type member struct{ key, value string }
	read := func(in string) (list []member, err error) {
		err = jsonl.Members([]byte(in), func(key string, value []byte) error {
			if cap(value) != len(value) {
				t.Errorf("%s: an append to the value of %q would change the text", in, key)
			}
			list = append(list, member{key, string(value)})
			return nil
		})
		return list, err
	}
	list, err := read(" { \"b\" : 1 , \"\\u0061\\n\": [ {\"b\":2} , 3 ] ,\"c\":{ \"x\":{} }, \"\":\"s\" , \"\xff\":null} \n")
	want := []member{{"b", "1"}, {"a\n", `[ {"b":2} , 3 ]`}, {"c", `{ "x":{} }`}, {"", `"s"`}, {"\ufffd", "null"}}
	if err != nil || fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("got %v, %v want %v", list, err, want)
	}
	if list, err := read("{}"); err != nil || len(list) != 0 {
		t.Errorf("an empty object: %v, %v", list, err)
	}
	for _, c := range rawCases {
		ours := c.want != "" && strings.HasPrefix(strings.TrimLeft(c.in, " \t\r\n"), "{")
		if _, err := read(c.in); (err == nil) != ours {
			t.Errorf("%s: Members says %v", c.rule, err)
		}
	}
}

func TestMembersStopsAtAnError(t *testing.T) {
	stop := fmt.Errorf("stop")
	n := 0
	err := jsonl.Members([]byte(`{"a":1,"b":2,"c":x}`), func(string, []byte) error {
		n++
		if n == 2 {
			return stop
		}
		return nil
	})
	if err != stop || n != 2 {
		t.Errorf("%v after %d calls", err, n)
	}
}

func TestMembersMayBeNested(t *testing.T) {
	var keys []string
	err := jsonl.Members([]byte(`{"a":{"b":{"c":1}},"d":2}`), func(key string, value []byte) error {
		keys = append(keys, key)
		if json.Valid(value) && value[0] == '{' {
			return jsonl.Members(value, func(key string, _ []byte) error {
				keys = append(keys, key)
				return nil
			})
		}
		return nil
	})
	if err != nil || strings.Join(keys, "") != "abd" {
		t.Errorf("%v, %v", keys, err)
	}
}
