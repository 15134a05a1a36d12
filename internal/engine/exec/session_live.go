package exec

import (
	"sync"

	"kedge"
	"kedge/internal/run"
)

// living knows the sessions that are being started or followed, and which of
// them are to end. A command to end counts for the sessions that were asked for
// before it, also for one that is not started yet.
type living struct {
	mu   sync.Mutex
	now  map[jobKey]*followed
	ends map[jobKey]int64 // the number of the newest command to end
}

type jobKey struct {
	run kedge.RunID
	job int
}

// followed is a session that somebody follows.
type followed struct {
	origin int64
	wished chan struct{}
	said   bool
	acted  int // what it did so far
	saved  int // of that, what a checkpoint has seen
}

// enter is called before a session is started or taken up. The channel is closed
// when it is to end.
func (l *living) enter(c run.Command) (wished <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		l.now, l.ends = map[jobKey]*followed{}, map[jobKey]int64{}
	}
	k, f := jobKey{c.Run, c.Job}, &followed{origin: c.Origin(), wished: make(chan struct{})}
	l.now[k] = f
	f.wish(l.ends[k])
	return f.wished, func() { l.leave(k, f) }
}

func (l *living) leave(k jobKey, f *followed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now[k] == f {
		delete(l.now, k)
	}
}

// end wishes the end of the job's session.
func (l *living) end(c run.Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		l.now, l.ends = map[jobKey]*followed{}, map[jobKey]int64{}
	}
	k := jobKey{c.Run, c.Job}
	l.ends[k] = max(l.ends[k], c.Origin())
	if f, ok := l.now[k]; ok {
		f.wish(l.ends[k])
	}
}

// forget lets go of what is known of a job that is over.
func (l *living) forget(c run.Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.ends, jobKey{c.Run, c.Job})
}

// wish ends the session if the command to end came after it.
func (f *followed) wish(end int64) {
	if end > f.origin && !f.said {
		f.said = true
		close(f.wished)
	}
}
