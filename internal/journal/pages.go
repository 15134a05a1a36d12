package journal

import (
	"context"
	"iter"
	"math"

	"kedge"
)

// pageSize is how many events are read from the database at a time. Between two pages
// no query is open, so that the reader of an iterator may take its time, and write.
const pageSize = 1000

// Since gives the events after a sequence number, oldest first, up to the newest one
// that exists when the iteration gets there. An error is the last value.
func (s *Store) Since(ctx context.Context, seq int64) iter.Seq2[kedge.Event, error] {
	return s.pages(ctx, `SELECT `+eventColumns+` FROM events WHERE seq > ? ORDER BY seq LIMIT ?`, seq)
}

// Backwards gives the events, newest first, down to the oldest. An error is the last
// value.
func (s *Store) Backwards(ctx context.Context) iter.Seq2[kedge.Event, error] {
	return s.pages(ctx, `SELECT `+eventColumns+` FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?`, math.MaxInt64)
}

// pages reads page after page. The query takes the sequence number at which the page
// before it ended, and the size of a page.
func (s *Store) pages(ctx context.Context, query string, seq int64) iter.Seq2[kedge.Event, error] {
	return func(yield func(kedge.Event, error) bool) {
		for {
			page, err := collect(rowsOf(ctx, s.read, query, seq, pageSize))
			if err != nil {
				yield(kedge.Event{}, s.fault("read the journal", err))
				return
			}
			for _, ev := range page {
				if !yield(ev, nil) {
					return
				}
				seq = ev.Seq
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}
