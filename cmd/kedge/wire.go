package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process/hold"
	"kedge/internal/server"

	"kedge/internal/server/daemon"
)

// wire gives the commands their way to the service. A home that cannot be used
// is told when a command needs it, so that help always works.
func wire(env *frame.Env, home string, homeErr error) {
	c := &caller{damage: &told{}, home: home, homeErr: homeErr, dir: env.Dir, environ: env.Environ, version: kedge.Version}
	env.Home, env.Call, env.Daemon, env.Scoped, env.Operating = home, c, c, c.Scoped, c.Operating
	env.Damage = c.damage.Err
}

// caller reaches the service: through the daemon, or in process and read only.
type caller struct {
	home    string
	homeErr error
	dir     string
	environ []string
	version string // what a daemon says it is

	session  kedge.SessionID // in whose name calls are made by its token; empty: in the name of whoever runs this
	token    string
	operator string        // the token of an operator in whose name calls are made; empty: none
	patience time.Duration // with a token: how long a daemon may be silent

	damage *told // what the first incomplete answer said
}

// told keeps the first error that it is given.
type told struct {
	mu  sync.Mutex
	err error
}

func (t *told) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

// Err gives the error, or nil.
func (t *told) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Call implements frame.Caller. An answer that may lack something is an answer: what is
// damaged is told when the command ends.
func (c *caller) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	err := c.call(ctx, name, in, out, progress)
	if damaged, ok := errors.AsType[server.Incomplete](err); ok {
		if c.damage != nil { // a test has none
			c.damage.note(damaged.Err)
		}
		return nil
	}
	return err
}

func (c *caller) call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	entry, err := server.Find(name)
	if err != nil {
		return err
	}
	if c.homeErr != nil {
		return c.withoutHome(ctx, entry, in, out, progress)
	}
	env, err := c.envelope(entry, in)
	if err != nil {
		return err
	}
	if entry.Local {
		return c.local(ctx, entry, env, out, progress)
	}
	// The daemon is not looked for first: most of the time it is there, and a
	// command should cost no more than its own request.
	if entry.Mode == server.Writing {
		_ = ctx.Done() // from here on an interrupt has something to end: see untilSignal
		cl := &server.Client{HTTP: daemon.Client(c.home, 0)}
		cl.Again = func(ctx context.Context) (*http.Client, error) { h, _, err := c.ensure(ctx); return h, err }
		return cl.Call(ctx, name, env, out, progress)
	}
	cl := &server.Client{HTTP: daemon.Client(c.home, readPatience)}
	err = cl.Call(ctx, name, env, out, progress)
	if errors.Is(err, daemon.ErrAbsent) || errors.Is(err, server.ErrBroken) || isTimeout(err) {
		return c.local(ctx, entry, env, out, progress)
	}
	return err
}

// withoutHome answers what needs no state folder, and else says what is wrong with
// it. What is in such a folder is not looked at: it may be anybody's.
func (c *caller) withoutHome(ctx context.Context, entry server.Call, in, out any, progress func(json.RawMessage)) error {
	if !entry.Homeless || c.token != "" {
		return c.homeErr
	}
	env, err := c.envelope(entry, in)
	if err != nil {
		return err
	}
	own := *c
	own.home = filepath.Join(os.DevNull, "kedge") // never there
	err = own.local(ctx, entry, env, out, progress)
	if kedge.NotFound.Is(err) {
		return c.homeErr // what was asked for may be there
	}
	return err
}

// readPatience is how long a reading command waits for a daemon that may be
// stopped; then it reads for itself.
const readPatience = 5 * time.Second

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

func (c *caller) envelope(entry server.Call, in any) (server.Envelope, error) {
	env := server.Envelope{Dir: c.dir, User: userName(), Session: kedge.SessionID(os.Getenv("KEDGE_SESSION"))}
	if c.token != "" {
		env.Session, env.Token = c.session, c.token
	}
	env.Operator = c.operator
	if entry.Mode == server.Writing {
		env.Key = kedge.NewID("req", time.Now())
	}
	b, err := json.Marshal(in)
	if err != nil {
		return env, kedge.Errorf(kedge.Internal, "Kedge cannot send your command to its daemon: %w", err)
	}
	env.In = b
	return env, nil
}

