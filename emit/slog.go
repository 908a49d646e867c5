package emit

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/streamjson/streamjson/clock"
)

// SlogHandler returns a slog.Handler that writes records as prose on stderr:
// the time, the level, the message and the attributes, a group's as
// group.key=value. Records of level warn and above are mirrored into the
// stream as warnings of the actor (contract F11); with Options.MirrorAll those
// of level info too. Levels below info are not enabled.
func (a *Actor) SlogHandler() slog.Handler { return &slogHandler{actor: a} }

type slogHandler struct {
	actor  *Actor
	fields string // of WithAttrs, each with the groups it was added under
	prefix string // of the open groups, with a dot behind each
}

func (h *slogHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (h *slogHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(h.fields)
	r.Attrs(func(attr slog.Attr) bool {
		appendAttr(&b, h.prefix, attr)
		return true
	})
	at := ""
	if !r.Time.IsZero() {
		var stamp clock.Stamper
		at = string(stamp.Append(nil, r.Time))
	}
	h.actor.notice(at, slogLevel(r.Level), r.Message, b.String())
	return nil
}

func (h *slogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	b.WriteString(h.fields)
	for _, attr := range attrs {
		appendAttr(&b, h.prefix, attr)
	}
	return &slogHandler{h.actor, b.String(), h.prefix}
}

func (h *slogHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &slogHandler{h.actor, h.fields, h.prefix + name + "."}
}

func appendAttr(b *strings.Builder, prefix string, attr slog.Attr) {
	value := attr.Value.Resolve()
	if attr.Equal(slog.Attr{}) {
		return
	}
	switch value.Kind() {
	case slog.KindGroup:
		if attr.Key != "" {
			prefix += attr.Key + "."
		}
		for _, member := range value.Group() {
			appendAttr(b, prefix, member)
		}
	case slog.KindTime:
		appendField(b, prefix+attr.Key, value.Time().Format(time.RFC3339Nano))
	default:
		appendField(b, prefix+attr.Key, value.String())
	}
}

func slogLevel(l slog.Level) level {
	switch {
	case l >= slog.LevelError:
		return levelError
	case l >= slog.LevelWarn:
		return levelWarn
	case l >= slog.LevelInfo:
		return levelInfo
	default:
		return levelDebug
	}
}
