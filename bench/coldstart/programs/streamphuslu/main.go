// Streamphuslu prints two lines by phuslu/log.
package main

import (
	"os"

	"github.com/phuslu/log"
)

func main() {
	logger := log.Logger{Writer: log.IOWriter{Writer: os.Stdout}, TimeField: "ts"}
	logger.Log().Str("type", "system").Int("seq", 0).Msg("")
	logger.Log().Str("type", "result").Int("seq", 1).Str("result", "done").Msg("")
}
