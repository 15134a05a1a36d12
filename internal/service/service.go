// Package service is what every surface calls: one method per command, taking
// who asks and what, giving back the root package's types. It owns the opened
// projects of a KEDGE_HOME, decides which facts a command adds to the journal,
// and keeps the projections in the repository (.kedge/) equal to it. A writing
// command is acknowledged only when its facts are on disk; the same request
// made twice, by its key, has the effect of once.
package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"kedge"
	"kedge/internal/store"
)

// Config is what the service needs from outside.
type Config struct {
	Home     string
	ReadOnly bool // no daemon: nothing is written, not even projections
	Now      func() time.Time
	Log      *slog.Logger
	Sessions Sessions
	// Engine makes the engine of a project's runs; nil: the local one.
	Engine func(ctx context.Context, p kedge.Project, st *store.Store) (RunEngine, error)
}

// Caller says who asks, from which folder, and which request it is.
type Caller struct {
	Dir      string
	Actor    kedge.Actor
	Key      string    // idempotency key; empty for reading
	Progress func(any) // told about long work as it goes on; may be nil
}

// Tell reports progress to whoever asked.
func (c Caller) Tell(v any) {
	if c.Progress != nil {
		c.Progress(v)
	}
}

// IsAgent tells whether the caller runs inside a session.
func (c Caller) IsAgent() bool { return len(c.Actor) > 6 && c.Actor[:6] == "agent:" }

// Service serves all projects of one KEDGE_HOME.
type Service struct {
	cfg Config

	mu   sync.Mutex
	open map[kedge.ProjectID]*opened

	flights  map[string]chan struct{} // requests that are being answered, by key
	leaveNow context.CancelFunc       // ends the next
	leave    context.Context          //nolint:containedctx // until the service is to go

	retaining sync.Mutex // held by Retain

	engines  engines
	holders  holders
	watching sync.WaitGroup     // one for each living session
	stop     context.CancelFunc // ends them
	watch    context.Context    //nolint:containedctx // the life of the service, not of a call
}

// New makes a service; it opens nothing until it is asked.
func New(cfg Config) *Service {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{cfg: cfg, open: map[kedge.ProjectID]*opened{}, flights: map[string]chan struct{}{}}
	s.watch, s.stop = context.WithCancel(context.Background())
	s.leave, s.leaveNow = context.WithCancel(context.Background())
	return s
}

// Close lets go of the sessions, which live on, and closes every store.
func (s *Service) Close() error {
	s.leaveNow()
	s.leaveRuns()
	s.stop()
	s.watching.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var first error
	for id, p := range s.open {
		if err := p.store.Close(); err != nil && first == nil {
			first = err
		}
		delete(s.open, id)
	}
	return first
}

func errReadOnly() error {
	return kedge.Errorf(kedge.Conflict, "this needs the daemon").WithHint("kedge up")
}

// now is the service's clock, in UTC and without more precision than JSON keeps.
func (s *Service) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// write is the way of every writing command: under the project's lock, a
// request seen before gives its first events again; otherwise decide looks at
// the present state and says which facts to add. The caller builds its answer
// from the events returned, so that a retry gets the same answer.
func (s *Service) write(ctx context.Context, p *project, who Caller, decide func() ([]kedge.Event, error)) ([]kedge.Event, error) {
	if s.cfg.ReadOnly {
		return nil, errReadOnly()
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	if who.Key != "" {
		evs, seen, err := p.store.Seen(ctx, who.Key)
		if err != nil || seen {
			return evs, err
		}
	}
	if err := s.followFolder(ctx, p); err != nil {
		return nil, err
	}
	evs, err := decide()
	if err != nil || len(evs) == 0 {
		return nil, err
	}
	for i := range evs {
		evs[i].Project = p.ID
	}
	out, _, err := p.store.Append(ctx, who.Key, evs...)
	return out, err
}
