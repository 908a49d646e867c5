package streamjsoncobra

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help is the answer to a question for help in JSON mode, of the same shape as
// that of envelope.Command, and with the shorthands of flags besides.
type help struct {
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
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Value     string `json:"value"` // what kind of value; "" for a boolean flag
	Default   string `json:"default"`
	Usage     string `json:"usage"`
}

func helpData(c *cobra.Command, text string) help {
	h := help{
		Command: c.CommandPath(), Summary: c.Short, Usage: text,
		Commands: []helpCommand{}, Flags: []helpFlag{},
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			h.Commands = append(h.Commands, helpCommand{Name: sub.Name(), Args: argsOf(sub), Summary: sub.Short})
		}
	}
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		h.Flags = append(h.Flags, helpFlag{Name: f.Name, Shorthand: f.Shorthand, Value: value, Default: f.DefValue, Usage: usage})
	}
	c.LocalFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	return h
}

// argsOf is the use line of a command without its name.
func argsOf(c *cobra.Command) string {
	if len(c.Use) > len(c.Name()) {
		return c.Use[len(c.Name())+1:]
	}
	return ""
}
