package envelope

import (
	"flag"
	"fmt"
	"strings"
)

// usage is the usage text of the command that the arguments name.
func (p *parsed) usage() string {
	if p.usageText == "" {
		p.usageText = p.makeUsage()
	}
	return p.usageText
}

func (p *parsed) makeUsage() string {
	c := p.command()
	defaults := printed(c.Flags, c.Flags.PrintDefaults)
	if c.Flags.Usage != nil {
		own := printed(c.Flags, c.Flags.Usage)
		// The one of package flag knows neither commands nor arguments.
		if _, rest, _ := strings.Cut(own, "\n"); !strings.HasPrefix(own, "Usage") || rest != defaults {
			return own
		}
	}
	var b strings.Builder
	b.WriteString("Usage: " + p.name() + " [flags]")
	if len(c.Commands) > 0 {
		b.WriteString(" COMMAND")
	}
	if c.Args != "" {
		b.WriteString(" " + c.Args)
	}
	b.WriteString("\n")
	if c.Summary != "" {
		b.WriteString("\n" + c.Summary + "\n")
	}
	if len(c.Commands) > 0 {
		b.WriteString("\nCommands:\n")
		width := 0
		for _, sub := range c.Commands {
			width = max(width, len(sub.Name))
		}
		for _, sub := range c.Commands {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, sub.Name, sub.Summary)
		}
	}
	b.WriteString("\nFlags:\n" + defaults)
	return b.String()
}

// printed is what f prints to the output of a flag set.
func printed(flags *flag.FlagSet, f func()) string {
	var b strings.Builder
	output := flags.Output()
	flags.SetOutput(&b)
	defer flags.SetOutput(output)
	f()
	return b.String()
}

// helpData is the answer to --help in JSON mode.
type helpData struct {
	Command  string        `json:"command"`
	Summary  string        `json:"summary"`
	Usage    string        `json:"usage"`
	Commands []helpCommand `json:"commands"`
	Flags    []helpFlag    `json:"flags"`
}

type helpCommand struct {
	Name    string `json:"name"`
	Args    string `json:"args"`
	Summary string `json:"summary"`
}

type helpFlag struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // what kind of value; "" for a boolean flag
	Default string `json:"default"`
	Usage   string `json:"usage"`
}

func (p *parsed) helpData() helpData {
	c := p.command()
	h := helpData{
		Command: p.name(), Summary: c.Summary, Usage: p.usage(),
		Commands: []helpCommand{}, Flags: []helpFlag{},
	}
	for _, sub := range c.Commands {
		h.Commands = append(h.Commands, helpCommand{Name: sub.Name, Args: sub.Args, Summary: sub.Summary})
	}
	c.Flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		h.Flags = append(h.Flags, helpFlag{Name: f.Name, Value: value, Default: f.DefValue, Usage: usage})
	})
	return h
}
