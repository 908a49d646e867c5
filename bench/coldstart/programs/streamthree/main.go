// Streamthree prints two lines with what an agent's CLI imports anyway:
// encoding/json for its events, zerolog and slog for its logs.
package main

import (
	"encoding/json"
	"log/slog"
	"os"

	"github.com/rs/zerolog"
)

type line struct {
	Type   string `json:"type"`
	Seq    int    `json:"seq"`
	Result string `json:"result"`
}

func main() {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	log := zerolog.New(os.Stdout)
	log.Log().Str("type", "system").Int("seq", 0).Send()
	if err := json.NewEncoder(os.Stdout).Encode(line{"result", 1, "done"}); err != nil {
		slog.Error("no result", "err", err)
		os.Exit(1)
	}
}
