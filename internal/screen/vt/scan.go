package vt

import (
	"bytes"
	"unicode/utf8"
)

// scanner finds the ends of escape sequences and characters in bytes that come in
// any pieces. What is not complete is held back: nothing of it has happened yet.
type scanner struct {
	state   scanState
	kind    byte   // what the sequence begins with, after its ESC
	cut     bool   // it ended before its end
	dropped bool   // what was held is no sequence, and another one began in it
	held    []byte // what came of it, up to maxHeld
	heldLen int64  // how much came
	fed     int64  // bytes written so far
}

type scanState uint8

const (
	ground    scanState = iota
	character           // inside of the bytes of one
	escape              // after ESC
	inter               // after ESC and intermediate bytes
	control             // CSI
	text                // OSC, DCS, APC, PM, SOS
	textEsc             // after an ESC in one
)

// maxHeld bounds a sequence: a longer one has no effect.
const maxHeld = 64 << 10

const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// Write takes what the program prints. It never fails.
func (t *Terminal) Write(b []byte) (int, error) {
	n := len(b)
	if t.scan.state != ground {
		b = t.resume(b)
	}
	for len(b) > 0 {
		b = b[t.print(b):]
		if len(b) == 0 {
			break
		}
		size, done := t.scan.begin(b)
		if !done {
			t.scan.keep(b)
			break
		}
		t.take(b[:size], int64(size))
		b = b[size:]
	}
	t.scan.fed += int64(n)
	return n, nil
}

// resume goes on with what is held; it gives the bytes after it.
func (t *Terminal) resume(b []byte) []byte {
	n, done := t.scan.next(b)
	t.scan.keep(b[:n])
	t.fresh = t.fresh && !t.scan.dropped
	t.scan.dropped = false
	if !done {
		return nil
	}
	held := t.scan.held
	t.take(held, t.scan.heldLen)
	t.scan.held, t.scan.heldLen = held[:0], 0
	if cap(held) > 4<<10 {
		t.scan.held = nil
	}
	return b[n:]
}

// What endless gives for a sequence that may have control characters within.
const (
	endlessCSI = "\x1b[<="
	endlessEsc = "\x1b  "
)

// take performs a sequence that came to its end, if it is not too long, or the rest of one
// that was.
func (t *Terminal) take(b []byte, length int64) {
	if length > maxHeld || bytes.HasPrefix(b, []byte(endlessCSI)) || bytes.HasPrefix(b, []byte(endlessEsc)) {
		t.fresh = false
		return
	}
	t.perform(b)
}

// endless gives what begins a sequence without an effect that ends where this one will, if
// this one is too long to have an effect; else it is not ok. pending is how many bytes must
// come again.
func (s *scanner) endless() (begin string, pending int64, ok bool) {
	switch {
	case s.heldLen <= maxHeld:
		return "", 0, false
	case s.state == control:
		return endlessCSI, 0, true
	case s.state == inter:
		return endlessEsc, 0, true
	case s.state == textEsc:
		pending = 1
	}
	if s.kind == ']' {
		return "\x1b]9999;", pending, true
	}
	return "\x1bX", pending, true
}

func (s *scanner) keep(b []byte) {
	s.heldLen += int64(len(b))
	s.held = append(s.held, b[:min(len(b), maxHeld-min(len(s.held), maxHeld))]...)
}

// begin finds the end of what b begins with: an escape sequence, or a character that
// b ends within.
func (s *scanner) begin(b []byte) (n int, done bool) {
	s.cut = false
	switch {
	case b[0] == esc:
		s.state, n = escape, 1
	case len(b) > 1 && isC1(b):
		n = 2
		if _, ends := s.afterEsc(b[1] - 0x40); ends {
			s.state = ground
			return n, true
		}
	default:
		s.state = character
		return len(b), false
	}
	rest, done := s.next(b[n:])
	return n + rest, done
}

// isC1 tells whether b begins with a C1 control: what ESC and a letter are, in one
// character.
func isC1(b []byte) bool { return b[0] == 0xc2 && b[1] >= 0x80 && b[1] <= 0x9f }

// next goes on: n bytes belong to it, and done tells whether that is all of it.
func (s *scanner) next(b []byte) (n int, done bool) {
	for i := 0; i < len(b); i++ {
		c := b[i]
		takes, ends := false, false
		switch s.state {
		case text:
			if c >= 0x20 {
				continue
			}
			takes, ends = s.inText(c)
		case control:
			if c >= 0x20 && c < 0x40 {
				continue
			}
			takes, ends = s.inSequence(c, 0x40)
		case inter:
			takes, ends = s.inSequence(c, 0x30)
		case escape:
			takes, ends = s.afterEsc(c)
		case textEsc:
			if c != '\\' {
				if i > 0 {
					s.cut, s.state = true, ground
					return i - 1, true // the ESC begins another sequence
				}
				s.restart()
				takes, ends = s.afterEsc(c)
				break
			}
			takes, ends = true, true
		case character:
			takes, ends = s.inCharacter(b[:i+1])
		case ground:
		}
		switch {
		case ends && takes:
			s.state = ground
			return i + 1, true
		case ends:
			s.state = ground
			return i, true
		}
	}
	return len(b), false
}

// restart drops a text: the ESC at its end, which is held, begins another sequence.
func (s *scanner) restart() {
	s.held, s.heldLen = append(s.held[:0], esc), 1
	s.state, s.dropped = escape, true
}

func (s *scanner) afterEsc(c byte) (takes, ends bool) {
	s.kind = c
	switch {
	case c == '[':
		s.state = control
	case c == ']', c == 'P', c == 'X', c == '^', c == '_':
		s.state = text
	case c >= 0x20 && c <= 0x2f:
		s.state = inter
	case c >= 0x30 && c <= 0x7e:
		return true, true
	default:
		return s.inSequence(c, 0x7f)
	}
	return true, false
}

// inSequence is what ESC, CSI and their like have in common. Control characters act
// inside of them; what is no part of one ends it.
func (s *scanner) inSequence(c, final byte) (takes, ends bool) {
	switch {
	case c == esc, c >= 0x80:
		s.cut = true
		return false, true
	case c == can, c == sub:
		s.cut = true
		return true, true
	case c >= final && c <= 0x7e:
		return true, true
	}
	return true, false
}

func (s *scanner) inText(c byte) (takes, ends bool) {
	switch {
	case c == esc:
		s.state = textEsc
	case c == can, c == sub:
		s.cut = true
		return true, true
	case c == bel && s.kind == ']':
		return true, true
	}
	return true, false
}

// inCharacter goes on with a character that is held, of which b came since.
func (s *scanner) inCharacter(b []byte) (takes, ends bool) {
	all := append(append(make([]byte, 0, utf8.UTFMax), s.held...), b...)
	if isC1(all) {
		return s.afterEsc(all[1] - 0x40)
	}
	_, n := decode(all)
	return n == 0 || n == len(all), n > 0
}

// decode is the first character of b, which is not ASCII. As much of a broken one as
// can begin a character is one U+FFFD. n is 0 where b ends within a character.
func decode(b []byte) (r rune, n int) {
	r, n = utf8.DecodeRune(b)
	if r != utf8.RuneError || n != 1 {
		return r, n
	}
	if !utf8.FullRune(b) {
		return r, 0
	}
	for n < len(b) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return r, n
}
