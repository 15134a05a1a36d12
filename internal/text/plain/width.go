package plain

import (
	"sort"
	"unicode/utf8"
)

// kind is what a terminal has to know of a character: in the low bits how many
// cells it takes by itself, in the others what it joins.
type kind uint8

const (
	none kind = 0
	one  kind = 1
	two  kind = 2

	cellsMask kind = 3

	pict    kind = 1 << 2 // a pictograph: joined by zero width joiners
	textual kind = 1 << 3 // shown as text, in one cell, unless a selector asks for the emoji
	region  kind = 1 << 4 // half of a flag
	tone    kind = 1 << 5 // the colour of the skin of the emoji before it
	joiner  kind = 1 << 6 // of a Grapheme: a zero width joiner came last
)

// The characters that join others.
const (
	zeroWidthJoiner = '\u200d'
	emojiSelector   = '\ufe0f'
)

// kindOf looks a character up. Those that screens are full of are told without the table.
func kindOf(r rune) kind {
	switch {
	case r < 0x80:
		if r >= '0' && r <= '9' || r == '#' || r == '*' {
			return one | textual
		}
		return one
	case r >= 0x2500 && r <= 0x259f, r >= 0x2800 && r <= 0x28ff: // lines, blocks, dots
		return one
	case r >= 0x4e00 && r <= 0x9fff:
		return two
	}
	if i := sort.Search(len(spans), func(i int) bool { return spans[i].last >= r }); i < len(spans) && spans[i].first <= r {
		return spans[i].kind
	}
	if i := sort.Search(len(marks), func(i int) bool { return marks[i][1] >= r }); i < len(marks) && marks[i][0] <= r {
		return none
	}
	return one
}

// Width is how many cells of a terminal a character takes by itself: 0, 1 or 2.
func Width(r rune) int { return int(kindOf(r) & cellsMask) }

// Grapheme is as much of the character that a person sees, which may be written with
// several code points, as the next code point needs to know of it.
type Grapheme kind

// Begin is the grapheme of one code point.
func Begin(r rune) Grapheme { return Grapheme(kindOf(r)) }

// Width is how many cells of a terminal the grapheme takes.
func (g Grapheme) Width() int { return int(kind(g) & cellsMask) }

// Lone tells whether the grapheme begins with something that joins nothing before
// it: then Add need not be asked.
func (g Grapheme) Lone() bool {
	return kind(g)&cellsMask != none && kind(g)&(pict|region|tone) == 0
}

// Add joins the next code point, and tells whether it belongs to the grapheme at
// all: marks, selectors, what a zero width joiner joins, skin tones, and the second
// half of a flag do.
func (g Grapheme) Add(r rune) (Grapheme, bool) {
	have, next := kind(g), kindOf(r)
	joined := have &^ joiner
	switch {
	case r == zeroWidthJoiner:
		if have&pict != 0 {
			joined |= joiner
		}
	case r == emojiSelector:
		if have&textual != 0 {
			joined = joined.widened(two)
		}
	case next&cellsMask == none:
	case have&joiner != 0 && next&pict != 0:
		joined = joined.widened(next)
	case next&tone != 0 && have&pict != 0:
		joined = joined.widened(two)
	case next&region != 0 && have&region != 0:
		joined = joined.widened(two) &^ region
	default:
		return g, false
	}
	return Grapheme(joined), true
}

func (k kind) widened(to kind) kind {
	return k&^cellsMask | max(k&cellsMask, to&cellsMask)
}

// next is the length in bytes of the first grapheme of s, and its width.
func next(s string) (n, width int) {
	r, n := utf8.DecodeRuneInString(s)
	g := Begin(r)
	for n < len(s) {
		if s[n] < 0x80 {
			break
		}
		r, size := utf8.DecodeRuneInString(s[n:])
		joined, ok := g.Add(r)
		if !ok {
			break
		}
		g, n = joined, n+size
	}
	return n, g.Width()
}

// Cells is how many cells of a terminal a text takes.
func Cells(s string) (cells int) {
	for len(s) > 0 {
		n, width := next(s)
		cells, s = cells+width, s[n:]
	}
	return cells
}

// Head is as much of the beginning of a text as fits into so many cells; no
// grapheme is cut.
func Head(s string, cells int) string {
	at := 0
	for at < len(s) {
		n, width := next(s[at:])
		if cells -= width; cells < 0 {
			break
		}
		at += n
	}
	return s[:at]
}
