package hold

import (
	"sync"

	"kedge/internal/process/tape"
	"kedge/internal/screen/vt"
)

// sourceAnswers is the writer that answers what the program asks its terminal.
const sourceAnswers uint64 = 4

// maxAsked is how many queries may wait for their answers: more are not answered. A
// program that asks that much does not wait for answers.
const maxAsked = 64

// query is where one is in the log.
type query struct{ from, end int64 }

// queries finds and answers what the program asks its terminal, as long as no viewer's
// terminal does. The screen that says where the cursor is, say, is made of the log when it
// is asked for.
type queries struct {
	find  vt.Queries
	seen  int64 // bytes that were printed
	asked chan query

	mu   sync.Mutex
	feed *tape.Feed // nil: not needed so far, or not for a while
}

// printed looks for queries in what was printed last; end is the log's.
func (h *holder) printed(b []byte, end int64) {
	if !h.child.tty {
		return
	}
	h.queries.seen += int64(len(b))
	log := end - h.queries.seen // what could not be written has no place in the log
	h.queries.find.Find(b, func(from, to int64) {
		q := query{from + log, to + log}
		h.mu.Lock()
		ours := h.answersLocked(q.end)
		h.settledLocked(q.end)
		h.mu.Unlock()
		if !ours {
			return
		}
		select {
		case h.queries.asked <- q:
		default: // see maxAsked
		}
	})
}

// answerQueries types the answers, one after the other.
func (h *holder) answerQueries() {
	var seq uint64
	for {
		select {
		case q := <-h.queries.asked:
			if answer := h.queries.answer(h.spec.Dir, q); len(answer) > 0 {
				seq++
				_ = h.input.take(h.child, sourceAnswers, seq, answer) // a program that does not read gets none
			}
		case <-h.ended:
			return
		}
	}
}

// answer is what a terminal answers to a query; empty where it says nothing, or the log
// cannot be read.
func (q *queries) answer(dir string, asked query) (answer []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.feed == nil {
		f, err := tape.OpenFeed(dir, asked.from, tape.Anywhere)
		if err != nil {
			return nil
		}
		q.feed = f
	}
	if q.feed.Advance(asked.from) != nil {
		return nil
	}
	q.feed.Screen.Reply = func(b []byte) { answer = append(answer, b...) }
	defer func() { q.feed.Screen.Reply = nil }()
	if q.feed.Advance(asked.end) != nil {
		return nil
	}
	return answer
}

// rest lets the screen go.
func (q *queries) rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.feed != nil {
		_ = q.feed.Close() // only read
		q.feed = nil
	}
}
