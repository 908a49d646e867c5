package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/streamjson/streamjson/contract"
	"github.com/streamjson/streamjson/exitcode"
)

// compat compares two schema files.
func compat(s *streams, args []string) int {
	f := flag.NewFlagSet("compat", flag.ContinueOnError)
	asJSON := f.Bool("json", false, "answer with an envelope")
	rest, err := parse(s, f, args)
	if err == nil && len(rest) != 2 {
		err = errors.New("give two schema files, the older one first")
	}
	switch {
	case err != nil && *asJSON && err != flag.ErrHelp: //nolint:errorlint // parse returns it bare
		return document(s, nil, []string{err.Error()}, nil, exitcode.Usage)
	case err != nil:
		return refuse(s, "compat", nil, err)
	}
	changes, err := compareFiles(rest[0], rest[1])
	switch {
	case err != nil && *asJSON:
		return document(s, nil, []string{err.Error()}, nil, exitcode.Usage)
	case err != nil:
		fmt.Fprintf(s.err, "streamjson compat: %v\n", err)
		return exitcode.Usage
	}
	return showChanges(s, changes, *asJSON)
}

func compareFiles(older, newer string) ([]contract.Change, error) {
	var texts [2][]byte
	for i, name := range []string{older, newer} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	return contract.Compare(texts[0], texts[1])
}

func showChanges(s *streams, changes []contract.Change, asJSON bool) int {
	var breaking []string
	for _, c := range changes {
		if c.Breaking {
			breaking = append(breaking, "breaking: "+c.Pointer+": "+c.Reason)
		}
	}
	code := exitcode.OK
	if len(breaking) > 0 {
		code = exitcode.Failure
	}
	if asJSON {
		if changes == nil {
			changes = []contract.Change{}
		}
		return document(s, map[string]any{"changes": changes}, breaking, nil, code)
	}
	p := newPaint(s)
	for _, c := range changes {
		verdict := p.good("allowed ")
		if c.Breaking {
			verdict = p.bad("breaking")
		}
		fmt.Fprintf(s.out, "%s  %s\n          %s\n", verdict, visible(orRoot(c.Pointer)), visible(c.Reason))
	}
	if len(changes) == 0 {
		fmt.Fprintln(s.out, "no change")
		return code
	}
	fmt.Fprintf(s.out, "%s, %d of them breaking\n", plural(len(changes), "change"), len(breaking))
	return code
}

func orRoot(pointer string) string {
	if pointer == "" {
		return "(the document)"
	}
	return pointer
}
