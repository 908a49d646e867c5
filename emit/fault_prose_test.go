package emit_test

import (
	"log/slog"

	"github.com/streamjson/streamjson/emit"
)

// logTo says a warning by the slog door of an actor.
func logTo(a *emit.Actor, message string) { slog.New(a.SlogHandler()).Warn(message) }
