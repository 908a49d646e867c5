package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/rs/zerolog"

	"github.com/streamjson/streamjson/emit"
	"github.com/streamjson/streamjson/emit/event"
)

// A session is what all agents of a run share.
type session struct {
	em     *emit.Emitter
	log    zerolog.Logger
	files  fs.FS // the working directory; nothing outside of it can be reached
	script *script
	prompt string
	config config
}

// body is the run. What it returns decides the result: nil is a success. It
// writes no result by itself but where the model says more than that.
func (c config) body(ctx context.Context, em *emit.Emitter, stdin io.Reader) error {
	err := em.Init(event.Init{
		Agent: event.Agent{Name: "agent", Provider: "scripted", Model: modelName},
		Tools: toolNames(),
	})
	if err != nil {
		return err
	}
	prompt, err := c.readPrompt(ctx, stdin)
	if err != nil {
		return err
	}
	s, err := loadScript(ctx, c.script)
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(".")
	if err != nil {
		return fmt.Errorf("the working directory: %w", err)
	}
	defer dir.Close()

	ses := &session{em: em, log: c.logger(em), files: dir.FS(), script: s, prompt: prompt, config: c}
	last, err := ses.newAgent(em.Actor, s.top, "").work(ctx)
	switch {
	case err != nil:
		return err
	case last.stop == stopRefusal:
		return emit.ErrRefused
	case last.stop == stopMaxTokens:
		return em.Finish(event.Result{StopReason: string(stopMaxTokens)})
	default:
		return nil
	}
}

// logger returns the logger for prose on stderr. What is no warning is for who
// has asked for it.
func (c config) logger(em *emit.Emitter) zerolog.Logger {
	if c.verbose {
		return em.Log().Level(zerolog.InfoLevel)
	}
	return em.Log().Level(zerolog.WarnLevel)
}

// newAgent returns an agent that follows a part of the script. The prefix sets
// its ids apart from those of all others.
func (s *session) newAgent(actor *emit.Actor, p part, prefix string) *agent {
	return &agent{
		session: s,
		actor:   actor,
		prefix:  prefix,
		seen:    results{"prompt": {text: s.prompt}},
		model: &scripted{
			file: s.script.file, part: p, prefix: prefix,
			pace: s.config.pace,
		},
	}
}
