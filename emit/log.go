package emit

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/streamjson/streamjson/internal/jsonl"
)

// Log returns a logger for prose: one line a call on stderr, the level, the
// message and the fields, for people. What is of level warn and above is
// mirrored into the stream (contract F11); with Options.MirrorAll, info too.
// Mirrored lines are the top-level actor's: a nested one has Warn and
// SlogHandler.
//
// Its Fatal ends the process at once, without a result; its Panic is a panic
// of the goroutine that calls it.
func (e *Emitter) Log() *zerolog.Logger {
	logger := zerolog.New(logWriter{e.Actor})
	return &logger
}

// A logWriter turns a logger's JSON lines into notices.
type logWriter struct{ actor *Actor }

var _ zerolog.LevelWriter = logWriter{}

func (w logWriter) Write(p []byte) (int, error) { return w.WriteLevel(zerolog.NoLevel, p) }

func (w logWriter) WriteLevel(l zerolog.Level, p []byte) (int, error) {
	message, at, fields, err := readLog(p)
	if err != nil {
		// The program's own logger can't fail to be read but by an option of
		// the build; the text must not be lost for that.
		message = string(p)
	}
	w.actor.notice(at, logLevel(l), message, fields)
	return len(p), nil
}

// readLog takes a logger's line apart. A key may stand in it twice, and a field
// of the program's may have a name that the logger uses itself: the logger
// writes its level first and its message last, and a time is one.
func readLog(p []byte) (message, at, fields string, err error) {
	var b strings.Builder
	level, said := false, false
	err = eachMember(p, func(key string, value []byte) {
		text := fieldText(value)
		switch {
		case key == zerolog.LevelFieldName && !level:
			level = true
		case key == zerolog.TimestampFieldName && at == "" && isTime(text):
			at = text
		case key == zerolog.MessageFieldName:
			if said {
				appendField(&b, key, message)
			}
			message, said = text, true
		default:
			appendField(&b, key, text)
		}
	})
	return message, at, b.String(), err
}

// isTime reports whether text is how a logger writes the time.
func isTime(text string) bool {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return true
	}
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// eachMember calls f for the members of a JSON object, in order.
func eachMember(object []byte, f func(key string, value []byte)) error {
	var lexer jsonl.Lexer
	lexer.Reset(object)
	var key string
	start := 0
	for {
		token, err := lexer.Next()
		if err != nil || token.Kind == jsonl.End {
			return err
		}
		switch opens := token.Kind == jsonl.BeginObject || token.Kind == jsonl.BeginArray; {
		case token.Kind == jsonl.Key && lexer.Depth() == 1:
			key = fieldText(object[token.Start:token.End])
		case opens && lexer.Depth() == 2:
			start = token.Start
		case opens || lexer.Depth() != 1 || token.Kind == jsonl.EndObject && token.End == len(object):
		case token.Kind == jsonl.EndObject || token.Kind == jsonl.EndArray:
			f(key, object[start:token.End])
		default:
			f(key, object[token.Start:token.End])
		}
	}
}

// fieldText returns the text of a JSON value: a string's without quotes.
func fieldText(value []byte) string {
	if len(value) > 0 && value[0] == '"' {
		return string(jsonl.AppendUnquoted(nil, value))
	}
	return string(value)
}

// appendField appends " key=value"; what could be taken for another field is
// quoted.
func appendField(b *strings.Builder, key, value string) {
	b.WriteByte(' ')
	writeWord(b, key)
	b.WriteByte('=')
	writeWord(b, value)
}

func writeWord(b io.Writer, s string) {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || r == '"' || r == '=' || spelled(r) }) {
		_, _ = b.Write(jsonl.AppendString(nil, s))
		return
	}
	_, _ = io.WriteString(b, s)
}

func logLevel(l zerolog.Level) level {
	switch l {
	case zerolog.TraceLevel, zerolog.DebugLevel:
		return levelDebug
	case zerolog.WarnLevel:
		return levelWarn
	case zerolog.ErrorLevel, zerolog.FatalLevel, zerolog.PanicLevel:
		return levelError
	default:
		return levelInfo
	}
}
