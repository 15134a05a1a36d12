package page

import (
	"strconv"
	"strings"
)

// Dot is one figure of a Plot.
type Dot struct {
	X, Y float64
	Said string // its figures in words
}

// Axis is what stands beside a picture: the names of its lowest and highest values, and what
// they count.
type Axis struct{ Low, Middle, High, Unit string }

// Plot is a line over two axes. Dots are in the order of X; Top is the highest value of the
// picture.
type Plot struct {
	Label string // the picture in words
	Dots  []Dot
	Top   float64
	X, Y  Axis
	Marks []Mark // At is the place among the dots before which it happened
}

// The size of a picture in its own units: it is stretched to the room that it has.
const (
	plotWidth  = 600
	plotHeight = 160
)

// Draw makes the picture. Fewer than two dots make none.
func (p Plot) Draw() Node {
	if len(p.Dots) < 2 || p.Top <= 0 {
		return El("p", "empty", Text("Nothing to show yet."))
	}
	low, high := p.Dots[0].X, p.Dots[len(p.Dots)-1].X
	x := func(v float64) float64 { return (v - low) / max(high-low, 1e-9) * plotWidth }
	y := func(v float64) float64 { return plotHeight - min(v/p.Top, 1)*plotHeight }
	parts := gridLines()
	points := ""
	for _, d := range p.Dots {
		points += px(x(d.X)) + "," + px(y(d.Y)) + " "
	}
	parts = append(parts,
		with("polygon", []string{"class", "area", "points", "0," + px(plotHeight) + " " + points + px(plotWidth) + "," + px(plotHeight)}),
		with("polyline", []string{"class", "line", "points", points}))
	for _, m := range p.Marks {
		at := px(x(p.Dots[min(max(m.At, 0), len(p.Dots)-1)].X))
		parts = append(parts, with("line", []string{"class", "mark", "x1", at, "x2", at, "y1", "0", "y2", px(plotHeight)}, title(m.Said)))
	}
	for i, d := range p.Dots { // what is said under the pointer, anywhere above or below a dot
		from, to := 0.0, float64(plotWidth)
		if i > 0 {
			from = (x(p.Dots[i-1].X) + x(d.X)) / 2
		}
		if i+1 < len(p.Dots) {
			to = (x(d.X) + x(p.Dots[i+1].X)) / 2
		}
		parts = append(parts, rect("touch", from, 0, to-from, plotHeight, d.Said))
	}
	return framed(p.Y, picture("plot", p.Label, plotWidth, plotHeight, parts...), ends(p.X))
}

// gridLines are the lines behind a picture, one at each quarter.
func gridLines() []Node {
	var lines []Node
	for i := range 4 {
		at := px(float64(i) * plotHeight / 4)
		lines = append(lines, with("line", []string{"class", "grid", "x1", "0", "x2", px(plotWidth), "y1", at, "y2", at}))
	}
	return lines
}

// framed puts the names of values beside a picture, and what belongs to the other axis below.
func framed(y Axis, drawn, below Node) Node {
	side := El("div", "axis-y", El("span", "", Text(y.High)), El("span", "", Text(y.Middle)), El("span", "", Text(y.Low)))
	return El("figure", "framed", El("figcaption", "unit", Text(y.Unit)), side, drawn, below)
}

func ends(x Axis) Node {
	return El("div", "axis-x", El("span", "", Text(x.Low)), El("span", "", Text(x.Middle)), El("span", "", Text(x.High)))
}

// mostNames is how many columns have their name below them.
const mostNames = 5

// Columns shows a figure by day, week or the like, over an axis. Every bar has the same width;
// Y names the highest value.
func Columns(label string, bars []Bar, y Axis) Node {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.sum())
	}
	if most <= 0 {
		return El("p", "empty", Text("Nothing to show yet."))
	}
	step := plotWidth / float64(len(bars))
	gap := min(step*0.2, 6)
	parts := gridLines()
	var names []Node
	every := (len(bars) + mostNames - 1) / mostNames
	for i, b := range bars {
		left, at := float64(i)*step, float64(plotHeight)
		for _, p := range b.Parts {
			h := p.Value / most * plotHeight
			at -= h
			parts = append(parts, rect("fill "+p.Class, left+gap/2, at, min(step-gap, 48), h, b.Name+": "+b.Said))
		}
		parts = append(parts, rect("touch", left, 0, step, plotHeight, b.Name+": "+b.Said))
		name := ""
		if i%every == 0 {
			name = b.Name
		}
		names = append(names, El("span", "", Text(name)))
	}
	return framed(y, picture("plot", label, plotWidth, plotHeight, parts...), El("div", "axis-x names", names...))
}

// Steps is a list of things to do, each with a bar for its part of a whole.
func Steps(label string, parts []Part, whole float64) Node {
	var items []Node
	for _, p := range parts {
		items = append(items, El("li", "", El("span", "do", Text(p.Note)), El("span", "worth", Text(p.Said)), picture("bar", p.Said, 100, 10, rect("fill "+p.Class, 0, 0, min(p.Value/max(whole, 1e-9), 1)*100, 10, p.Said))))
	}
	return with("ol", []string{"class", "steps", "aria-label", label}, items...)
}

// Entry is one line of a list that opens: a name, a picture, figures, and what is inside.
type Entry struct {
	Name, Note, Text string
	Picture          Node
	Figures          []Fact // the first is the one that counts
	Inside           Node   // the zero Node: the line does not open
}

// Entries is a list of lines that open.
func Entries(label string, list []Entry) Node {
	var items []Node
	for i, e := range list {
		facts := make([]Node, 0, len(e.Figures))
		for j, f := range e.Figures {
			class := "figure"
			if j > 0 {
				class += " least"
			}
			facts = append(facts, El("span", class, El("b", "", Text(f.Value)), El("small", "", Text(f.Name))))
		}
		line := El("span", "entry",
			El("span", "who", El("b", "mono", Text(e.Name)), El("small", "", Text(e.Note))),
			El("span", "what", Text(e.Text)),
			El("span", "drawn", e.Picture),
			El("span", "figures", facts...))
		if e.Inside.html == "" {
			line = El("div", "closed", line)
		} else {
			line = Fold(line, El("div", "inside", e.Inside))
		}
		items = append(items, with("li", []string{"id", "entry-" + strconv.Itoa(i+1)}, line))
	}
	return with("ol", []string{"class", "entries", "aria-label", label}, items...)
}

// Path is the path of a file: where it is broken into lines, it is after a slash.
func Path(path string) Node {
	return El("span", "mono", Node{strings.ReplaceAll(Text(path).html, "/", "/<wbr>")})
}

// Nav leads to the sections of a page: anchors and names in turn.
func Nav(label string, anchorsAndNames ...string) Node {
	var links []Node
	for i := 0; i+1 < len(anchorsAndNames); i += 2 {
		links = append(links, Link(anchorsAndNames[i], anchorsAndNames[i+1]))
	}
	return with("nav", []string{"aria-label", label}, links...)
}
