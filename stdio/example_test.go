package stdio_test

import (
	"fmt"
	"io"
	"os"

	"github.com/streamjson/streamjson/stdio"
)

// A program that writes JSON to its stdout and to nowhere else.
func ExampleClaim() {
	out, err := stdio.Claim()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(74)
	}
	fmt.Println("some library's idea of progress") // lands on stderr
	if _, err := io.WriteString(out, `{"ok":true}`+"\n"); out.ReaderGone(err) {
		os.Exit(141)
	}
}

func ExampleFromFile() {
	out := stdio.FromFile(os.Stdout)
	release, err := stdio.Reserve(out)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer release()
	stop := out.WatchReader(func(error) { os.Exit(141) })
	defer stop()
	fmt.Fprintln(out, `{"ok":true}`)
	// Output: {"ok":true}
}

func ExampleProse() {
	prose, err := stdio.ClaimProse()
	if err != nil {
		return
	}
	defer prose.Drain(0) // what its reader has not taken by now, it won't
	fmt.Fprintln(prose, "reading 12 files")
}
