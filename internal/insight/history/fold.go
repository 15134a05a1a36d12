package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a run of letters, digits and underscores, in small letters. Words are looked
// up by the tokens in which they stand.

// classes says of every byte what it is in a token: 0 is none of it, else the byte itself
// in small letters. Bytes beyond ASCII need a second look.
var classes = func() (t [256]byte) {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) | 0x20
		case c >= utf8.RuneSelf:
			t[c] = beyond
		}
	}
	return t
}()

// beyond is the class of bytes that begin or continue a character beyond ASCII.
const beyond = 0x80

// letter tells whether a character beyond ASCII belongs into a token.
func letter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// folded is a text in small letters, with every run of space as one space: what a phrase is
// looked for in.
func folded(s string) string { return string(fold(nil, []byte(s))) }

// fold is folded of bytes, put behind dst.
func fold(dst, s []byte) []byte {
	space, start := false, len(dst)
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(s[i:])
			i += size
			if unicode.IsSpace(r) {
				space = true
				continue
			}
			if space && len(dst) > start {
				dst = append(dst, ' ')
			}
			space, dst = false, utf8.AppendRune(dst, unicode.ToLower(r))
			continue
		}
		i++
		if c == ' ' || c >= '\t' && c <= '\r' {
			space = true
			continue
		}
		if space && len(dst) > start {
			dst = append(dst, ' ')
		}
		if space = false; c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// tokensOf gives the tokens of a text, in small letters.
func tokensOf(s string) []string {
	return strings.FieldsFunc(strings.Map(unicode.ToLower, s), func(r rune) bool {
		if r < utf8.RuneSelf {
			return classes[r] == 0
		}
		return !letter(r)
	})
}
