package output

import (
	"bytes"
	"regexp"
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
		return literal(q.Text), nil
	case isASCII(q.Text) || !utf8.ValidString(q.Text): // bytes that are no characters have one case
		return &folded{text: appendLower(nil, []byte(q.Text))}, nil
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

// literal is the text as it is.
type literal []byte

func (l literal) clone() needle { return l }

func (l literal) index(b []byte) (from, to int) {
	from = bytes.Index(b, l)
	return from, from + len(l)
}

// folded is a text of ASCII in lower case, and looks in a copy of the same, made
// piece by piece: the match may be near.
type folded struct {
	text  []byte
	lower []byte
}

func (f *folded) clone() needle { return &folded{text: f.text} }

func (f *folded) index(b []byte) (from, to int) {
	const piece = 8 << 10
	for at := 0; at < len(b); at += piece {
		end := min(len(b), at+piece+len(f.text)-1)
		f.lower = appendLower(f.lower[:0], b[at:end])
		if i := bytes.Index(f.lower, f.text); i >= 0 {
			return at + i, at + i + len(f.text)
		}
	}
	return -1, -1
}

func appendLower(dst, b []byte) []byte {
	dst = append(dst, b...)
	for i, c := range dst {
		dst[i] = lower(c)
	}
	return dst
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

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
