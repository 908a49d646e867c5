package schema_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A field is a member of an object as the tables of docs/contract.md list it.
type field struct {
	name     string
	kind     string // string, int, bool, any, number, string[], object, object[], map
	required bool
	members  []field
}

// A row is a line of one of the tables: the payload of a kind of line.
type row struct {
	table  string // the head of the first column
	name   string
	fields []field
}

// readTables reads the tables of docs/contract.md that list members.
func readTables(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	head := ""
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			head = ""
		case head == "" && len(cells) == 2 && (cells[1] == "payload" || strings.HasPrefix(cells[1], "members")):
			head = cells[0]
		case head != "" && !strings.HasPrefix(line, "| ---"):
			r := row{table: head, name: strings.Trim(strings.TrimSuffix(cells[0], " |"), "`")}
			if len(cells) > 1 {
				p := &notation{rest: cells[1]}
				r.fields = p.fields()
				if p.err != nil || p.rest != "" {
					t.Fatalf("%s: can't read %q: %v", r.name, p.rest, p.err)
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// A notation is the text of a cell that is still to be read.
type notation struct {
	rest string
	err  error
}

var fieldHead = regexp.MustCompile("^`([a-z_<>]+)` ((?:string|int|bool|any|number|map)?(?:\\[\\])?) ?([RO])(?: |$|[,;}])")

func (p *notation) fields() []field {
	var list []field
	for p.err == nil {
		m := fieldHead.FindStringSubmatch(p.rest)
		if m == nil {
			p.err = fmt.Errorf("no member at %q", p.rest)
			return nil
		}
		f := field{name: m[1], kind: m[2], required: m[3] == "R"}
		p.rest = strings.TrimLeft(p.rest[strings.Index(p.rest, " "+m[3])+2:], " ")
		if strings.HasPrefix(p.rest, "{") {
			p.rest = p.rest[1:]
			f.members = p.fields()
			if !strings.HasPrefix(p.rest, "}") {
				p.err = fmt.Errorf("no brace at %q", p.rest)
				return nil
			}
			p.rest = p.rest[1:]
			switch f.kind {
			case "":
				f.kind = "object"
			case "[]":
				f.kind = "object[]"
			}
		}
		list = append(list, f)
		if !strings.HasPrefix(p.rest, ",") && !strings.HasPrefix(p.rest, ";") {
			return list
		}
		p.rest = strings.TrimLeft(p.rest[1:], " ")
	}
	return nil
}
