// Streamslog prints two lines by slog.
package main

import (
	"log/slog"
	"os"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	log.Info("system", "seq", 0)
	log.Info("result", "seq", 1, "result", "done")
}
