package find

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"kedge"
	"kedge/internal/hold/tape"
)

// sieveBlock is how much the sieve looks at at once: little enough to stay in
// the processor's cache.
const sieveBlock = 64 << 10

// sieve tells, by the bytes as they are on the tape, where there can be no match
// at all, so that most of a tape never has its sequences removed. It rests on
// this: a match whose bytes do not stand on the tape in one piece has its first
// break at an ESC, with the beginning of the text straight before it.
type sieve struct {
	literal
	has [256]bool // which bytes can stand before a break
}

// newSieve gives none for a text to which that does not apply: a control
// character is text even inside a sequence.
func newSieve(n needle) *sieve {
	l, ok := n.(literal)
	if !ok || bytes.IndexFunc(l.text, func(r rune) bool { return r < 0x20 }) >= 0 {
		return nil
	}
	s := &sieve{literal: l}
	for _, b := range l.text[:len(l.text)-1] {
		s.has[b] = true
	}
	return s
}

// maybe tells whether a match may begin in b.
func (s *sieve) maybe(b []byte) bool {
	if s.find(b) >= 0 {
		return true
	}
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], 0x1b)
		if i < 0 {
			return false
		}
		at += i
		if at > 0 && s.has[b[at-1]] && s.broken(b, at) {
			return true
		}
		at++
	}
}

// broken tells whether a match may be broken by the sequence at an offset.
func (s *sieve) broken(b []byte, at int) bool {
	for i := 1; i < len(s.text); i++ {
		if s.text[i-1] == b[at-1] && bytes.HasSuffix(b[:at], s.text[:i]) && goesOn(b[at:], s.text[i]) {
			return true
		}
	}
	return false
}

// goesOn tells whether the text after the sequences that b begins with may begin
// with a byte. It knows ordinary sequences of colour and movement; after others,
// and where b ends too soon, anything may come.
func goesOn(b []byte, next byte) bool {
	for {
		switch {
		case len(b) < 3 || b[0] == 0x1b && b[1] != '[':
			return true
		case b[0] != 0x1b:
			return b[0] == next
		}
		end := bytes.IndexFunc(b[2:], func(r rune) bool { return r < 0x20 || r >= 0x40 })
		if end < 0 || b[2+end] < 0x40 || b[2+end] > 0x7e {
			return true
		}
		b = b[2+end+1:]
	}
}

// segment gives the hits of a task: where the sieve lets something through, the
// scanner looks.
func (s *scanner) segment(ctx context.Context, t task) ([]found, error) {
	if s.sieve == nil {
		return s.scan(ctx, t)
	}
	var all []found
	err := s.sieve.parts(ctx, t, s.raws, func(first, last int64) (bool, error) {
		part := t
		part.first, part.last = first, last
		hits, err := s.scan(ctx, part)
		all = append(all, hits...)
		return len(all) < s.most, err
	})
	return all, err
}

// parts tells fn of every part of the task in which a match may begin, until fn
// has enough. Parts do not overlap.
func (s *sieve) parts(ctx context.Context, t task, buf []byte, fn func(first, last int64) (bool, error)) error {
	c := t.log.Cursor()
	defer func() { _ = c.Close() }() // only read
	keep := len(s.text) - 1
	var carry int
	first, last := t.first, t.first // the part that is not told yet
	for at := t.first; at < t.last+int64(keep); {
		if err := ctx.Err(); err != nil {
			return kedge.Errorf(kedge.Interrupted, "the search was given up: %w", err)
		}
		n, err := c.ReadAt(buf[carry:carry+sieveBlock], at)
		if err != nil && !ended(err) {
			return kedge.Errorf(kedge.Internal, "read a session's output: %w", err)
		}
		b, begin := buf[:carry+n], at-int64(carry)
		at += int64(n)
		if s.maybe(b) {
			if begin > last { // a gap: what was before is a part of its own
				if more, err := tell(first, last, fn); err != nil || !more {
					return err
				}
				first = begin
			}
			last = min(at, t.last)
		}
		if err != nil {
			break
		}
		carry = copy(buf, b[max(0, len(b)-keep):])
	}
	_, err := tell(first, last, fn)
	return err
}

func tell(first, last int64, fn func(first, last int64) (bool, error)) (bool, error) {
	if first >= last {
		return true, nil
	}
	return fn(first, last)
}

// ended tells whether an error only means that there is no more to read.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, tape.ErrRemoved) || errors.Is(err, fs.ErrNotExist)
}
