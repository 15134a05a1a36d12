package output

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"

	"kedge"
	"kedge/internal/process/tape"
)

// How the sieve reads.
const (
	sieveBlock  = 64 << 10 // at once: little enough to stay in the processor's cache
	sieveSample = 8 << 10  // of a segment, to learn which bytes are rare in it
	rareEnough  = 48       // a byte that stands once in so many is looked for by itself among sequences
	scarce      = 512      // one that stands once in so many is looked for by itself everywhere
	pairsTried  = 8        // to find two bytes that seldom stand together
	sequence    = 160      // colours and movements inside a match are shorter; titles end in a byte that tells
)

// sieve tells, by the bytes as they are on the tape, where there can be no match
// at all, so that most of a tape never has its sequences removed. Where there is
// no ESC, a match stands there as it is. Otherwise, where a byte of the text is
// rare in the segment, it looks for that one; else a match stands there as it is,
// or it is broken off: then its beginning stands right before an ESC, and what
// comes after the sequence goes on with the text.
type sieve struct {
	needle needle
	text   []byte // in lower case where case is the same
	fold   bool
	rare   int       // which byte of text is so rare that it is looked for; -1 is none
	alone  bool      // it is so rare that looking for it alone is best everywhere
	pair   pair      // of a text with more than one byte
	breaks [256]bool // the bytes after which the text may be broken off: all but its last
	lower  []byte    // a block in lower case
}

// newSieve gives none for a text to which that does not apply: a control
// character is text even inside a sequence.
func newSieve(n needle) *sieve {
	s := &sieve{needle: n, rare: -1}
	switch n := n.(type) {
	case literal:
		s.text = n
	case *folded:
		s.text, s.fold = n.text, true
	default:
		return nil
	}
	if bytes.IndexFunc(s.text, func(r rune) bool { return r < 0x20 }) >= 0 {
		return nil
	}
	for _, b := range s.text[:len(s.text)-1] {
		s.breaks[b] = true
	}
	return s
}

// tune chooses the bytes to look for by a sample.
func (s *sieve) tune(sample []byte) {
	var count [256]int
	for _, b := range sample {
		if s.fold {
			b = lower(b)
		}
		count[b]++
	}
	rarest := make([]int, len(s.text)) // places in the text
	for i := range rarest {
		rarest[i] = i
	}
	slices.SortStableFunc(rarest, func(i, j int) int { return count[s.text[i]] - count[s.text[j]] })
	least := count[s.text[rarest[0]]]
	if s.rare = -1; least <= len(sample)/rareEnough {
		s.rare = rarest[0]
	}
	s.alone = least <= len(sample)/scarce && !(s.fold && isLetter(s.text[rarest[0]]))
	s.choosePair(rarest, sample)
}

// choosePair takes, with the rarest byte, the one that seldom stands at its
// distance from it.
func (s *sieve) choosePair(rarest []int, sample []byte) {
	least := -1
	for _, other := range rarest[1:min(len(rarest), 1+pairsTried)] {
		p := newPair(s.text, s.fold, rarest[0], other)
		if n := p.often(sample); least < 0 || n < least {
			s.pair, least = p, n
		}
	}
}

// maybe tells whether a match may lie in b, or partly so: where the first one
// begins, 0 when that is not known, and -1 for none.
func (s *sieve) maybe(b []byte) int {
	if bytes.IndexByte(b, 0x1b) < 0 {
		return s.whole(b) // there is nothing that could break it off
	}
	if s.fold {
		s.lower = appendLower(s.lower[:0], b) // a sequence stays one
		b = s.lower
	}
	if s.among(b) {
		return 0
	}
	return -1
}

