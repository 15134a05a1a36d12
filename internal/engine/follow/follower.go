// Package follow starts the session of a job, or takes over a session that an earlier
// daemon started, and follows it to its end: it reads what the agent prints, answers it,
// types what you say, watches for full contexts and stalls, and records what the session
// used and how it ended.
//
// It promises that a session is in the journal before its program starts, that it types
// everything once, even if several daemons follow the session one after the other, and
// that the same tape gives the same signals at the same places. It never decides what
// comes next in a run: it reports, and package run decides.
package follow

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/process/hold"
	"kedge/internal/process/sandbox"
)

// Config is what following the sessions of one project needs from outside.
type Config struct {
	Project kedge.ProjectID
	Home    string // $KEDGE_HOME
	Sockets string // a private folder with a short path
	Holder  *hold.Launcher
	Now     func() time.Time
	Log     *slog.Logger
	// Grace is how long a program that is asked to end has; 0: some seconds.
	Grace time.Duration
	// Tick gives the moments at which living sessions are looked at; nil: by the
	// system's clock.
	Tick func(every time.Duration) (moments <-chan time.Time, stop func())
	// Holding starts the holder of a session and registers whose it is, so that its
	// descendants are known as the session's; forget ends that. Start may also only find
	// one that runs.
	Holding func(id kedge.SessionID, start func() (holder int, err error)) (forget func(), err error)
	// Heard receives every event of a session, in order, before the next is read. An
	// adopted session is read again from its beginning, so an event may come twice.
	Heard func(ctx context.Context, c run.Command, session kedge.SessionID, ev watch.Act) error
	// Journal writes a fact about a session down, once for each key.
	Journal func(ctx context.Context, key string, ev kedge.Event) error
}

// log is where sessions speak to whoever looks after the machine.
func (c *Config) log() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}

// Dir is the folder of a session: its output and its brief.
func (c *Config) Dir(id kedge.SessionID) string {
	return filepath.Join(c.Home, "sessions", string(id))
}

// Work is one session: what it is for, and who does it.
type Work struct {
	Command run.Command
	Session kedge.SessionID
	Number  int    // among the sessions for its feature
	Tree    string // the worktree
	Route   kedge.Routed
	Adapter agents.Adapter
	Limits  watch.Limits
	Saved   int64 // the place on its tape of the last act that a checkpoint has
	// Env is the caller's environment, which is never written down. It may have to be
	// waited for, so it is asked only when a program starts or its own record is read.
	Env func() []string

	// These are called only when the session has to be started. Compared holds the files
	// in flight against the checkpoint that the session continues from; nil: from none.
	Compared func(ctx context.Context) (*kedge.Compared, error)
	Brief    func() (string, error)
	Tools    func(ctx context.Context) ([]string, error)
	Offer    func(ctx context.Context, agent string) (agents.Offer, error) // nil: no limit
	Box      func(ctx context.Context) (sandbox.Box, error)
}

// Follower follows the sessions of one project's runs.
type Follower struct {
	cfg  Config
	live living
}

// New gives a follower.
func New(cfg Config) *Follower { return &Follower{cfg: cfg} }

// Session starts a session, or takes up the one that an earlier owner of the command
// started, and follows it to its end.
func (f *Follower) Session(ctx context.Context, w Work, report func(run.Input)) (run.Input, error) {
	s := &session{
		cfg: &f.cfg, live: &f.live, c: w.Command, asked: w, id: w.Session, number: w.Number, dir: f.cfg.Dir(w.Session), work: w.Tree, route: w.Route,
		adapter: w.Adapter, report: report, forget: func() {}, typed: newTypist(), caught: make(chan struct{}),
	}
	s.reader = w.Adapter.Reader(s.task())
	wished, leave := f.live.enter(w.Command, w.Saved, s.tell)
	defer leave()
	s.wished = wished
	limits := w.Limits
	if a, ok := w.Adapter.(interface{ Shortens() bool }); ok {
		limits.Shortens = a.Shortens()
	}
	s.short.can = limits.Shortens
	s.watch = watch.New(limits)
	defer func() { s.forget() }()
	return s.do(ctx)
}

// Tell says something to the job's living session. It returns when the session took it,
// cannot hear it or is over.
func (f *Follower) Tell(ctx context.Context, c run.Command) { f.live.tell(ctx, c) }

// End asks the job's session to end, with everything that it started.
func (f *Follower) End(c run.Command) { f.live.end(c) }

// Forget drops what is known of a job that is over.
func (f *Follower) Forget(c run.Command) { f.live.forget(c) }

// Saves says that a checkpoint of the job begins. It gives the place of the last act that
// is in it, and run.Command.Origin of the session whose tape it is on; 0 where no session
// of the job is followed.
func (f *Follower) Saves(c run.Command) (origin, place int64) { return f.live.saves(c) }
