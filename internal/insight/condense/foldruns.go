package condense

import (
	"fmt"
	"strings"
)

// fold marks what is left out: noise, and the middle of each stretch of text that
// belongs to nothing; blank lines go with what stands around them.
func (f *folding) fold() {
	stretches := 0
	f.eachStretch(func(from, to int) {
		if to-from > runHead+runTail+1 {
			stretches++
		}
	})
	f.eachStretch(func(from, to int) { f.foldStretch(from, to, stretches) })
}

// eachStretch calls do for the lines between findings.
func (f *folding) eachStretch(do func(from, to int)) {
	for i := 0; i < len(f.lines); {
		if f.lines[i].is > noise {
			i++
			continue
		}
		end := i
		for end < len(f.lines) && f.lines[end].is <= noise {
			end++
		}
		do(i, end)
		i = end
	}
}

// foldStretch leaves out the noise between two findings, and of the other text
// all but its ends: where there are many stretches, less of each is shown.
func (f *folding) foldStretch(from, to, stretches int) {
	head, tail := runHead, runTail
	switch {
	case stretches > many && f.mode == difference:
		head, tail = manyDiff, manyTail
	case stretches > many:
		head, tail = manyHead, manyTail
	case f.mode == difference:
		head = diffHead
	}
	var rest []int // the lines that are not noise
	for i := from; i < to; i++ {
		l := &f.lines[i]
		if l.odd {
			continue
		}
		if l.is == noise {
			l.gone = true
		} else if l.is == other {
			rest = append(rest, i)
		} else {
			l.gone, l.kind = true, blanks
		}
	}
	if len(rest) <= head+tail+1 {
		return
	}
	for _, i := range rest[head : len(rest)-tail] {
		f.lines[i].gone, f.lines[i].kind = true, lines
	}
}

// result writes what is left; a stretch that its own marker would not shorten
// stays as it is.
func (f *folding) result(total int) Condensed {
	c := Condensed{Lines: total}
	var b strings.Builder
	for i := 0; i < len(f.lines); {
		end := i
		for end < len(f.lines) && f.lines[end].gone {
			end++
		}
		if end == i {
			b.WriteString(f.lines[i].text + "\n")
			i++
			continue
		}
		f.leaveOut(&b, &c, i, end)
		i = end
	}
	left := 0
	for _, k := range c.Cut {
		left += k.Lines
	}
	c.Shown = max(total-left, 0)
	fmt.Fprintf(&b, "[kedge: %d of %d lines shown", c.Shown, total)
	if n := f.shortened(); n > 0 {
		c.Cut = append(c.Cut, Cut{"shortened", n})
		fmt.Fprintf(&b, ", %d of them shortened", n)
	}
	for _, k := range c.Cut {
		if k.Kind == byRule || k.Kind == byFile {
			fmt.Fprintf(&b, ", %d %s", k.Lines, k.Kind)
		}
	}
	b.WriteString("]\n")
	c.Text = b.String()
	return c
}

// shortened counts the lines that are shown in part.
func (f *folding) shortened() int {
	n := 0
	for _, l := range f.lines {
		if l.short && !l.gone {
			n++
		}
	}
	return n
}

// leaveOut writes the marker of the lines from i to end, or the lines.
func (f *folding) leaveOut(b *strings.Builder, c *Condensed, i, end int) {
	var cut []Cut
	size := 0
	instead := ""
	for _, l := range f.lines[i:end] {
		size += len(l.text) + 1
		cut = add(cut, Cut{l.kind, 1})
		instead += l.instead
	}
	text := marker(cut, end-i)
	if len(text)+1 > size && instead == "" {
		for _, l := range f.lines[i:end] {
			b.WriteString(l.text + "\n")
		}
		return
	}
	b.WriteString(text + "\n" + instead)
	for _, k := range cut {
		c.Cut = add(c.Cut, k)
	}
}

// add counts k among what was left out.
func add(cut []Cut, k Cut) []Cut {
	for i := range cut {
		if cut[i].Kind == k.Kind {
			cut[i].Lines += k.Lines
			return cut
		}
	}
	return append(cut, k)
}

// marker says in one line what stood there.
func marker(cut []Cut, n int) string {
	var parts []string
	for _, k := range cut {
		if k.Kind != lines && k.Kind != blanks {
			parts = append(parts, fmt.Sprintf("%d %s", k.Lines, k.Kind))
		}
	}
	text := fmt.Sprintf("… %d lines", n)
	if n == 1 {
		text = "… 1 line"
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
