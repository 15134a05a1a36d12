package page

import (
	"strconv"
	"strings"
)

// px writes a coordinate.
func px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// picture is an SVG that says in words what it shows.
func picture(class, label string, width, height float64, parts ...Node) Node {
	return with("svg", []string{"class", class, "role", "img", "aria-label", label, "viewBox", "0 0 " + px(width) + " " + px(height), "preserveAspectRatio", "none"}, parts...)
}

// title is what a mark says under the pointer.
func title(text string) Node { return with("title", nil, Text(text)) }

func rect(class string, x, y, width, height float64, said string) Node {
	return with("rect", []string{"class", class, "x", px(x), "y", px(y), "width", px(max(width, 0)), "height", px(max(height, 0))}, title(said))
}

// Part is one share of a whole. Class is its colour in the stylesheet.
type Part struct {
	Name, Class, Note string
	Value             float64
	Said              string // the value in words
}

// Shares shows what a whole is made of: one bar, and below it a line for each part.
func Shares(label string, parts []Part) Node {
	sum, most := 0.0, 0.0
	for _, p := range parts {
		sum += p.Value
		most = max(most, p.Value)
	}
	if sum <= 0 {
		return El("p", "empty", Text("Nothing to show yet."))
	}
	const width, height = 1000, 28
	var marks []Node
	x := 0.0
	var rows [][]Node
	for _, p := range parts {
		w := p.Value / sum * width
		marks = append(marks, rect("fill "+p.Class, x, 0, w, height, p.Name+": "+p.Said))
		x += w
		share := percent(p.Value / sum)
		bar := picture("bar", p.Name+" "+share, 100, 10, rect("fill "+p.Class, 0, 0, p.Value/most*100, 10, p.Said))
		rows = append(rows, []Node{Join(El("i", "key "+p.Class), Text(p.Name)), bar, Text(p.Said), Text(share), El("span", "note", Text(p.Note))})
	}
	table := Table([]Column{{}, {Wide: true, Least: true}, {Right: true}, {Right: true}, {Least: true}}, rows)
	return Join(picture("stack", label, width, height, marks...), table)
}

// percent is a share as people read it: what is there is never shown as nothing.
func percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return strconv.FormatFloat(share*100, 'f', 0, 64) + "%"
}

// Mark is something that happened at a place of a curve.
type Mark struct {
	At   int
	Said string
}

// Curve shows how a figure went, for example the context of a session over its replies. Nothing is
// drawn for fewer than two values. Most is the top of the picture.
func Curve(label string, values []float64, most float64, marks []Mark) Node {
	if len(values) < 2 || most <= 0 {
		return El("span", "empty", Text("–"))
	}
	const width, height = 300, 40
	x := func(i int) float64 { return float64(i) / float64(len(values)-1) * width }
	y := func(v float64) float64 { return height - min(v/most, 1)*(height-2) }
	line := make([]string, len(values))
	for i, v := range values {
		line[i] = px(x(i)) + "," + px(y(v))
	}
	points := strings.Join(line, " ")
	parts := []Node{
		title(label),
		with("polygon", []string{"class", "area", "points", "0," + px(height) + " " + points + " " + px(width) + "," + px(height)}),
		with("polyline", []string{"class", "line", "points", points}),
	}
	for _, m := range marks {
		at := px(x(m.At))
		parts = append(parts, with("line", []string{"class", "mark", "x1", at, "x2", at, "y1", "0", "y2", px(height)}, title(m.Said)))
	}
	return picture("curve", label, width, height, parts...)
}

// Bar is one bar of Bars, made of parts from the bottom up.
type Bar struct {
	Name, Said string
	Parts      []Part
}

func (b Bar) sum() (v float64) {
	for _, p := range b.Parts {
		v += p.Value
	}
	return v
}

// Bars shows a figure by day, week or the like.
func Bars(label string, bars []Bar) Node {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.sum())
	}
	if most <= 0 {
		return El("p", "empty", Text("Nothing to show yet."))
	}
	const height = 120
	var columns []Node
	for _, b := range bars {
		var marks []Node
		y := float64(height)
		for _, p := range b.Parts {
			h := p.Value / most * height
			y -= h
			marks = append(marks, rect("fill "+p.Class, 0, y, 100, h, b.Name+", "+p.Name+": "+p.Said))
		}
		columns = append(columns, El("li", "", El("span", "said", Text(b.Said)), picture("column", b.Name+": "+b.Said, 100, height, marks...), El("span", "name", Text(b.Name))))
	}
	return with("ol", []string{"class", "bars", "aria-label", label}, columns...)
}

// Legend names the colours of a picture.
func Legend(parts []Part) Node {
	var items []Node
	for _, p := range parts {
		items = append(items, El("span", "", El("i", "key "+p.Class), Text(p.Name)))
	}
	return El("p", "legend", items...)
}

// heats are the steps of Heat's colour.
const heats = 5

// Heat is a bar beside a figure: the more, the darker.
func Heat(value, most float64, said string) Node {
	if most <= 0 {
		return Text(said)
	}
	step := min(int(value/most*heats)+1, heats)
	return Join(picture("bar", said, 100, 10, rect("fill heat-"+strconv.Itoa(step), 0, 0, value/most*100, 10, said)))
}
