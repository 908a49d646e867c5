package report

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/streamjson/streamjson/bench/internal/corpus"
	"github.com/streamjson/streamjson/bench/internal/load"
	"github.com/streamjson/streamjson/bench/internal/rival"
	"github.com/streamjson/streamjson/bench/internal/suite"
)

// Charts writes the charts of the page into dir.
func Charts(dir string, d *Data) error {
	for name, chart := range map[string]func(*Data) (*plot.Plot, error){
		"delta.svg": deltaChart, "encode.svg": encodeChart, "pipe.svg": pipeChart, "start.svg": startChart,
	} {
		p, err := chart(d)
		if err != nil {
			return fmt.Errorf("report: %s: %w", name, err)
		}
		if err := save(filepath.Join(dir, name), p); err != nil {
			return fmt.Errorf("report: %s: %w", name, err)
		}
	}
	return nil
}

// save draws p on white, with a margin: the page may be shown on black.
func save(path string, p *plot.Plot) error {
	const width, height, margin = 20 * vg.Centimeter, 11 * vg.Centimeter, 0.3 * vg.Centimeter
	c := vgsvg.New(width, height)
	c.SetColor(color.White)
	c.Fill(vg.Rectangle{Max: vg.Point{X: width, Y: height}}.Path())
	p.Draw(draw.Crop(draw.New(c), margin, -margin, margin, -margin))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(f)
	return errors.Join(err, f.Close())
}

// The colours of series, ours first; told apart in grey, too.
func colours() []color.Color {
	return []color.Color{
		color.RGBA{0x0b, 0x5c, 0xad, 0xff},
		color.RGBA{0x6a, 0xa9, 0xdc, 0xff},
		color.RGBA{0xe0, 0x8e, 0x2b, 0xff},
		color.RGBA{0x9a, 0x9a, 0x9a, 0xff},
		color.RGBA{0xc8, 0xc8, 0xc8, 0xff},
		color.RGBA{0x5b, 0x5b, 0x5b, 0xff},
	}
}

func newPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Variant = "Sans"
	}
	p.Title.Padding = vg.Points(8)
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	return p
}

// ticks is plot.DefaultTicks with numbers as short as they can be.
func ticks(low, high float64) []plot.Tick {
	list := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range list {
		if t.Label != "" {
			list[i].Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
		}
	}
	return list
}

// rows draws a horizontal bar for each name, the first one on top, ours in
// their own colour, with its value at its end.
func rows(title, unit string, names []string, values []float64, ours func(string) bool) (*plot.Plot, error) {
	p := newPlot(title)
	p.X.Label.Text = unit
	p.X.Min = 0
	n := len(names)
	labels := make([]string, n)
	mine, theirs := make(plotter.Values, n), make(plotter.Values, n)
	for i, name := range names {
		at := n - 1 - i
		labels[at] = name
		if ours(name) {
			mine[at] = values[i]
		} else {
			theirs[at] = values[i]
		}
	}
	for i, v := range []plotter.Values{mine, theirs} {
		bars, err := plotter.NewBarChart(v, vg.Points(12))
		if err != nil {
			return nil, err
		}
		bars.Horizontal = true
		bars.LineStyle.Width = 0
		bars.Color = colours()[3*i]
		p.Add(bars)
	}
	ends := plotter.XYLabels{}
	for i, v := range values {
		ends.XYs = append(ends.XYs, plotter.XY{X: v, Y: float64(n - 1 - i)})
		ends.Labels = append(ends.Labels, " "+figure(v))
	}
	texts, err := plotter.NewLabels(ends)
	if err != nil {
		return nil, err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].Font.Variant = "Sans"
		texts.TextStyle[i].Font.Size = vg.Points(9)
		texts.TextStyle[i].YAlign = draw.YCenter
	}
	p.Add(texts)
	p.NominalY(labels...)
	p.X.Max = 1.1 * slices.Max(append(values, 1e-9))
	return p, nil
}

// A series is one bar of each group.
type series struct {
	name   string
	values plotter.Values
}

// groups draws groups of bars side by side.
func groups(title, unit string, names []string, list []series) (*plot.Plot, error) {
	p := newPlot(title)
	p.Y.Label.Text = unit
	p.Y.Min = 0
	width := vg.Points(100 / float64(len(list)))
	for i, s := range list {
		bars, err := plotter.NewBarChart(s.values, width)
		if err != nil {
			return nil, err
		}
		bars.LineStyle.Width = 0
		bars.Color = colours()[i%len(colours())]
		bars.Offset = width * vg.Length(float64(i)-float64(len(list)-1)/2)
		p.Add(bars)
		p.Legend.Add(s.name, bars)
	}
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.Y.Max *= 1.4 // room for the legend
	return p, nil
}

func isOurs(name string) bool { return strings.HasPrefix(name, suite.Ours) }

func deltaChart(d *Data) (*plot.Plot, error) {
	k := delta(true, corpus.Code, corpus.Delta).String()
	var names []string
	var values []float64
	for _, name := range d.Default.Contenders(k) {
		names = append(names, name)
		values = append(values, d.Default.Row(k, name).NS())
	}
	return rows("a delta of code, 20 to 60 bytes, from call to Write", "nanoseconds", names, values, isOurs)
}

func encodeChart(d *Data) (*plot.Plot, error) {
	var names []string
	for _, kind := range prose() {
		names = append(names, string(kind))
	}
	var list []series
	for _, name := range []string{suite.Ours, rival.SonicInto, "segmentio/encoding", "goccy/go-json", rival.EncodingJSON, rival.Zerolog} {
		s := series{name: name}
		for _, kind := range prose() {
			r := d.Default.Row(delta(false, kind, suite.Large).String(), name)
			if r == nil {
				break
			}
			s.values = append(s.values, suite.Large/r.NS())
		}
		if len(s.values) == len(names) {
			list = append(list, s)
		}
	}
	return groups("a line with a text of 64 KiB, into memory", "GB/s of text", names, list)
}

func pipeChart(d *Data) (*plot.Plot, error) {
	writers := []int{1, 8, 64}
	var names []string
	for _, n := range writers {
		names = append(names, fmt.Sprintf("%d writing", n))
	}
	var list []series
	for _, k := range []LoadKey{
		oursTo(load.Pipe, load.Burst, 0), oursTo(load.Pipe, load.Durable, 0),
		libraryTo(load.Pipe, load.LockWrite, 0), libraryTo(load.Pipe, rival.Zerolog, 0), libraryTo(load.Pipe, rival.EncodingJSON, 0),
	} {
		s := series{name: k.Name()}
		for _, n := range writers {
			k.Writers = n
			if rounds := d.load(k); len(rounds) > 0 {
				s.values = append(s.values, median(rounds, speed)/1e6)
			}
		}
		if len(s.values) == len(writers) {
			list = append(list, s)
		}
	}
	return groups("deltas into a pipe, by goroutines", "million lines a second", names, list)
}

func startChart(d *Data) (*plot.Plot, error) {
	var names []string
	var values []float64
	for _, r := range d.Starts {
		name := r.Library
		if r.Document {
			name += " (envelope)"
		}
		names = append(names, name)
		values = append(values, r.MS())
	}
	return rows("start of a program that prints two lines, or one envelope", "milliseconds", names, values, isOurs)
}
