package journal

import (
	"context"
	"encoding/json"
	"sync"

	"kedge"
	"kedge/internal/text/redact"
)

// Limits of what is taken in one event or key.
const (
	maxData = 16 << 20
	maxKey  = 256
)

// Append adds events in order, all or none, and returns them with sequence number, time,
// id and hash, and with secrets redacted. When it returns without error they are on
// disk. A key that was used before adds nothing: Append gives the first events, and
// again is true. An empty key is no key. Events whose data cannot be folded are Invalid.
func (s *Store) Append(ctx context.Context, key string, evs ...kedge.Event) (out []kedge.Event, again bool, err error) {
	if len(evs) == 0 {
		return nil, false, nil
	}
	if len(key) > maxKey {
		return nil, false, kedge.Errorf(kedge.Invalid, "the idempotency key of the request has %d bytes, more than the allowed %d", len(key), maxKey)
	}
	clean, err := cleaned(evs)
	if err != nil {
		return nil, false, err
	}
	j := &job{ctx: ctx, key: key, evs: clean, done: make(chan struct{})}
	if err := s.do(ctx, j); err != nil {
		return nil, false, err
	}
	return j.out, j.again, j.err
}

// cleaned is the funnel: what goes into the journal has passed redaction.
func cleaned(evs []kedge.Event) ([]kedge.Event, error) {
	out := make([]kedge.Event, len(evs))
	for i, ev := range evs {
		if len(ev.Data) > maxData {
			return nil, kedge.Errorf(kedge.Invalid, "an event of type %q is too large for Kedge's journal: it has %d bytes, and %d are allowed", ev.Type, len(ev.Data), maxData)
		}
		if !json.Valid(ev.Data) {
			return nil, kedge.Errorf(kedge.Invalid, "the data of an event of type %q is not JSON, so Kedge did not write it into its journal", ev.Type)
		}
		if ev.Type == "" || ev.Actor == "" {
			return nil, kedge.Errorf(kedge.Invalid, "an event for Kedge's journal needs a type and an actor, and this one has type %q and actor %q", ev.Type, ev.Actor)
		}
		ev.Data = redact.JSON(ev.Data)
		out[i] = ev
	}
	return out, nil
}

// do hands a job to the writer and waits for it. A job that has been taken is
// waited for even when ctx ends: the caller must not be told that a write which
// may still happen did not.
func (s *Store) do(ctx context.Context, j *job) error {
	if s.queue == nil {
		if err := s.Refusal(); err != nil {
			return err
		}
		return kedge.Errorf(kedge.Conflict, "only Kedge's background process (the daemon) may change the journal in %q, and this process is not the daemon", s.dir).WithHint("start the daemon: kedge up")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.queue.put(j) {
		return kedge.Errorf(kedge.Conflict, "the daemon is stopping and has closed the journal in %q", s.dir).WithHint("start the daemon again: kedge up; then repeat your command")
	}
	<-j.done
	return nil
}

// job is one thing for the writer to do: an append, or a task that needs the
// journal for itself.
type job struct {
	ctx  context.Context
	key  string
	evs  []kedge.Event
	task func(*writer) error
	done chan struct{}

	out   []kedge.Event
	again bool
	err   error
}

func (j *job) finish(err error) {
	if err != nil {
		j.out, j.again, j.err = nil, false, err
	}
	close(j.done)
}

// queue holds the jobs that wait for the writer.
type queue struct {
	mu     sync.Mutex
	jobs   []*job
	closed bool
	wake   chan struct{} // holds one token while there may be something to see
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) put(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.jobs = append(q.jobs, j)
	q.nudge()
	return true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.nudge()
}

func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take waits for jobs and gives all of them; none means that the queue is
// closed and empty.
func (q *queue) take() []*job {
	for {
		q.mu.Lock()
		jobs, closed := q.jobs, q.closed
		q.jobs = nil
		q.mu.Unlock()
		if len(jobs) > 0 || closed {
			return jobs
		}
		<-q.wake
	}
}
