package output

import (
	"encoding/binary"
	"math/bits"
)

// pair finds a text by two of its bytes that are rare together: eight places at
// once, by arithmetic on words, and only where both stand is the text compared.
type pair struct {
	text         []byte // in lower case where case is the same
	fold         bool
	first, other int    // places of the two bytes in the text, different ones
	wantF, wantO uint64 // the bytes, eight times
	caseF, caseO uint64 // what makes lower case of what stands there, eight times
}

// The bytes of a word: the lowest and the highest bit of each.
const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

func newPair(text []byte, fold bool, first, other int) pair {
	p := pair{text: text, fold: fold, first: first, other: other}
	p.wantF, p.caseF = spread(text[first], fold)
	p.wantO, p.caseO = spread(text[other], fold)
	return p
}

// spread gives a byte, and what is added to others before they are compared with
// it, eight times. With a letter some that are none compare equal: the whole text
// decides.
func spread(b byte, fold bool) (want, lower uint64) {
	if fold && b >= 'a' && b <= 'z' {
		lower = 'a' - 'A'
	}
	return uint64(b) * lows, lower * lows
}

// zeros has the highest bit of the lowest byte of v that is zero; above that one
// it may have others that are not.
func zeros(v uint64) uint64 { return (v - lows) &^ v & highs }

// both tells where in the first eight places of x and y the two bytes stand, as
// zeros does.
func (p *pair) both(x, y []byte) uint64 {
	f := binary.LittleEndian.Uint64(x) | p.caseF
	o := binary.LittleEndian.Uint64(y) | p.caseO
	return zeros((f ^ p.wantF) | (o ^ p.wantO))
}

// byWords is next in words of eight.
func (p *pair) byWords(x, y []byte, at int) int {
	a, b := x[at:], y[at:]
	for ; len(a) >= 8 && len(b) >= 8; a, b = a[8:], b[8:] {
		if word := p.both(a, b); word != 0 {
			return len(x) - len(a) + bits.TrailingZeros64(word)/8
		}
	}
	for i := range a {
		if a[i]|byte(p.caseF) == byte(p.wantF) && b[i]|byte(p.caseO) == byte(p.wantO) {
			return len(x) - len(a) + i
		}
	}
	return len(x)
}

// patience is how often the two bytes may stand without the text: so often, and
// once in so many places.
const patience = 32

// index is where the text stands first in b, -1 for nowhere. It gives up where
// the two bytes stand too often without the text: then sure is false, and from at
// on another way is better.
func (p *pair) index(b []byte) (at int, sure bool) {
	n := len(b) - len(p.text) + 1 // places where it could begin
	if n < 1 {
		return -1, true
	}
	x, y := b[p.first:p.first+n], b[p.other:p.other+n]
	for vain := 0; ; vain++ {
		if at = p.next(x, y, at); at == n {
			return -1, true
		}
		if p.stands(b[at:]) {
			return at, true
		}
		if vain > at/patience+patience {
			return at, false
		}
		at++
	}
}

// stands tells whether b begins with the text.
func (p *pair) stands(b []byte) bool {
	if !p.fold {
		return string(b[:len(p.text)]) == string(p.text)
	}
	for i, want := range p.text {
		if lower(b[i]) != want {
			return false
		}
	}
	return true
}

// often counts about how often the two bytes stand in b.
func (p *pair) often(b []byte) (n int) {
	if len(b) < len(p.text) {
		return 0
	}
	x, y := b[p.first:], b[p.other:]
	for ; len(x) >= 8 && len(y) >= 8; x, y = x[8:], y[8:] {
		n += bits.OnesCount64(p.both(x, y))
	}
	return n
}
