// Streamsegmentio prints two lines by segmentio.
package main

import (
	"os"

	"github.com/segmentio/encoding/json"
)

type line struct {
	Type   string `json:"type"`
	Seq    int    `json:"seq"`
	Result string `json:"result"`
}

func main() {
	e := json.NewEncoder(os.Stdout)
	for _, l := range []line{{"system", 0, ""}, {"result", 1, "done"}} {
		if e.Encode(l) != nil {
			os.Exit(1)
		}
	}
}
