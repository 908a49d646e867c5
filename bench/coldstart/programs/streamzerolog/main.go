// Streamzerolog prints two lines by zerolog.
package main

import (
	"os"

	"github.com/rs/zerolog"
)

func main() {
	log := zerolog.New(os.Stdout)
	log.Log().Str("type", "system").Int("seq", 0).Send()
	log.Log().Str("type", "result").Int("seq", 1).Str("result", "done").Send()
}
