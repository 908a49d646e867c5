// Command adopter is all of main around wrap.Adopt, for tests that need a
// process of its own: signals, pipes, exit statuses.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/streamjson/streamjson/redact"
	"github.com/streamjson/streamjson/wrap"
)

func main() {
	var o wrap.AdoptOptions
	var c wrap.Command
	flag.DurationVar(&c.Timeout, "timeout", 0, "")
	flag.DurationVar(&c.IdleTimeout, "idle", 0, "")
	flag.DurationVar(&c.Grace, "grace", 0, "")
	flag.DurationVar(&o.Heartbeat, "heartbeat", 0, "")
	plain := flag.Bool("no-redact", false, "")
	flag.Parse()
	if *plain {
		o.Redactor = redact.None()
	}
	c.Argv = flag.Args()
	os.Exit(wrap.Adopt(context.Background(), o, c))
}
