package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/streamjson/streamjson/emit/event"
)

// parse reads a script. What can be known to be wrong before the run is an
// error here: a script that fails half way tells its author less.
func parse(file, text string) (*script, error) {
	p := parser{script: script{file: file, agents: map[string]part{}}, known: names("prompt")}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		if err := p.take(line); err != nil {
			return nil, &scriptError{file, p.line, err}
		}
	}
	if err := p.endPart(); err != nil {
		return nil, &scriptError{file, p.line, err}
	}
	return &p.script, nil
}

// A parser takes a script line by line.
type parser struct {
	script script
	line   int

	agent string // whose part this is; "" is the top-level agent
	part  part
	known set // the names that a placeholder can use now
	turn  turnState
}

// A turnState is what matters of the turn so far.
type turnState struct {
	open    bool
	content verb // the last one that streamed; "": nothing was said
	last    verb
	calls   set // the names of its calls, which later turns know
}

// A set is a set of names.
type set map[string]bool

func names(list ...string) set {
	s := set{}
	for _, name := range list {
		s[name] = true
	}
	return s
}

func (p *parser) take(line string) error {
	if !utf8.ValidString(line) {
		return errors.New("the line is not valid UTF-8")
	}
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "agent":
		return p.beginAgent(rest)
	case p.part.loops:
		return fmt.Errorf("%s stands after loop: only agent can", word)
	case word == "turn":
		return p.beginTurn(rest)
	case word == "loop":
		return p.loop(rest)
	case !verb(word).known():
		return fmt.Errorf("%q is no verb", word)
	case !p.turn.open:
		return fmt.Errorf("%s stands outside of a turn: write turn before it", word)
	case p.turn.last.ends():
		return fmt.Errorf("%s stands after %s, which ends its turn", word, p.turn.last)
	default:
		return p.addStep(verb(word), rest)
	}
}

// beginAgent begins the part of a sub-agent.
func (p *parser) beginAgent(name string) error {
	if err := p.endPart(); err != nil {
		return err
	}
	if !validName(name) {
		return fmt.Errorf("agent needs a name of letters, digits, - and _, not %q", name)
	}
	if _, ok := p.script.agents[name]; ok || name == p.agent {
		return fmt.Errorf("agent %s stands here for the second time", name)
	}
	p.agent, p.part, p.known = name, part{}, names("prompt", "task")
	return nil
}

// endPart ends the part of an agent.
func (p *parser) endPart() error {
	if len(p.part.turns) == 0 {
		return errors.New("there is no turn before this: an agent needs one")
	}
	if err := p.endTurn(); err != nil {
		return err
	}
	if p.goesOn() && !p.part.loops {
		return errors.New("the turn before this calls a tool, and nobody sees the result: add a turn, or loop")
	}
	if p.agent == "" {
		p.script.top = p.part
	} else {
		p.script.agents[p.agent] = p.part
	}
	p.turn = turnState{}
	return nil
}

func (p *parser) beginTurn(rest string) error {
	if rest != "" {
		return fmt.Errorf("turn takes nothing, not %q", rest)
	}
	if err := p.nextTurn(); err != nil {
		return err
	}
	p.part.turns = append(p.part.turns, nil)
	p.turn = turnState{open: true, calls: set{}}
	return nil
}

func (p *parser) loop(rest string) error {
	if rest != "" {
		return fmt.Errorf("loop takes nothing, not %q", rest)
	}
	if len(p.part.turns) == 0 {
		return errors.New("loop needs a turn before it")
	}
	if err := p.nextTurn(); err != nil {
		return err
	}
	p.part.loops = true
	return nil
}

// nextTurn ends the turn, if there is one, for another that follows.
func (p *parser) nextTurn() error {
	if len(p.part.turns) == 0 {
		return nil
	}
	if err := p.endTurn(); err != nil {
		return err
	}
	if !p.goesOn() {
		return errors.New("this is never reached: the turn before it calls no tool, so the agent ends there")
	}
	for name := range p.turn.calls {
		p.known[name] = true
	}
	return nil
}

