package vt

import "strconv"

// colour is 0 for the usual one, else indexed and a number, or direct and 24 bits.
type colour uint32

const (
	indexed colour = 1 << 24
	direct  colour = 2 << 24
	values  colour = 1<<24 - 1
)

// attrs are what a style has beside its colours.
type attrs uint16

const (
	bold attrs = 1 << iota
	dim
	italic
	blink
	fastBlink
	inverse
	invisible
	strike
	overline
	protected // from selective erasing

	lineShift       = 10
	lines     attrs = 7 << lineShift // the kind of underline: 1 to 5, as in SGR 4:1 to 4:5
)

// style is how a cell looks.
type style struct {
	fg, bg, line colour
	attrs        attrs
	link         uint32 // the number of its hyperlink; 0 for none
}

// link is a hyperlink.
type link struct{ id, url string }

// The tables of a terminal grow up to these sizes before what no cell shows is
// forgotten; then up to twice what is left.
const (
	leastStyles   = 512
	leastClusters = 512
	leastLinks    = 64
	maxLink       = 4096 // bytes of a hyperlink
)

// styleOf gives the number of a style.
func (t *Terminal) styleOf(s style) uint32 {
	if s == (style{}) {
		return 0
	}
	if n, ok := t.styleNumbers[s]; ok {
		return n
	}
	if len(t.styles) >= t.styleLimit {
		t.collect()
		if s.link != 0 {
			s.link = t.linkOf(t.collected[s.link])
		}
	}
	n := uint32(len(t.styles))
	t.styles = append(t.styles, s)
	t.styleNumbers[s] = n
	return n
}

// linkOf gives the number of a hyperlink.
func (t *Terminal) linkOf(l link) uint32 {
	if l.url == "" {
		return 0
	}
	if n, ok := t.linkNumbers[l]; ok {
		return n
	}
	if len(t.links) >= t.linkLimit {
		t.collect()
	}
	n := uint32(len(t.links))
	t.links = append(t.links, l)
	t.linkNumbers[l] = n
	return n
}

// collect forgets styles, clusters and links that nothing shows any more. All numbers
// change.
func (t *Terminal) collect() {
	styles, clusters, links := t.styles, t.clusters, t.links
	t.collected = links
	t.clearTables()
	renew := func(s style) style {
		if s.link != 0 {
			l := links[s.link]
			n, ok := t.linkNumbers[l]
			if !ok {
				n = uint32(len(t.links))
				t.links = append(t.links, l)
				t.linkNumbers[l] = n
			}
			s.link = n
		}
		return s
	}
	for _, g := range []*grid{t.main, t.alt, {rows: t.past.rows}} {
		if g == nil {
			continue
		}
		g.saved.pen = renew(g.saved.pen)
		for _, r := range g.rows {
			for i, c := range r.cells {
				r.cells[i] = t.renumbered(c, styles, clusters, renew)
			}
		}
	}
	t.pen = renew(t.pen)
	t.penKnown, t.blankKnown = false, false
	t.styleLimit = max(leastStyles, 2*len(t.styles))
	t.clusterLimit = max(leastClusters, 2*len(t.clusters))
	t.linkLimit = max(leastLinks, 2*len(t.links))
	t.epoch++
}

func (t *Terminal) renumbered(c cell, styles []style, clusters []string, renew func(style) style) cell {
	if old := c.style(); old != 0 {
		s := renew(styles[old])
		n, ok := t.styleNumbers[s]
		if !ok {
			n = uint32(len(t.styles))
			t.styles = append(t.styles, s)
			t.styleNumbers[s] = n
		}
		c = c&content | styled(n)
	}
	if c&cluster != 0 {
		text := clusters[c&code]
		n, ok := t.clusterNumbers[text]
		if !ok {
			n = cell(len(t.clusters))
			t.clusters = append(t.clusters, text)
			t.clusterNumbers[text] = n
		}
		c = c&^code | n
	}
	return c
}

func (t *Terminal) clearTables() {
	t.styles = []style{{}}
	t.styleNumbers = map[style]uint32{}
	t.clusters = nil
	t.clusterNumbers = map[string]cell{}
	t.links = []link{{}}
	t.linkNumbers = map[link]uint32{}
}

// penNumber is the number of the style that is written with.
func (t *Terminal) penNumber() uint32 {
	if !t.penKnown {
		t.penIs = t.styleOf(t.pen)
		t.penKnown = true
	}
	return t.penIs
}

// blank is what erasing leaves: nothing, on the background that is written with.
func (t *Terminal) blank() cell {
	if !t.blankKnown {
		t.blankIs = styled(t.styleOf(style{bg: t.pen.bg}))
		t.blankKnown = true
	}
	return t.blankIs
}

// sgr appends the parameters of SGR that make a style out of the usual one, each
// with a semicolon before it.
func (s style) sgr(dst []byte) []byte {
	for _, a := range [...]struct {
		attr attrs
		text string
	}{{bold, ";1"}, {dim, ";2"}, {italic, ";3"}, {blink, ";5"}, {fastBlink, ";6"}, {inverse, ";7"}, {invisible, ";8"}, {strike, ";9"}, {overline, ";53"}} {
		if s.attrs&a.attr != 0 {
			dst = append(dst, a.text...)
		}
	}
	switch kind := s.attrs & lines >> lineShift; kind {
	case 0:
	case 1:
		dst = append(dst, ";4"...)
	default:
		dst = append(dst, ";4:"...)
		dst = append(dst, '0'+byte(kind))
	}
	dst = s.fg.sgr(dst, 30)
	dst = s.bg.sgr(dst, 40)
	switch s.line &^ values {
	case indexed:
		dst = strconv.AppendUint(append(dst, ";58:5:"...), uint64(s.line&values), 10)
	case direct:
		dst = append(dst, ";58:2:"...)
		dst = s.line.rgb(dst, ':')
	}
	return dst
}

// sgr appends a colour; base is 30 or 40.
func (c colour) sgr(dst []byte, base uint64) []byte {
	n := uint64(c & values)
	switch c &^ values {
	case indexed:
		dst = append(dst, ';')
		switch {
		case n < 8:
			return strconv.AppendUint(dst, base+n, 10)
		case n < 16:
			return strconv.AppendUint(dst, base+60+n-8, 10)
		}
		dst = strconv.AppendUint(dst, base+8, 10)
		return strconv.AppendUint(append(dst, ";5;"...), n, 10)
	case direct:
		dst = strconv.AppendUint(append(dst, ';'), base+8, 10)
		return c.rgb(append(dst, ";2;"...), ';')
	}
	return dst
}

// rgb appends the three parts of a direct colour.
func (c colour) rgb(dst []byte, sep byte) []byte {
	dst = strconv.AppendUint(dst, uint64(c>>16&255), 10)
	dst = strconv.AppendUint(append(dst, sep), uint64(c>>8&255), 10)
	return strconv.AppendUint(append(dst, sep), uint64(c&255), 10)
}
