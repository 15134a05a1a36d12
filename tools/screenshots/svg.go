package main

import (
	"fmt"
	"html"
	"strings"
)

// picture is one or more windows below each other.
type picture struct {
	title   string
	windows []window
	cols    int // of its windows; 0: columns
}

// width is how wide a picture is, in pixels.
func (p picture) width() float64 {
	cols := p.cols
	if cols == 0 {
		cols = columns
	}
	return float64(cols)*charWidth + 2*margin
}

// window is a terminal: a command, if there is one, and what it printed.
type window struct {
	title, prompt string
	rows          [][]cell
}

// Sizes in pixels. The width of a character is fixed, so that columns stay columns
// in whatever font the reader has.
const (
	charWidth, lineHeight = 7.8, 19.0
	margin, bar, gap      = 18.0, 34.0, 16.0
)

// The head of every picture: colours that stand on a light and on a dark page.
const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">
<title>%s</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#d5dbe3;white-space:pre}
.t{fill:#8b96a5;text-anchor:middle}.p{fill:#7ee2a8}.b{font-weight:700;fill:#f2f5f8}.d{fill:#8b96a5}
.c1{fill:#ff8f85}.c2{fill:#7ee2a8}.c3{fill:#f2cc6b}.c4{fill:#86b7ff}.c5{fill:#d6a6ff}.c6{fill:#72dce3}
</style>
`

func (p picture) svg() string {
	height := -gap
	for _, w := range p.windows {
		height += w.height() + gap
	}
	var b strings.Builder
	title, width := html.EscapeString(p.title), p.width()
	fmt.Fprintf(&b, head, width, height, width, height, title, title)
	top := 0.0
	for _, w := range p.windows {
		w.draw(&b, top, width)
		top += w.height() + gap
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// lines are the rows of a window, with the prompt before them.
func (w window) lines() [][]cell {
	if w.prompt == "" {
		return w.rows
	}
	prompt := []cell{{'$', style{fg: 1 + 2}}, {r: ' '}}
	for _, r := range w.prompt {
		prompt = append(prompt, cell{r, style{bold: true}})
	}
	return append([][]cell{prompt}, w.rows...)
}

func (w window) height() float64 {
	return bar + float64(len(w.lines()))*lineHeight + margin
}

func (w window) draw(b *strings.Builder, top, width float64) {
	fmt.Fprintf(b, `<rect x=".5" y="%.1f" width="%.0f" height="%.0f" rx="9" fill="#161b22" stroke="#3a4452"/>`+"\n", top+0.5, width-1, w.height()-1)
	for i, colour := range []string{"#ff6b60", "#f5bf4f", "#5bc659"} {
		fmt.Fprintf(b, `<circle cx="%d" cy="%.0f" r="5.5" fill="%s"/>`, 20+18*i, top+18, colour)
	}
	fmt.Fprintf(b, "\n<text class=\"t\" x=\"%.0f\" y=\"%.1f\">%s</text>\n", width/2, top+22.5, html.EscapeString(w.title))
	for i, row := range w.lines() {
		drawRow(b, row, top+bar+float64(i)*lineHeight+13)
	}
}

// drawRow draws a line: each stretch of one style is a text, stretched to its
// columns.
func drawRow(b *strings.Builder, row []cell, y float64) {
	for from := 0; from < len(row); {
		to := from + 1
		for to < len(row) && row[to].style == row[from].style {
			to++
		}
		drawRun(b, row[from:to], from, y)
		from = to
	}
}

func drawRun(b *strings.Builder, run []cell, column int, y float64) {
	for len(run) > 0 && run[0].r == ' ' { // no renderer has to keep spaces at the ends
		run, column = run[1:], column+1
	}
	for len(run) > 0 && run[len(run)-1].r == ' ' {
		run = run[:len(run)-1]
	}
	if len(run) == 0 {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>`, margin+float64(column)*charWidth, y, float64(len(run))*charWidth, class(run[0].style))
	var s strings.Builder
	for _, c := range run {
		s.WriteRune(c.r)
	}
	b.WriteString(strings.ReplaceAll(html.EscapeString(s.String()), "  ", "\u00a0 "))
	b.WriteString("</text>\n")
}

func class(s style) string {
	var names []string
	if s.bold {
		names = append(names, "b")
	}
	if s.dim {
		names = append(names, "d")
	}
	if n := (s.fg - 1) % 8; s.fg > 0 && n >= 1 && n <= 6 {
		names = append(names, fmt.Sprintf("c%d", n))
	}
	if len(names) == 0 {
		return ""
	}
	return ` class="` + strings.Join(names, " ") + `"`
}
