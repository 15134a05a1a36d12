package output

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/process/tape"
)

// MaxLine is how much of a line is shown.
const MaxLine = 4 << 10

// MaxQuery bounds what can be searched for, so that it fits into a piece of a
// line with some of what stands around it.
const MaxQuery = 1 << 10

// maxWorkers is how many segments are read at the same time, where there are as
// many processors.
const maxWorkers = 8

// Query says what to look for.
type Query struct {
	Text  string
	Fold  bool // upper and lower case are the same
	Limit int  // how many hits at most; above 0
}

// Hit is a line in which the text was found.
type Hit struct {
	Tape   int       // which of the tapes
	Offset int64     // of the line's first byte on the tape
	Line   string    // without its end and without escape sequences
	At     time.Time // when it was printed; zero is unknown
}

// Result is what was found. More means that there is more than the limit.
type Result struct {
	Hits []Hit
	More bool
}

// Search looks through the tapes, as they are now, in order.
func Search(ctx context.Context, tapes []tape.Log, q Query) (Result, error) {
	n, err := newNeedle(q)
	if err != nil {
		return Result{}, err
	}
	s, err := newSearch(tapes, q.Limit)
	if err != nil {
		return Result{}, err
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWorkers, len(s.tasks)) {
		wg.Go(func() { s.work(ctx, n) })
	}
	wg.Wait()
	if s.err != nil {
		return Result{}, s.err
	}
	return s.result(tapes)
}

// task is one segment of a tape: the matches that begin in it.
type task struct {
	tape        int
	log         tape.Log
	kept        int64 // the first byte that can be read
	first, last int64
}

// found is a hit with what it takes to tell whether the next one is on the same
// line: where on the tape the match begins and the piece that is shown ends.
type found struct {
	Hit
	match, shown int64
}

// search hands out tasks in order and puts their results together in order.
type search struct {
	limit int
	tasks []task

	mu     sync.Mutex
	next   int
	done   [][]found // by task; what is not yet merged
	ready  []bool
	prefix int // tasks before this one are merged
	merged []found
	err    error
}

func newSearch(tapes []tape.Log, limit int) (*search, error) {
	if limit < 1 {
		return nil, kedge.Errorf(kedge.Invalid, "--limit must be at least 1, not %d", limit).WithHint("repeat your command with: --limit 100")
	}
	s := &search{limit: limit}
	for i, l := range tapes {
		from, end, err := l.Range()
		if errors.Is(err, fs.ErrNotExist) {
			continue // nothing is kept of it
		}
		if err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot read a session's output: %w", err)
		}
		for at := from; at < end; at += tape.SegmentSize {
			s.tasks = append(s.tasks, task{tape: i, log: l, kept: from, first: at, last: at + tape.SegmentSize})
		}
	}
	s.done, s.ready = make([][]found, len(s.tasks)), make([]bool, len(s.tasks))
	return s, nil
}

// work takes tasks until there is none left, or enough is found.
func (s *search) work(ctx context.Context, n needle) {
	sc := newScanner(n, s.limit+1)
	for {
		i, ok := s.take()
		if !ok {
			return
		}
		hits, err := sc.segment(ctx, s.tasks[i])
		s.finish(ctx, sc, i, hits, err)
	}
}

func (s *search) take() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.next == len(s.tasks) || len(s.merged) > s.limit {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

// finish keeps the hits of a task, and merges those whose turn it is.
func (s *search) finish(ctx context.Context, sc *scanner, i int, hits []found, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[i], s.ready[i] = hits, true
	for s.err == nil && err == nil && s.prefix < len(s.tasks) && s.ready[s.prefix] {
		err = s.mergeLocked(ctx, sc, s.tasks[s.prefix], s.done[s.prefix])
		s.done[s.prefix] = nil
		s.prefix++
	}
	if err != nil && s.err == nil {
		s.err = err
	}
}

// mergeLocked adds the hits of a task. What was shown for a hit of the segment
// before is not shown again; the lines of this one may then be others, so it is
// looked through anew from there.
func (s *search) mergeLocked(ctx context.Context, sc *scanner, t task, hits []found) error {
	if n := len(s.merged); n > 0 && len(hits) > 0 && s.merged[n-1].Tape == t.tape && hits[0].match < s.merged[n-1].shown {
		var err error
		t.first = s.merged[n-1].shown
		if hits, err = sc.segment(ctx, t); err != nil {
			return err
		}
	}
	for _, h := range hits {
		if len(s.merged) > s.limit { // one more than the limit tells that there is more
			return nil
		}
		h.Tape = t.tape
		s.merged = append(s.merged, h)
	}
	return nil
}

func (s *search) result(tapes []tape.Log) (Result, error) {
	r := Result{More: len(s.merged) > s.limit}
	for _, h := range s.merged[:min(len(s.merged), s.limit)] {
		r.Hits = append(r.Hits, h.Hit)
	}
	return r, tellTimes(tapes, r.Hits)
}

// tellTimes gives the hits their times, tape by tape.
func tellTimes(tapes []tape.Log, hits []Hit) error {
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && hits[n].Tape == hits[0].Tape {
			n++
		}
		if err := tellTape(tapes[hits[0].Tape], hits[:n]); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot find out when a session printed the found lines: %w", err)
		}
		hits = hits[n:]
	}
	return nil
}

func tellTape(l tape.Log, hits []Hit) error {
	c, err := l.Clock()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // unknown
	}
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // only read
	for i := range hits {
		at, ok, err := c.At(hits[i].Offset)
		if err != nil {
			return err
		}
		if ok {
			hits[i].At = at
		}
	}
	return nil
}

func checkQuery(q Query) error {
	switch {
	case q.Text == "":
		return kedge.Errorf(kedge.Invalid, "there is no text to search for").WithHint("kedge search QUERY")
	case len(q.Text) > MaxQuery:
		return kedge.Errorf(kedge.Invalid, "the search text has %d bytes, more than the allowed %d", len(q.Text), MaxQuery).
			WithHint("search for a part of the text")
	case strings.ContainsAny(q.Text, "\r\n\x1b"):
		return kedge.Errorf(kedge.Invalid, "the search text must be one line without escape codes").
			WithHint("search for a part of the text")
	}
	return nil
}
