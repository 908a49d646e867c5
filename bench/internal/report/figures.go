package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// figure spells a number with three digits that count.
func figure(x float64) string {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case x == math.Trunc(x) && a < 1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a < 10:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case a < 100:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return thousands(strconv.FormatFloat(x, 'f', 0, 64))
	}
}

// thousands puts commas between groups of three digits.
func thousands(digits string) string {
	sign, digits := digits[:len(digits)-len(strings.TrimPrefix(digits, "-"))], strings.TrimPrefix(digits, "-")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// nanoseconds spells a time with its unit.
func nanoseconds(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return "-"
	case ns < 1e3:
		return figure(ns) + " ns"
	case ns < 1e6:
		return figure(ns/1e3) + " µs"
	default:
		return figure(ns/1e6) + " ms"
	}
}

// ratio spells how many times x is.
func ratio(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return figure(x) + "x"
}

// grid is a table of Markdown.
type grid struct {
	head []string
	rows [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// String aligns the first column to the left and the others to the right.
func (g *grid) String() string {
	var b strings.Builder
	line := func(cells []string) {
		for i := range g.head {
			cell := ""
			if i < len(cells) {
				cell = strings.ReplaceAll(cells[i], "|", `\|`)
			}
			fmt.Fprintf(&b, "| %s ", cell)
		}
		b.WriteString("|\n")
	}
	line(g.head)
	b.WriteString("| --- " + strings.Repeat("| ---: ", len(g.head)-1) + "|\n")
	for _, r := range g.rows {
		line(r)
	}
	return b.String()
}
