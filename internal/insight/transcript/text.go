package transcript

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Text decodes a string, given as it stands between quotes, which a Scanner has checked.
// Bytes that are no text are U+FFFD each, as everywhere in JSON.
func Text(raw []byte) string {
	at := bytes.IndexByte(raw, '\\')
	valid := utf8.Valid(raw)
	if at < 0 && valid {
		return string(raw)
	}
	if !valid || !escapes(raw[at:]) {
		return decoded(raw)
	}
	out := make([]byte, 0, len(raw))
	for {
		out = append(out, raw[:at]...)
		r, n := escaped(raw[at:])
		out = utf8.AppendRune(out, r) // half of a pair is U+FFFD
		raw = raw[at+n:]
		if at = bytes.IndexByte(raw, '\\'); at < 0 {
			return string(append(out, raw...))
		}
	}
}

// escapes tells whether every backslash begins an escape sequence.
func escapes(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return true
		}
		raw = raw[i:]
		n := 2
		if len(raw) < 2 {
			return false
		}
		if short[raw[1]] == 0 {
			if n = unicode16(raw); n == 0 {
				return false
			}
		}
		raw = raw[n:]
	}
}

// decoded is Text for what is not checked, or is no text.
func decoded(raw []byte) string {
	var out string
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	if json.Unmarshal(quoted, &out) != nil {
		return string(raw)
	}
	return out
}

// unicode16 gives the length of the escape sequence with four digits at the
// start of b, two of them where they are a pair of surrogates; 0: it is none.
func unicode16(b []byte) int {
	if _, ok := hex4(b); !ok {
		return 0
	}
	_, n := escaped(b)
	return n
}

// hex4 reads \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// short is the characters behind the escape sequences of two bytes.
var short = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped gives the character of the escape sequence at the start of raw, which
// a Scanner has checked, and how long it is; a pair of surrogates is one.
func escaped(raw []byte) (r rune, n int) {
	if raw[1] != 'u' {
		return rune(short[raw[1]]), 2
	}
	r, _ = hex4(raw)
	if r >= 0xD800 && r < 0xDC00 {
		if low, ok := hex4(raw[6:]); ok && low >= 0xDC00 && low < 0xE000 {
			return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 12
		}
	}
	return r, 6
}
