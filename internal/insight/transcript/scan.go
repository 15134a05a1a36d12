package transcript

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// scanner walks over one JSON text and checks everything it passes, so that a
// line which it came through is whole. It copies nothing: values are parts of
// the text, strings as they stand between their quotes. It is here because
// decoding whole transcripts into values takes ten times as long.
type scanner struct {
	b       []byte
	i       int
	depth   int
	checked bool // another scanner came through: strings need no second look

	// Of the last string that was checked.
	escapes int  // how many of its bytes are none of its characters, for its escape sequences
	wide    bool // it has bytes beyond ASCII
}

// maxDepth bounds nesting, as other decoders do.
const maxDepth = 1000

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

func (s *scanner) eat(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// end tells whether nothing but space is left.
func (s *scanner) end() bool {
	s.space()
	return s.i == len(s.b)
}

// object walks over an object; each must take the value of the key.
func (s *scanner) object(each func(key []byte) bool) bool {
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

// array walks over an array; each must take one value.
func (s *scanner) array(each func() bool) bool {
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

func (s *scanner) enter() bool {
	s.depth++
	return s.depth <= maxDepth
}

func (s *scanner) leave() { s.depth-- }

// value takes one value of any kind and gives its text.
func (s *scanner) value() ([]byte, bool) {
	from := s.i
	ok := s.skip()
	return s.b[from:s.i], ok
}

func (s *scanner) skip() bool {
	if s.i >= len(s.b) {
		return false
	}
	switch s.b[s.i] {
	case '"':
		_, ok := s.str()
		return ok
	case '{':
		return s.object(func([]byte) bool { return s.skip() })
	case '[':
		return s.array(s.skip)
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

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}

func (s *scanner) number() bool {
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

func (s *scanner) digits() bool {
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
func (s *scanner) str() ([]byte, bool) {
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
func (s *scanner) chars(inside []byte) int {
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
func (s *scanner) closed() ([]byte, bool) {
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
// a scanner has checked, and how long it is; a pair of surrogates is one.
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

// compact counts the characters of a value, which a scanner has checked, in
// compact JSON: without space, and with nothing escaped that need not be.
func compact(raw []byte) int {
	n := 0
	s := scanner{b: raw}
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

// text decodes a string, given as it stands between quotes. Bytes that are no text
// are U+FFFD each, as everywhere in JSON.
func text(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	var out string
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	if json.Unmarshal(quoted, &out) != nil {
		return string(raw)
	}
	return out
}

// inside gives what stands between the quotes of a value that is a string, nil
// for any other.
func inside(v []byte) []byte {
	if len(v) < 2 || v[0] != '"' {
		return nil
	}
	return v[1 : len(v)-1]
}

// integer reads a value that is a whole number; 0 for any other.
func integer(v []byte) int64 {
	var n int64
	for _, c := range v {
		if c < '0' || c > '9' || n > 1<<58 {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}