// local answers a reading call without a daemon.
func (c *caller) local(ctx context.Context, entry server.Call, env server.Envelope, out any, progress func(json.RawMessage)) error {
	exe, err := os.Executable()
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot find out where its own program file is: %w", err)
	}
	s := app.New(app.Config{Home: c.home, ReadOnly: true, Sessions: sessions.Sessions{Program: exe}})
	defer func() { _ = s.Close() }() // nothing was written
	if c.token != "" {
		pass := sessions.Pass{Dir: c.dir, Session: c.session, Token: c.token, Inside: s.SessionOf(os.Getpid()), Act: entry.Name}
		if err := s.Admit(ctx, pass); err != nil {
			return err
		}
	}
	if entry.Personal {
		if in := s.SessionOf(os.Getpid()); in != "" {
			env.Session = in // as the daemon would know it
		}
	}
	ctx, damage := projects.WithDamage(ctx)
	v, err := entry.Run(ctx, s, env, func(v any) {
		if b, err := json.Marshal(v); err == nil && progress != nil {
			progress(b)
		}
	})
	if err != nil {
		return err
	}
	if err := deliver(v, out); err != nil {
		return err
	}
	if err := damage.Err(); err != nil {
		return server.Incomplete{Err: err}
	}
	return nil
}

// deliver gives an answer to whoever asked: as JSON to a writer, else as a value.
func deliver(v, out any) error {
	if w, ok := out.(io.Writer); ok {
		return server.EncodeTo(w, v)
	}
	b, err := server.Encode(v)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot write the answer to your command as JSON: %w", err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(b, out)
}

func (c *caller) ensure(ctx context.Context) (*http.Client, daemon.Hello, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, daemon.Hello{}, kedge.Errorf(kedge.Internal, "Kedge cannot find out where its own program file is: %w", err)
	}
	return daemon.Ensure(ctx, c.home, os.Getenv, daemon.Spawn(c.home, exe, c.environ, "up", "--foreground"))
}

// Start implements frame.Daemon.
func (c *caller) Start(ctx context.Context) (pid int, started bool, err error) {
	if c.homeErr != nil {
		return 0, false, c.homeErr
	}
	_, err = daemon.Dial(ctx, c.home)
	started = kedge.NotFound.Is(err)
	_, hello, err := c.ensure(ctx)
	return hello.PID, started, err
}

// Foreground implements frame.Daemon: it is the daemon.
func (c *caller) Foreground(ctx context.Context) error {
	if c.homeErr != nil {
		return c.homeErr
	}
	_ = ctx.Done() // a daemon ends in order from its first moment on
	var (
		s       *app.Service
		handler http.Handler
		serving *slog.Logger
	)
	return daemon.Serve(ctx, daemon.Config{
		Home:    c.home,
		Runtime: os.Getenv("XDG_RUNTIME_DIR"),
		Version: c.version,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }),
		Prepare: func(ctx context.Context, log *slog.Logger) error {
			sessions, err := c.sessions()
			if err != nil {
				return err
			}
			if err := sessions.Holder.Inherit(); err != nil {
				return err
			}
			s = app.New(app.Config{Home: c.home, Log: log, Sessions: sessions, EnvPatience: envPatience})
			handler, serving = server.Handler(s, log), log
			if err := s.Adopt(ctx); err != nil {
				return err
			}
			s.TakeSoon()
			return nil
		},
		OnReady: func() {
			if err := s.AdoptRuns(ctx); err != nil {
				serving.Error("runs could not be resumed", "error", err.Error())
			}
			s.WatchSoon(c.environ)
			s.RetainSoon(c.environ) // the work goes on first
			s.KeepScreens()
			s.SyncFilesSoon()
			s.ClearAbandonedSoon()
		},
		MayStop: func(pid int) bool { return s == nil || s.SessionOf(pid) == "" },
		Leave:   func() { s.Leave() },
		Close: func() error {
			if s == nil {
				return nil // Prepare was never reached
			}
			return s.Close()
		},
	})
}

// envPatience is long for a watcher who calls at once, and short for a run that
// nobody watches.
const envPatience = 15 * time.Second

// sessions says how to hold programs: with this very binary.
func (c *caller) sessions() (sessions.Sessions, error) {
	exe, err := os.Executable()
	if err != nil {
		return sessions.Sessions{}, kedge.Errorf(kedge.Internal, "Kedge cannot find out where its own program file is: %w", err)
	}
	const name = 12 // bytes of a session's id that name its socket
	dir, err := daemon.SocketDir(c.home, os.Getenv("XDG_RUNTIME_DIR"), name)
	return sessions.Sessions{Holder: hold.NewLauncher(exe, "hold"), Sockets: dir, Program: exe}, err
}

// Stop implements frame.Daemon.
func (c *caller) Stop(ctx context.Context) (pid int, err error) {
	if c.homeErr != nil {
		return 0, c.homeErr
	}
	h, err := daemon.Dial(ctx, c.home)
	if err != nil {
		return 0, err
	}
	hello, err := daemon.Ask(ctx, h)
	if err != nil {
		return 0, err
	}
	return hello.PID, daemon.Stop(ctx, c.home)
}

// userName is who acts. A service or a container often has no USER set.
func userName() string {
	for _, name := range []string{"USER", "LOGNAME"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid-" + strconv.Itoa(os.Getuid())
}

func absolute(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir // the folder is gone; commands that need it say so
	}
	return abs
}
