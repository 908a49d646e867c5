// Streamgoccy prints two lines by goccy.
package main

import (
	"os"

	json "github.com/goccy/go-json"
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