// among is maybe for a block with sequences, in lower case where that is the
// same.
func (s *sieve) among(b []byte) bool {
	if s.rare < 0 {
		return s.whole(b) >= 0 || s.broken(b)
	}
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

// whole is where the text stands in b as it is, -1 for nowhere. A part of it at
// an edge does not count: blocks overlap.
func (s *sieve) whole(b []byte) int {
	if s.alone {
		return s.byRare(b)
	}
	if len(s.text) == 1 {
		from, _ := s.needle.index(b)
		return from
	}
	at, sure := s.pair.index(b)
	if sure {
		return at
	}
	return s.onFrom(b, at)
}

// byRare finds the text by the one byte that is rare.
func (s *sieve) byRare(b []byte) int {
	for at, end, vain := s.rare, len(b)-len(s.text)+s.rare+1, 0; at < end; at++ {
		i := bytes.IndexByte(b[at:end], s.text[s.rare])
		if i < 0 {
			return -1
		}
		at += i
		if from := at - s.rare; string(b[from:from+len(s.text)]) == string(s.text) {
			return from
		}
		if vain++; vain > at/patience+patience {
			return s.onFrom(b, at-s.rare)
		}
	}
	return -1
}

// onFrom searches on in the way that never takes long, whatever stands there.
func (s *sieve) onFrom(b []byte, at int) int {
	from, _ := s.needle.index(b[at:])
	if from < 0 {
		return -1
	}
	return at + from
}

// fits tells whether the rare byte at an offset may be one of a match: around it
// there must be the rest of the text or, where it is broken off, a sequence: an
// ESC after it, or one shortly before.
func (s *sieve) fits(b []byte, at int) bool {
	if next := s.rare + 1; next < len(s.text) && at+1 < len(b) && b[at+1] != s.text[next] && b[at+1] != 0x1b {
		return false // by far the most
	}
	return goesOn(b[at+1:], s.text[s.rare+1:]) && s.before(b[:at])
}

// before tells whether b may end with the beginning of the text.
func (s *sieve) before(b []byte) bool {
	for i := s.rare - 1; i >= 0; i-- {
		if len(b) == 0 {
			return true
		}
		if last := b[len(b)-1]; last != s.text[i] {
			return endsString(last) || endsSequence(b[max(0, len(b)-sequence):])
		}
		b = b[:len(b)-1]
	}
	return true
}

// endsString tells whether a byte can be the last of a title or another string,
// whose beginning may be far away.
func endsString(b byte) bool { return b == 0x07 || b == '\\' || b == 0x18 || b == 0x1a }

// endsSequence tells whether b may end in or after a sequence that is no string:
// with an ESC in it, or with nothing but parameters for as far as it goes.
func endsSequence(b []byte) bool {
	if bytes.IndexByte(b, 0x1b) >= 0 {
		return true
	}
	for _, c := range b[:len(b)-1] { // the last one may be what ends it
		if c >= 0x40 && c != 0x7f {
			return false
		}
	}
	return true
}

// broken tells whether the beginning of the text stands right before a sequence
// in b after which it may go on.
func (s *sieve) broken(b []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], 0x1b)
		if i < 0 {
			return false
		}
		if at += i; at > 0 && s.breaks[b[at-1]] && s.brokenAt(b, at) {
			return true
		}
	}
}

// brokenAt is broken for the ESC at an offset.
func (s *sieve) brokenAt(b []byte, at int) bool {
	for n := 1; n < len(s.text); n++ {
		if s.text[n-1] == b[at-1] && endsWith(b[:at], s.text[:n]) && goesOn(b[at:], s.text[n:]) {
			return true
		}
	}
	return false
}

// endsWith tells whether b ends with the text, or with as much of its end as fits
// into b.
func endsWith(b, text []byte) bool {
	if len(b) < len(text) {
		return bytes.HasSuffix(text, b)
	}
	return bytes.HasSuffix(b, text)
}

