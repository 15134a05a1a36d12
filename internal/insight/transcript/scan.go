package transcript

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Scanner walks over one JSON text and checks everything it passes, so that a
// line which it came through is whole. It copies nothing: values are parts of
// the text, strings as they stand between their quotes. It is here because
// decoding whole transcripts into values takes ten times as long.
type Scanner struct {
	b       []byte
	i       int
	depth   int
	checked bool // another Scanner came through: strings need no second look

	// Of the last string that was checked.
	escapes int  // how many of its bytes are none of its characters, for its escape sequences
	wide    bool // it has bytes beyond ASCII
}

// NewLook gives a scanner that walks without checking, to have a quick look.
func NewLook(b []byte) *Scanner { return &Scanner{b: b, checked: true} }

// NewScanner gives a scanner at the beginning of a JSON text.
func NewScanner(b []byte) *Scanner { return &Scanner{b: b} }

// Place is how far the scanner came.
func (s *Scanner) Place() int { return s.i }

// Since gives what the scanner passed since a place.
func (s *Scanner) Since(place int) []byte { return s.b[place:s.i] }

// maxDepth bounds nesting, as other decoders do.
const maxDepth = 1000

func (s *Scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

func (s *Scanner) eat(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// End tells whether nothing but space is left.
func (s *Scanner) End() bool {
	s.space()
	return s.i == len(s.b)
}

// Object walks over an object; each must take the value of the key.
func (s *Scanner) Object(each func(key []byte) bool) bool {
	if !s.eat('{') || !s.enter() {
		return false
	}
	defer s.leave()
	s.space()
	if s.eat('}') {
		return true
	}
	for {
		s.space()
		key, ok := s.str()
		if !ok {
			return false
		}
		s.space()
		if !s.eat(':') {
			return false
		}
		s.space()
		if !each(key) {
			return false
		}
		s.space()
		if !s.eat(',') {
			return s.eat('}')
		}
	}
}

// Array walks over an array; each must take one value.
func (s *Scanner) Array(each func() bool) bool {
	if !s.eat('[') || !s.enter() {
		return false
	}
	defer s.leave()
	s.space()
	if s.eat(']') {
		return true
	}
	for {
		s.space()
		if !each() {
			return false
		}
		s.space()
		if !s.eat(',') {
			return s.eat(']')
		}
	}
}

func (s *Scanner) enter() bool {
	s.depth++
	return s.depth <= maxDepth
}

func (s *Scanner) leave() { s.depth-- }

// Value takes one value of any kind and gives its text.
func (s *Scanner) Value() ([]byte, bool) {
	from := s.i
	ok := s.Skip()
	return s.b[from:s.i], ok
}

// Skip takes one value of any kind.
func (s *Scanner) Skip() bool {
	if s.i >= len(s.b) {
		return false
	}
	switch s.b[s.i] {
	case '"':
		_, ok := s.str()
		return ok
	case '{':
		return s.Object(func([]byte) bool { return s.Skip() })
	case '[':
		return s.Array(s.Skip)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

// Pass takes one value of any kind of which nobody reads anything. Its strings are not
// checked: most of a transcript is such values, and only where they end matters.
func (s *Scanner) Pass() bool {
	before := s.checked
	s.checked = true
	ok := s.Skip()
	s.checked = before
	return ok
}

func (s *Scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

func (s *Scanner) number() bool {
	s.eat('-')
	if !s.eat('0') && !s.digits() {
		return false
	}
	if s.eat('.') && !s.digits() {
		return false
	}
	if s.eat('e') || s.eat('E') {
		if !s.eat('+') {
			s.eat('-')
		}
		return s.digits()
	}
	return true
}

func (s *Scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str takes a string and gives what stands between its quotes. It looks at eight
// bytes at a time for the first that cannot stand in a string as it is: a quote,
// a backslash, a control character. Most of a transcript is such text, so this
// is where the time goes.
func (s *Scanner) str() ([]byte, bool) {
	if !s.eat('"') {
		return nil, false
	}
	if s.checked {
		return s.closed()
	}
	b, i, escapes, high := s.b, s.i, 0, uint64(0)
	for {
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			quote, slash := x^(ones*'"'), x^(ones*'\\')
			found := (((x - ones*' ') &^ x) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)) & highs
			if found != 0 {
				high |= x & (found&-found - 1)
				i += bits.TrailingZeros64(found) / 8
				break
			}
			high |= x
			i += 8
		}
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			high |= uint64(b[i])
			i++
		}
		if i >= len(b) {
			return nil, false
		}
		if b[i] == '"' {
			inside := b[s.i:i]
			s.i, s.escapes, s.wide = i+1, escapes, high&highs != 0
			return inside, true
		}
		if b[i] != '\\' || i+1 >= len(b) {
			return nil, false
		}
		n := 2
		if short[b[i+1]] == 0 {
			if n = unicode16(b[i:]); n == 0 {
				return nil, false
			}
		}
		escapes += n - 1 // n bytes stand for one character
		i += n
	}
}

// chars counts the characters of the string that str gave last.
func (s *Scanner) chars(inside []byte) int {
	if s.wide {
		return runes(inside) - s.escapes
	}
	return len(inside) - s.escapes
}

// runes counts like utf8.RuneCount, and looks at eight bytes at a time: what is
// beyond ASCII is rare in most texts that have any.
func runes(b []byte) (n int) {
	for len(b) >= 8 {
		high := binary.LittleEndian.Uint64(b) & highs
		plain := bits.TrailingZeros64(high) / 8 // 8 where there is none
		n, b = n+plain, b[plain:]
		for len(b) > 0 && b[0] >= utf8.RuneSelf {
			_, size := utf8.DecodeRune(b)
			n, b = n+1, b[size:]
		}
	}
	return n + utf8.RuneCount(b)
}

// closed takes the rest of a string that was checked: up to the first quote
// that no backslash escapes.
func (s *Scanner) closed() ([]byte, bool) {
	for i := s.i; ; i++ {
		j := bytes.IndexByte(s.b[i:], '"')
		if j < 0 {
			return nil, false
		}
		i += j
		slashes := 0
		for i-slashes > s.i && s.b[i-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			inside := s.b[s.i:i]
			s.i = i + 1
			return inside, true
		}
	}
}

// rewritten counts the characters of a string in compact JSON, without its
// quotes, given as it stands between them.
func rewritten(raw []byte) int {
	n := utf8.RuneCount(raw)
	for i := 0; ; {
		j := bytes.IndexByte(raw[i:], '\\')
		if j < 0 {
			return n
		}
		i += j
		r, k := escaped(raw[i:])
		n += written(r) - k
		i += k
	}
}

// Compact counts the characters of a value, which a Scanner has checked, in
// compact JSON: without space, and with nothing escaped that need not be.
func Compact(raw []byte) int {
	n := 0
	s := Scanner{b: raw}
	for s.i < len(raw) {
		switch raw[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		case '"':
			inside, ok := s.str()
			if !ok {
				return n
			}
			n += 2 + rewritten(inside)
		default:
			s.i++
			n++
		}
	}
	return n
}

// written is how many characters a character takes that was escaped.
func written(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\b', r == '\f', r == '\n', r == '\r', r == '\t':
		return 2
	case r < 0x20, r >= 0xD800 && r < 0xE000:
		return 6
	default:
		return 1
	}
}

// Inside gives what stands between the quotes of a value that is a string, nil
// for any other.
func Inside(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

// Integer reads a value that is a whole number; 0 for any other.
func Integer(v []byte) int64 {
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' || n > 1<<58 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// Measured is a string as it stands between its quotes, with how many characters
// it has; the zero value is none.
type Measured struct {
	Raw   []byte
	Chars int
}

// At tells what the next byte is.
func (s *Scanner) At(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

// ObjectOr is object, and takes any other value too.
func (s *Scanner) ObjectOr(each func(key []byte) bool) bool {
	if !s.At('{') {
		return s.Skip()
	}
	return s.Object(each)
}

// Measure takes a value of any kind and measures a string.
func (s *Scanner) Measure() (m Measured, ok bool) {
	if !s.At('"') {
		return m, s.Skip()
	}
	m.Raw, ok = s.str()
	m.Chars = s.chars(m.Raw)
	return m, ok
}

// Fields calls each with every field of an object that was checked.
func Fields(raw []byte, each func(key string, v []byte)) {
	s := &Scanner{b: raw, checked: true}
	s.Object(func(key []byte) bool {
		v, ok := s.Value()
		if ok {
			each(string(key), v)
		}
		return ok
	})
}

// Elements calls each with every element of an array that was checked.
func Elements(raw []byte, each func(v []byte)) {
	s := &Scanner{b: raw, checked: true}
	s.Array(func() bool {
		v, ok := s.Value()
		if ok {
			each(v)
		}
		return ok
	})
}
