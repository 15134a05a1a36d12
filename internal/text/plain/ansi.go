package plain

import "bytes"

// state is where in a sequence the stripper stands.
type state byte

const (
	text   state = iota
	escape       // after ESC
	csi          // ESC [ … up to a byte in 0x40–0x7e
	str          // OSC, DCS, SOS, PM, APC: up to BEL or ST
	strEsc       // an ESC inside one: the first half of ST, or its end
	inter        // ESC with intermediate bytes: up to a byte in 0x30–0x7e
)

// MaxSequence bounds a sequence that never ends: after that many bytes it is taken
// for text again, so that a stray introducer cannot swallow a log. Whoever begins
// so far before a place in a stream, and a byte or two more, knows what is text
// from that place on.
const MaxSequence = 64 << 10

// Stripper removes sequences from a stream. The zero value is at its start.
type Stripper struct {
	state state
	n     int // bytes in the present sequence
}

// Strip appends the text in src to dst and returns it.
func (s *Stripper) Strip(dst, src []byte) []byte {
	for len(src) > 0 {
		var run []byte
		run, src = s.Next(src)
		dst = append(dst, run...)
	}
	return dst
}

// Next gives the next run of text in src, which is a part of src, and the rest;
// sequences before it are passed over. The run is empty only when the rest is.
// Whoever needs to know where a text stood in the stream calls it.
func (s *Stripper) Next(src []byte) (run, rest []byte) {
	for i := 0; i < len(src); i++ {
		if s.state == text {
			if n := csiLen(src[i:]); n > 0 {
				i += n - 1
				continue
			}
			if src[i] != 0x1b {
				return s.run(src[i:])
			}
		}
		if s.step(src[i]) {
			return src[i : i+1], src[i+1:]
		}
	}
	return nil, nil
}

// run is the text up to the next sequence.
func (s *Stripper) run(src []byte) (run, rest []byte) {
	n := bytes.IndexByte(src, 0x1b)
	if n < 0 {
		n = len(src)
	}
	return src[:n], src[n:]
}

// csiLen is the length of the whole and ordinary CSI sequence that b begins
// with, which most sequences are; 0 sends everything else through step.
func csiLen(b []byte) int {
	if len(b) < 3 || b[0] != 0x1b || b[1] != '[' {
		return 0
	}
	for i, c := range b[2:min(len(b), 34)] {
		if c < 0x20 || c > 0x7e {
			return 0
		}
		if c >= 0x40 {
			return i + 3
		}
	}
	return 0
}

// step takes one byte and tells whether it is text.
func (s *Stripper) step(b byte) bool {
	switch s.state {
	case text:
		if b == 0x1b {
			s.state = escape
			return false
		}
		return true
	case escape:
		s.afterEscape(b)
	case inter:
		return s.inInter(b)
	case csi:
		return s.inCSI(b)
	case str, strEsc:
		s.inString(b)
	}
	return false
}

func (s *Stripper) afterEscape(b byte) {
	s.n = 0
	switch {
	case b == '[':
		s.state = csi
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		s.state = str
	case b >= 0x20 && b <= 0x2f:
		s.state = inter
	case b == 0x1b: // the first was a stray
	default:
		s.state = text
	}
}

// inInter ends at a final byte, or where something begins that is no part of it.
func (s *Stripper) inInter(b byte) bool {
	s.n++
	switch {
	case b == 0x1b:
		s.state = escape
	case b >= 0x80:
		s.state = text
		return true
	case b >= 0x30 && b <= 0x7e || b < 0x20 || s.n > MaxSequence:
		s.state = text
	}
	return false
}

// inCSI ends at a final byte; control characters inside act as they do outside,
// so a newline is text even there.
func (s *Stripper) inCSI(b byte) bool {
	s.n++
	switch {
	case b >= 0x40 && b <= 0x7e || s.n > MaxSequence && b >= 0x20 && b < 0x80:
		s.state = text
	case b == 0x1b:
		s.state = escape
	case b < 0x20:
		return true
	case b >= 0x80:
		s.state = text // no part of a sequence: it was cut off
		return true
	}
	return false
}

func (s *Stripper) inString(b byte) {
	s.n++
	switch {
	case b == 0x07 || b == 0x18 || b == 0x1a:
		s.state = text
	case b == 0x1b:
		s.state = strEsc
	case s.state == strEsc && b == '\\':
		s.state = text
	case s.state == strEsc:
		s.state = escape // a new sequence cut the string off
		s.afterEscape(b)
	case s.n > MaxSequence:
		s.state = text
	}
}

// Stripped removes the sequences of a whole text.
func Stripped(b []byte) []byte {
	var s Stripper
	return s.Strip(make([]byte, 0, len(b)), b)
}
