package find

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// needle finds the text; an index of -1 is none.
type needle interface {
	// index gives where the first match in b begins and ends.
	index(b []byte) (from, to int)
	// clone gives one for another worker: a needle may have space of its own.
	clone() needle
}

func newNeedle(q Query) (needle, error) {
	if err := checkQuery(q); err != nil {
		return nil, err
	}
	switch {
	case !q.Fold:
		return newLiteral(q.Text), nil
	case isASCII(q.Text) || !utf8.ValidString(q.Text): // bytes that are no characters have one case
		return &folded{literal: newLiteral(string(appendLower(nil, []byte(q.Text))))}, nil
	default:
		return pattern{regexp.MustCompile("(?i)" + regexp.QuoteMeta(q.Text))}, nil
	}
}

func isASCII(s string) bool {
	for _, b := range []byte(s) {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// literal looks for the byte of the text that is the rarest in what programs
// print, and compares the rest only there.
type literal struct {
	text []byte
	rare int // which byte of text
}

// common lists bytes of ordinary output, the most common first. A byte that is
// not in it is rare.
const common = " etaoinsrlhdcumpfg0ybw1v.k-_/2:\n\t\"'(),;=345678x9jqz[]{}<>ETAOINSRLHDCUMPFGYBWVKXJQZ*#+@$%&|~`!?\\^"

func newLiteral(text string) literal {
	l, best := literal{text: []byte(text)}, -1
	for i, b := range l.text {
		rank := strings.IndexByte(common, b)
		if rank < 0 {
			rank = len(common)
		}
		if rank > best {
			l.rare, best = i, rank
		}
	}
	return l
}

func (l literal) clone() needle { return l }

func (l literal) index(b []byte) (from, to int) {
	from = l.find(b)
	return from, from + len(l.text)
}

// find walks from one rare byte to the next. Where it is not rare after all, the
// standard search, which minds that less, goes on.
func (l literal) find(b []byte) int {
	misses := 0
	for at := 0; at+len(l.text) <= len(b); {
		i := bytes.IndexByte(b[at+l.rare:], l.text[l.rare])
		if i < 0 || at+i+len(l.text) > len(b) {
			return -1
		}
		at += i
		if bytes.HasPrefix(b[at:], l.text) {
			return at
		}
		at++
		if misses++; misses > 8+at/12 {
			return after(at, bytes.Index(b[at:], l.text))
		}
	}
	return -1
}

func after(at, i int) int {
	if i < 0 {
		return -1
	}
	return at + i
}

// folded is a literal of ASCII in lower case, and looks in a copy of the same,
// made piece by piece: the match may be near.
type folded struct {
	literal
	lower []byte
}

func (f *folded) clone() needle { return &folded{literal: f.literal} }

func (f *folded) index(b []byte) (from, to int) {
	const piece = 8 << 10
	for at := 0; at < len(b); at += piece {
		end := min(len(b), at+piece+len(f.text)-1)
		f.lower = appendLower(f.lower[:0], b[at:end])
		if i := f.find(f.lower); i >= 0 {
			return at + i, at + i + len(f.text)
		}
	}
	return -1, -1
}

func appendLower(dst, b []byte) []byte {
	dst = append(dst, b...)
	for i, c := range dst {
		if c >= 'A' && c <= 'Z' {
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst
}

// pattern is for letters beyond ASCII, whose two cases may differ in length.
type pattern struct{ re *regexp.Regexp }

func (p pattern) clone() needle { return p }

func (p pattern) index(b []byte) (from, to int) {
	loc := p.re.FindIndex(b)
	if loc == nil {
		return -1, -1
	}
	return loc[0], loc[1]
}
