// Streamzap prints two lines by zap.
package main

import (
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func main() {
	config := zapcore.EncoderConfig{MessageKey: "type", LineEnding: "\n"}
	log := zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(config), zapcore.Lock(os.Stdout), zap.InfoLevel))
	log.Info("system", zap.Int("seq", 0))
	log.Info("result", zap.Int("seq", 1), zap.String("result", "done"))
}
