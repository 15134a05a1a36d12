package output

import (
	"bytes"
	"context"
	"sort"
	"unicode/utf8"

	"kedge"
	"kedge/internal/text/plain"
)

// How much is read, and how much stays in sight around it.
const (
	block    = 256 << 10          // read at once, at most
	least    = 16 << 10           // and at least
	behind   = MaxLine            // text kept before what is searched: the beginning of a line
	ahead    = MaxLine + MaxQuery // text there must be after a match: the match, and the end of its line
	lead     = 1 << 10            // shown before a match on a line that is too long
	maxSpan  = plain.MaxSequence  // of the tape: a match that sequences stretch further is none
	preroll  = maxSpan + 4<<10    // read before a part: longer than a match, and than what is taken for a sequence
	moreRoll = 8                  // so many times more, when that shows too little of a line
)

// span says that the text from one position on stood on the tape from an offset
// on, until the next span.
type span struct {
	text int64
	raw  int64
}

// scanner looks through segments, one after the other. Its window is a piece of
// the text, moving forward.
type scanner struct {
	needle needle
	sieve  *sieve // nil: everything is looked at
	raws   []byte // the sieve's
	most   int    // hits per segment

	task  task
	strip plain.Stripper
	buf   []byte
	text  []byte // the window: the front part of buf
	base  int64  // position of the window in the text, counted from where reading began
	spans []span // of the window, at least the one it begins in
	next  int64  // offset to read at
	from  int    // what lies before this in the window is searched
	eof   bool
	cut   bool // reading began too late to show a line whole
	hits  []found
}

func newScanner(n needle, most int) *scanner {
	own := n.clone()
	return &scanner{
		needle: own, most: most, buf: make([]byte, behind+ahead+block),
		sieve: newSieve(own), raws: make([]byte, MaxQuery+sequence+sieveBlock),
	}
}

// scan gives the hits whose match begins in the segment, or in a part of it.
func (s *scanner) scan(ctx context.Context, t task) ([]found, error) {
	for roll := int64(preroll); ; roll *= moreRoll {
		begin := max(t.kept, t.first-roll)
		if err := s.scanFrom(ctx, t, begin); err != nil {
			return nil, err
		}
		if !s.cut || begin == t.kept {
			return s.hits, nil
		}
	}
}

// scanFrom is scan with the place to read from.
func (s *scanner) scanFrom(ctx context.Context, t task, begin int64) error {
	s.task, s.strip, s.text, s.base, s.spans = t, plain.Stripper{}, s.buf[:0], 0, s.spans[:0]
	s.next, s.from, s.eof, s.cut, s.hits = begin, 0, false, false, nil
	for {
		if err := ctx.Err(); err != nil {
			return kedge.Errorf(kedge.Interrupted, "the search was stopped: %w", err)
		}
		if err := s.fill(); err != nil {
			return err
		}
		if s.look(); s.eof || len(s.hits) >= s.most || s.raw(s.from) >= t.last {
			return nil
		}
		s.shift()
	}
}

// fill adds a block to the window, without its sequences.
func (s *scanner) fill() error {
	at := len(s.text)
	size := min(block, max(least, s.task.last+ahead-s.next))
	n, err := s.task.log.ReadAt(s.buf[at:at+int(size)], s.next)
	if ended(err) && n == 0 && s.next < s.task.first { // retention took it away meanwhile, but not the part itself
		s.next = s.task.first
		n, err = s.task.log.ReadAt(s.buf[at:at+int(size)], s.next)
	}
	if s.eof = ended(err); err != nil && !s.eof {
		return kedge.Errorf(kedge.Internal, "cannot read a session's output: %w", err)
	}
	for rest := s.buf[at : at+n]; len(rest) > 0; {
		run, after := s.strip.Next(rest)
		if len(run) > 0 {
			s.place(s.next + int64(n-len(after)-len(run)))
			copy(s.buf[at:], run) // never forward: what is removed makes room
			at += len(run)
			s.text = s.buf[:at]
		}
		rest = after
	}
	s.next += int64(n)
	return nil
}

// place notes where the text that comes now stood.
func (s *scanner) place(raw int64) {
	text := s.base + int64(len(s.text))
	if n := len(s.spans); n > 0 && raw-text == s.spans[n-1].raw-s.spans[n-1].text {
		return
	}
	s.spans = append(s.spans, span{text: text, raw: raw})
}

// raw is where on the tape a position of the window stood.
func (s *scanner) raw(pos int) int64 {
	if pos >= len(s.text) {
		return s.next
	}
	text := s.base + int64(pos)
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].text > text })
	return s.spans[i-1].raw + text - s.spans[i-1].text
}

// placeOf is where in the window what stood at an offset of the tape, or after it,
// begins.
func (s *scanner) placeOf(raw int64) int {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].raw > raw })
	if i == 0 {
		return 0
	}
	text := s.spans[i-1].text + raw - s.spans[i-1].raw
	if i < len(s.spans) {
		text = min(text, s.spans[i].text)
	}
	return int(max(0, min(text-s.base, int64(len(s.text)))))
}

// look finds the matches that the window shows whole, with their lines.
func (s *scanner) look() {
	limit := len(s.text) - ahead
	if s.eof {
		limit = len(s.text)
	}
	s.from = max(s.from, s.placeOf(s.task.first))
	for s.from < limit && len(s.hits) < s.most {
		from, to := s.needle.index(s.text[s.from:])
		if from < 0 || s.from+from >= limit {
			break
		}
		from, to = s.from+from, s.from+to
		raw := s.raw(from)
		switch {
		case raw >= s.task.last:
			s.from = from
			return
		case s.raw(to-1)-raw >= maxSpan:
			s.from = from + 1
		default:
			s.hit(from, to)
		}
	}
	s.from = max(s.from, limit, 0)
}

// hit shows the line of a match; what is shown is not searched again.
func (s *scanner) hit(from, to int) {
	first, end := s.line(from, to)
	offset := s.raw(first)
	if first > 0 {
		offset = s.raw(first-1) + 1 // with the sequences that the line begins with
	}
	s.cut = s.cut || first == 0 && s.base == 0
	shown := s.raw(end-1) + 1
	line := whole(s.text[first:end])
	s.hits = append(s.hits, found{Hit: Hit{Offset: offset, Line: string(line)}, match: s.raw(from), shown: shown})
	s.from = end
}

// line is the part of the window to show: the line, or of a line that is too
// long the piece around the match. A carriage return ends a line too: progress
// bars have no other.
func (s *scanner) line(from, to int) (first, end int) {
	first = max(0, from-MaxLine)
	before := s.text[first:from]
	first += max(bytes.LastIndexByte(before, '\n'), bytes.LastIndexByte(before, '\r')) + 1
	rest := s.text[to:min(len(s.text), to+MaxLine)]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	if i := bytes.IndexByte(rest, '\r'); i >= 0 {
		rest = rest[:i]
	}
	if end = to + len(rest); end-first > MaxLine {
		first = max(first, from-lead)
		end = min(end, first+MaxLine)
	}
	return first, end
}

// whole leaves out the parts of characters at the edges.
func whole(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// shift moves the window forward to what is still needed.
func (s *scanner) shift() {
	cut := max(0, s.from-behind)
	s.text = s.buf[:copy(s.buf, s.text[cut:])]
	s.base += int64(cut)
	s.from -= cut
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].text > s.base })
	if i > 1 {
		s.spans = s.spans[:copy(s.spans, s.spans[i-1:])]
	}
}