// endTurn checks that a turn is whole.
func (p *parser) endTurn() error {
	switch {
	case p.turn.last == verbRetry:
		return errors.New("nothing follows retry in its turn: say it anew")
	case p.turn.content == "" && (!p.turn.last.ends() || p.turn.last == verbCut):
		return errors.New("the turn before this has neither think, say nor call")
	default:
		return nil
	}
}

// goesOn reports whether the agent goes on after the turn.
func (p *parser) goesOn() bool { return len(p.turn.calls) > 0 && !p.turn.last.ends() }

// addStep adds a step to the turn.
func (p *parser) addStep(v verb, rest string) error {
	s := step{line: p.line, verb: v, text: rest}
	var err error
	switch v {
	case verbThink, verbSay:
		if p.turn.content == v {
			s.text = "\n" + s.text
		}
		err = p.check(s.text)
	case verbCall:
		err = p.parseCall(&s)
	case verbWait:
		s.wait, err = parseWait(rest)
	case verbUsage:
		s.usage, err = parseUsage(rest)
	case verbCut, verbHang:
		if rest != "" {
			err = fmt.Errorf("%s takes nothing, not %q", v, rest)
		}
	default:
		if rest == "" {
			err = fmt.Errorf("%s needs a text", v)
		} else {
			err = p.check(rest)
		}
	}
	if err != nil {
		return err
	}
	switch v {
	case verbThink, verbSay, verbCall:
		p.turn.content = v
	case verbRetry:
		p.turn.content, p.turn.calls = "", set{}
	}
	p.turn.last = v
	t := len(p.part.turns) - 1
	p.part.turns[t] = append(p.part.turns[t], s)
	return nil
}

// parseCall reads [NAME =] TOOL {JSON}.
func (p *parser) parseCall(s *step) error {
	brace := strings.IndexByte(s.text, '{')
	if brace < 0 {
		return errors.New(`call needs a tool and its arguments, as in call read_file {"path": "README.md"}`)
	}
	head, args := s.text[:brace], s.text[brace:]
	name, tool, named := strings.Cut(head, "=")
	if !named {
		tool = name
	}
	s.name, s.tool, s.text = strings.TrimSpace(name), strings.TrimSpace(tool), ""
	switch {
	case !validName(s.tool):
		return fmt.Errorf("call needs the name of a tool, not %q", s.tool)
	case !validName(s.name):
		return fmt.Errorf("a result's name is of letters, digits, - and _, not %q", s.name)
	case s.name == "prompt" || s.name == "task":
		return fmt.Errorf("%s is taken: name the result otherwise", s.name)
	case p.turn.calls[s.name]:
		return fmt.Errorf("another call of this turn is named %s: write call NAME = %s", s.name, s.tool)
	}
	if err := json.Unmarshal([]byte(args), &s.args); err != nil {
		return fmt.Errorf("the arguments of %s are no JSON object: %w", s.tool, err)
	}
	p.turn.calls[s.name] = true
	return p.check(s.args)
}

// check checks the placeholders of a text, or of the strings in arguments.
func (p *parser) check(v any) error {
	_, err := expandAll(v, func(h placeholder) (string, error) {
		if !p.known[h.name] {
			return "", fmt.Errorf("no call of an earlier turn is named %q", h.name)
		}
		return "", nil
	})
	return err
}

func parseWait(rest string) (time.Duration, error) {
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("wait needs a duration such as 500ms, not %q", rest)
	}
	return d, nil
}

func parseUsage(rest string) (event.Usage, error) {
	var u event.Usage
	fields := map[string]*int64{
		"input": &u.InputTokens, "output": &u.OutputTokens,
		"cache_read": &u.CacheRead, "cache_creation": &u.CacheCreation,
	}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.ParseUint(value, 10, 63)
		if fields[name] == nil || err != nil {
			return u, fmt.Errorf("%q is none of input=N, output=N, cache_read=N and cache_creation=N", word)
		}
		*fields[name] = int64(n)
	}
	if rest == "" {
		return u, errors.New("usage needs input=N and output=N")
	}
	return u, nil
}

// validName reports whether a name needs no quotes anywhere.
func validName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}
