// Command cgoprint prints by way of C while stdout is claimed.
package main

/*
#include <stdio.h>
static void print(const char *text) { printf("%s\n", text); fflush(stdout); }
*/
import "C"

import (
	"io"
	"os"

	"github.com/streamjson/streamjson/stdio"
)

func main() {
	s, err := stdio.Claim()
	if err != nil {
		os.Exit(2)
	}
	C.print(C.CString("stray from C"))
	if _, err := io.WriteString(s, "event\n"); err != nil {
		os.Exit(3)
	}
	C.print(C.CString("late from C"))
}
