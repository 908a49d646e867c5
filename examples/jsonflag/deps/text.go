package deps

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the list as a table.
func (l List) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range l.Dependencies {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", m.Path, m.Version, m.notes())
	}
	return tw.Flush()
}

func (m Module) notes() string {
	notes := []string{"indirect"}
	if m.Direct {
		notes[0] = "direct"
	}
	if m.ReplacedBy != "" {
		notes = append(notes, "replaced by "+m.ReplacedBy)
	}
	return strings.Join(notes, ", ")
}

// WriteText writes the module and its neighbours.
func (d *Detail) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s %s (%s)\nrequired by:\n%srequires:\n%s", d.Path, d.Version, d.notes(), indented(d.RequiredBy), indented(d.Requires))
	return err
}

func indented(list []string) string {
	if len(list) == 0 {
		return "  nothing\n"
	}
	return "  " + strings.Join(list, "\n  ") + "\n"
}

// WriteText writes the chain, one step a line.
func (c *Chain) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, strings.Join(c.Chain, "\n")+"\n")
	return err
}

// WriteText writes one edge a line.
func (e Edges) WriteText(w io.Writer) error {
	for _, edge := range e {
		if _, err := fmt.Fprintln(w, edge[0], edge[1]); err != nil {
			return err
		}
	}
	return nil
}