// goesOn tells whether b may go on with the text, sequences apart. It knows
// ordinary sequences of colour and movement; after others, and where b ends too
// soon, anything may come.
func goesOn(b, text []byte) bool {
	for len(text) > 0 && len(b) > 0 {
		if b[0] == 0x1b {
			n := ordinary(b)
			if n == 0 {
				return true
			}
			b = b[n:]
			continue
		}
		if b[0] != text[0] {
			return false
		}
		b, text = b[1:], text[1:]
	}
	return true
}

// ordinary is the length of the sequence that b begins with; 0 when it is cut
// off, or of another kind.
func ordinary(b []byte) int {
	if len(b) < 3 || b[1] != '[' {
		return 0
	}
	for i, c := range b[2:min(len(b), maxSpan/2)] { // a longer one has a bound of its own
		switch {
		case c >= 0x40 && c <= 0x7e:
			return i + 3
		case c < 0x20 || c > 0x7e:
			return 0
		}
	}
	return 0
}

// segment gives the hits of a task: where the sieve lets something through, the
// scanner looks. A disk that fails at a touch of memory is an error like others.
func (s *scanner) segment(ctx context.Context, t task) (all []found, err error) {
	if s.sieve == nil {
		return s.scan(ctx, t)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e := recover(); e != nil {
			all, err = nil, fault(e)
		}
	}()
	err = s.sieve.parts(ctx, t, s.raws, func(first, last int64) (bool, error) {
		part := t
		part.first, part.last = first, last
		if n := len(all); n > 0 {
			part.first = max(first, all[n-1].shown)
		}
		hits, err := s.scan(ctx, part)
		all = append(all, hits...)
		return len(all) < s.most, err
	})
	return all, err
}

// fault is the error of a page of a tape that could not be read; anything else
// goes on as the panic it is.
func fault(e any) error {
	f, ok := e.(interface {
		error
		Addr() uintptr
	})
	if !ok {
		panic(e)
	}
	return kedge.Errorf(kedge.Internal, "cannot read a session's output: %w", error(f))
}

// parts tells fn of every part of the task in which a match may begin, until fn
// has enough. Parts do not overlap.
func (s *sieve) parts(ctx context.Context, t task, buf []byte, fn func(first, last int64) (bool, error)) error {
	r := blocks{cursor: t.log.Cursor(), views: t.last, buf: buf}
	defer func() { _ = r.cursor.Close() }()   // only read
	carry, first, last := 0, t.first, t.first // first to last is the part that is not told yet
	for at := t.first; at < t.last+sieveBlock; {
		if err := ctx.Err(); err != nil {
			return kedge.Errorf(kedge.Interrupted, "the search was stopped: %w", err)
		}
		b, err := r.next(at, carry)
		if err != nil && !ended(err) {
			return kedge.Errorf(kedge.Internal, "cannot read a session's output: %w", err)
		}
		if at == t.first {
			s.tune(b[:min(len(b), sieveSample)])
		}
		begin := at - int64(carry)
		at = begin + int64(len(b))
		if from := s.maybe(b); from >= 0 {
			if begin += int64(from); from == 0 {
				begin -= preroll // a sequence may stand between the match's beginning and here
			}
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
		carry = min(len(b), MaxQuery+sequence)
	}
	_, err := tell(first, last, fn)
	return err
}

// blocks gives a tape block by block: where it can, as it lies in memory.
type blocks struct {
	cursor *tape.Cursor
	views  int64  // up to here; what lies behind it is little, and read
	buf    []byte // for what is read
	last   []byte
}

// next is the block at an offset, after the last bytes of the one before it.
func (r *blocks) next(at int64, carry int) (b []byte, err error) {
	if at < r.views {
		if b, ok := r.cursor.View(at-int64(carry), carry+sieveBlock); ok && len(b) > carry {
			r.last = b
			return b, nil
		}
	}
	copy(r.buf, r.last[len(r.last)-carry:])
	n, err := r.cursor.ReadAt(r.buf[carry:carry+sieveBlock], at)
	r.last = r.buf[:carry+n]
	return r.last, err
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
