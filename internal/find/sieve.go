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

// How the sieve reads.
const (
	sieveBlock  = 64 << 10 // at once: little enough to stay in the processor's cache
	sieveSample = 8 << 10  // of a segment, to learn which bytes are rare in it
	sequence    = 160      // colours and movements inside a match are shorter; titles end in a byte that tells
)

// sieve tells, by the bytes as they are on the tape, where there can be no match
// at all, so that most of a tape never has its sequences removed. It looks for
// the one byte of the text that is the rarest in the segment. Around it there
// must be the rest of the text or, where it is broken off, a sequence: an ESC
// after it, or one shortly before.
type sieve struct {
	text []byte
	rare int // which byte of text
}

// newSieve gives none for a text to which that does not apply: a control
// character is text even inside a sequence.
func newSieve(n needle) *sieve {
	l, ok := n.(literal)
	if !ok || bytes.IndexFunc(l, func(r rune) bool { return r < 0x20 }) >= 0 {
		return nil
	}
	return &sieve{text: l}
}

// tune chooses the byte by a sample; among equals the first, since what stands
// after it is what is looked at next.
func (s *sieve) tune(sample []byte) {
	var count [256]int
	for _, b := range sample {
		count[b]++
	}
	s.rare = 0
	for i, b := range s.text {
		if count[b] < count[s.text[s.rare]] {
			s.rare = i
		}
	}
}

// maybe tells whether a match may lie in b, or partly so.
func (s *sieve) maybe(b []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], s.text[s.rare])
		if i < 0 {
			return false
		}
		if at += i; s.fits(b, at) {
			return true
		}
	}
}

// fits tells whether the rare byte at an offset may be one of a match.
func (s *sieve) fits(b []byte, at int) bool {
	if next := s.rare + 1; next < len(s.text) && at+1 < len(b) && b[at+1] != s.text[next] && b[at+1] != 0x1b {
		return false // by far the most
	}
	return s.after(b[at+1:]) && s.before(b[:at])
}

// after tells whether b may begin with what is left of the text.
func (s *sieve) after(b []byte) bool {
	for _, want := range s.text[s.rare+1:] {
		if len(b) == 0 {
			return true
		}
		if b[0] != want {
			return b[0] == 0x1b && goesOn(b, want)
		}
		b = b[1:]
	}
	return true
}

// before tells whether b may end with the beginning of the text.
func (s *sieve) before(b []byte) bool {
	for i := s.rare - 1; i >= 0; i-- {
		if len(b) == 0 {
			return true
		}
		if last := b[len(b)-1]; last != s.text[i] {
			return endsString(last) || bytes.IndexByte(b[max(0, len(b)-sequence):], 0x1b) >= 0
		}
		b = b[:len(b)-1]
	}
	return true
}

// endsString tells whether a byte can be the last of a title or another string,
// whose beginning may be far away.
func endsString(b byte) bool { return b == 0x07 || b == '\\' || b == 0x18 || b == 0x1a }

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
	defer func() { _ = c.Close() }()          // only read
	carry, first, last := 0, t.first, t.first // first to last is the part that is not told yet
	for at := t.first; at < t.last+sieveBlock; {
		if err := ctx.Err(); err != nil {
			return kedge.Errorf(kedge.Interrupted, "the search was given up: %w", err)
		}
		n, err := c.ReadAt(buf[carry:carry+sieveBlock], at)
		if err != nil && !ended(err) {
			return kedge.Errorf(kedge.Internal, "read a session's output: %w", err)
		}
		if at == t.first {
			s.tune(buf[:min(n, sieveSample)])
		}
		b, begin := buf[:carry+n], at-int64(carry)-preroll // a sequence may stand between the match's beginning and here
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
		carry = copy(buf, b[max(0, len(b)-MaxQuery-sequence):])
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
