package execute

import (
	"context"
	"slices"
	"sync"

	"kedge"
	"kedge/internal/core/run"
)

// living knows the sessions that are being started or followed, and which of
// them are to end. A command to end counts for the sessions that were asked for
// before it, also for one that is not started yet.
type living struct {
	mu   sync.Mutex
	now  map[jobKey]*followed
	ends map[jobKey]int64         // the number of the newest command to end
	said map[jobKey][]run.Command // what was said before anybody followed the session
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
	acted  int64 // the place on its tape of the last thing that it did
	saved  int64 // and of the last one that a checkpoint has seen
	hear   func(context.Context, run.Command)
	gone   chan struct{} // closed when nobody follows it any more
}

// enter is called before a session is started or taken up; saved is the place of
// the last thing that it did and a checkpoint has seen, hear is what tells it
// something. The channel is closed when it is to end.
func (l *living) enter(c run.Command, saved int64, hear func(context.Context, run.Command)) (wished <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.make()
	k, f := jobKey{c.Run, c.Job}, &followed{origin: c.Origin(), wished: make(chan struct{}), saved: saved, hear: hear, gone: make(chan struct{})}
	l.now[k] = f
	f.wish(l.ends[k])
	return f.wished, func() { l.leave(k, f) }
}

func (l *living) make() {
	if l.now == nil {
		l.now, l.ends, l.said = map[jobKey]*followed{}, map[jobKey]int64{}, map[jobKey][]run.Command{}
	}
}

// tell tells the job's session something that was said after it was asked for;
// what was said before stands in its brief. It returns when the session took it,
// cannot hear it or is over. Of a session that nobody follows yet it is kept until
// somebody does.
func (l *living) tell(ctx context.Context, c run.Command) {
	l.mu.Lock()
	l.make()
	k := jobKey{c.Run, c.Job}
	f, ok := l.now[k]
	if !ok {
		l.said[k] = append(l.said[k], c)
	}
	l.mu.Unlock()
	if !ok || c.Origin() <= f.origin {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-f.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	f.hear(ctx, c)
}

// kept are what was said to the job's session before anybody followed it.
func (l *living) kept(c run.Command) []run.Command {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := jobKey{c.Run, c.Job}
	said := slices.DeleteFunc(l.said[k], func(w run.Command) bool { return w.Origin() <= c.Origin() })
	delete(l.said, k)
	return said
}

func (l *living) leave(k jobKey, f *followed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(f.gone)
	if l.now[k] == f {
		delete(l.now, k)
	}
}

// end wishes the end of the job's session.
func (l *living) end(c run.Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.make()
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
	delete(l.said, jobKey{c.Run, c.Job})
}

// wish ends the session if the command to end came after it.
func (f *followed) wish(end int64) {
	if end > f.origin && !f.said {
		f.said = true
		close(f.wished)
	}
}
