package emit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The field cases are failures of other programs' machine-readable output,
// numbered. Each that an emitter could repeat has a test here whose name
// begins with TestCase and its number, in the file of its section.

// caseRows returns the numbers of the sections' rows; the list has gaps.
func caseRows() map[string][]int {
	return map[string][]int{
		"A, terminal result":                 {1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23},
		"C, interleaving and half lines":     {37, 38, 40, 41, 43, 44},
		"D, prose on stdout":                 {46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65},
		"E, escapes and colour":              {67, 68, 70, 71},
		"F, write errors and back-pressure":  {73, 74, 76, 77, 79, 80, 82, 83},
		"H, bytes and Unicode":               {92, 94, 95, 97, 98, 100, 101, 103, 104, 106, 107, 109, 110},
		"I, values and keys":                 {112, 113, 115, 116, 118, 119, 121, 122, 124},
		"L, identity, schema, usage, deltas": {145, 146, 148, 149, 151, 152, 154, 155, 157, 158, 160, 161},
	}
}

// Where a row belongs that an emitter has no part in.
const (
	inFileWriter = "the file writer: append, lock and tail repair of a log file"
	inWrapper    = "the wrapper: how a child is started and what its bytes become"
	inChecker    = "the checker: the evolution check of schemas and golden runs"
)

// elsewhere returns the rows that don't concern an emitter, and who they
// belong to.
func elsewhere() map[int]string {
	return map[int]string{
		40:  inFileWriter, // a stub of a killed process stands before what a new one appends
		41:  inFileWriter, // two processes append to one file
		44:  inWrapper,    // a child's output without a last newline
		49:  inWrapper,    // a child that can't be started
		59:  inWrapper,    // what a child inherits
		95:  inWrapper,    // a character split over two reads of a child's stderr
		98:  inWrapper,    // a child that writes UTF-16
		106: inWrapper,    // a file of the wrapper's own instead of a shell's redirection
		107: inWrapper,    // progress lines of a child that end in CR
		146: inChecker,    // the same flag for another format
	}
}

var caseTest = regexp.MustCompile(`^TestCase(\d{3})[A-Z]`)

// caseTests returns the names of the package's tests of field cases by number.
func caseTests(t *testing.T) map[int][]string {
	t.Helper()
	files, err := os.ReadDir(".")
	must(t, err)
	found := map[int][]string{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		must(t, err)
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "TestCase") {
				continue
			}
			match := caseTest.FindStringSubmatch(f.Name.Name)
			if match == nil {
				t.Errorf("%s: %s names no case: TestCase, three digits, what it is about", file.Name(), f.Name.Name)
				continue
			}
			n, err := strconv.Atoi(match[1])
			must(t, err)
			found[n] = append(found[n], f.Name.Name)
		}
	}
	return found
}

// Each row has a test, or belongs to somebody else; and nothing is claimed for
// a row that isn't there.
func TestFieldCasesAreCovered(t *testing.T) {
	tests, others := caseTests(t), elsewhere()
	known := map[int]bool{}
	for section, rows := range caseRows() {
		for _, n := range rows {
			known[n] = true
			_, other := others[n]
			switch named := tests[n]; {
			case len(named) == 0 && !other:
				t.Errorf("section %s: row %d has no test", section, n)
			case len(named) > 0 && other:
				t.Errorf("section %s: row %d has the test %s, and belongs to %s", section, n, named[0], others[n])
			}
		}
	}
	for _, n := range slices.Concat(slices.Collect(maps.Keys(tests)), slices.Collect(maps.Keys(others))) {
		if !known[n] {
			t.Errorf("%d is no row of these sections", n)
		}
	}
}
