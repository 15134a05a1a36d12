package glob

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one unit of a pattern element.
type token struct {
	kind  kind
	char  rune   // of a literal
	class string // the inside of a class, without its negation
}

type kind int

const (
	literal kind = iota
	star
	anyChar
	class
	notClass
)

// next reads the token at the start of a non-empty pattern and its length in
// bytes; false when it has no end.
func next(p string) (token, int, bool) {
	switch p[0] {
	case '*':
		return token{kind: star}, 1, true
	case '?':
		return token{kind: anyChar}, 1, true
	case '[':
		return nextClass(p)
	case '\\':
		if len(p) == 1 {
			return token{}, 0, false
		}
		r, n := decode(p[1:])
		return token{char: r}, n + 1, true
	}
	r, n := decode(p)
	return token{char: r}, n, true
}

// nextClass reads [...]; a ] that comes first is a member.
func nextClass(p string) (token, int, bool) {
	t, start := token{kind: class}, 1
	if len(p) > 1 && (p[1] == '!' || p[1] == '^') {
		t.kind, start = notClass, 2
	}
	for i := start; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
		case p[i] == ']' && i > start:
			t.class = p[start:i]
			return t, i + 1, true
		}
	}
	return token{}, 0, false
}

// matches tells whether one character fits a token that is not a star.
func (t token) matches(r rune) bool {
	switch t.kind {
	case anyChar:
		return true
	case class:
		return inClass(t.class, r)
	case notClass:
		return !inClass(t.class, r)
	case literal, star:
	}
	return t.kind == literal && t.char == r
}

// inClass walks members and ranges; a range the wrong way round is empty.
func inClass(members string, r rune) bool {
	for members != "" {
		var lo, hi rune
		lo, members = member(members)
		hi = lo
		if len(members) > 1 && members[0] == '-' {
			hi, members = member(members[1:])
		}
		if lo <= r && r <= hi {
			return true
		}
	}
	return false
}

func member(s string) (rune, string) {
	if s[0] == '\\' && len(s) > 1 {
		s = s[1:]
	}
	r, n := decode(s)
	return r, s[n:]
}

// matchElem is the same walk as matchElems, over the characters of one element.
func matchElem(pat, s string) bool {
	if !strings.ContainsAny(pat, `*?[\`) {
		return pat == s
	}
	p, i, backP, backI := 0, 0, -1, 0
	for i < len(s) {
		r, size := decode(s[i:])
		if p < len(pat) {
			t, n, _ := next(pat[p:])
			if t.kind == star {
				backP, backI = p+n, i
				p += n
				continue
			}
			if t.matches(r) {
				p += n
				i += size
				continue
			}
		}
		if backP < 0 {
			return false
		}
		_, size = decode(s[backI:])
		backI += size
		p, i = backP, backI
	}
	return strings.Trim(pat[p:], "*") == ""
}

// decode reads one character; a byte that is no UTF-8 is a character of its own
// beyond the last real one, so that two different bytes never look alike.
func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return unicode.MaxRune + 1 + rune(s[0]), 1
	}
	return r, n
}
