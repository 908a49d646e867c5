// Command greet has a library that prints while it is initialized. Its argument
// says what it does with stdout.
package main

import (
	"fmt"
	"os"

	_ "github.com/streamjson/streamjson/stdio/early/testdata/greet/library"

	"github.com/streamjson/streamjson/stdio"
	_ "github.com/streamjson/streamjson/stdio/early"
)

func main() {
	switch os.Args[1] {
	case "claim":
		s := must(stdio.Claim())
		fmt.Println("stray")
		fmt.Fprintln(os.Stderr, "error")
		fmt.Fprintf(s, "event, mirrored %v\n", s.Mirrored())
	case "release":
		s := must(stdio.Claim())
		fmt.Fprintln(s, "event")
		if err := s.Release(); err != nil {
			panic(err)
		}
		fmt.Println("printed")
	case "raw":
		s := must(stdio.Raw())
		fmt.Println("printed")
		fmt.Fprintln(s, "text")
		fmt.Fprintln(os.Stderr, "error")
	case "turns":
		for range 2 {
			raw, s := must(stdio.Raw()), must(stdio.Claim())
			fmt.Println("stray")
			fmt.Fprintln(s, "event")
			if err := s.Release(); err != nil {
				panic(err)
			}
			fmt.Fprintln(raw, "text")
		}
	case "usage":
		fmt.Fprintln(os.Stderr, "usage: greet ACTION")
		os.Exit(2)
	}
}

func must(s *stdio.Stdout, err error) *stdio.Stdout {
	if err != nil {
		panic(err)
	}
	return s
}
