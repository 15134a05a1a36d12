package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
)

// Limits of a request. Readers of a stream may take as long as they like, so
// only the head has a deadline.
const (
	maxHeader     = 64 << 10
	maxBody       = 32 << 20
	headerTimeout = 10 * time.Second
	defaultGrace  = 15 * time.Second
	cancelGrace   = time.Minute // for handlers to notice that they were cancelled
)

// The daemon's own paths on the socket; every other path is the Handler's.
const (
	helloPath = "/daemon/hello"
	stopPath  = "/daemon/stop"
)

// Config is what Serve needs. Home comes from the function of that name.
type Config struct {
	Home    string
	Runtime string                                    // $XDG_RUNTIME_DIR, for a home whose path is too long; may be empty
	Version string                                    // what Hello says
	Handler http.Handler                              // used only while the lock is held
	Prepare func(context.Context, *slog.Logger) error // runs under the lock, before the socket is there; may be nil
	Close   func() error                              // runs under the lock, after the last request; may be nil
	OnReady func()                                    // runs when the daemon answers; may be nil
	Log     *slog.Logger                              // nil: daemon/log
	Leave   func()                                    // runs at a stop, when no new request can come; may be nil
	MayStop func(pid int) bool                        // whether the process that asks may stop the daemon; nil: every one
	Grace   time.Duration                             // how long running requests get at a stop before they are cancelled; 0: 15 s
}

// pidFile is where a daemon writes who it is, for people and for Stop.
func pidFile(home string) string { return filepath.Join(home, "daemon", "pid") }

// Hello is what a daemon says of itself.
type Hello struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// Serve is the life of a daemon: it takes the lock, or gives a Conflict, and
// answers until ctx ends or a Stop is asked for. Then it takes no new request,
// gives the running ones Grace, cancels what is left, and gives back the lock
// last.
func Serve(ctx context.Context, c Config) (err error) {
	lock, err := TakeLock(c.Home)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, lock) }()
	if c.Log == nil {
		log, err := OpenLog(c.Home)
		if err != nil {
			return err
		}
		defer func() { _ = log.Close() }()
		c.Log = log.Logger
	}
	if c.Close != nil {
		defer func() { err = firstOf(err, c.Close()) }()
	}
	if c.Prepare != nil {
		if err := c.Prepare(ctx, c.Log); err != nil {
			return err
		}
	}
	return c.answer(ctx)
}

// answer is Serve under the lock.
func (c Config) answer(ctx context.Context) error {
	l, err := listen(c.Home, c.Runtime, c.Log)
	if err != nil {
		return err
	}
	pid := pidFile(c.Home)
	if err := atomicfile.Write(pid, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return closing(err, l)
	}
	defer c.tidy(pid, l.Addr().String())

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	srv := c.server(requests, stop)
	if c.Leave != nil {
		srv.RegisterOnShutdown(c.Leave)
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	c.Log.Info("daemon started", "pid", os.Getpid(), "version", c.Version, "socket", l.Addr().String())
	if c.OnReady != nil {
		c.OnReady()
	}
	select {
	case err := <-failed:
		return kedge.Errorf(kedge.Internal, "the daemon cannot answer on its socket: %w", err)
	case <-ctx.Done():
	}
	c.Log.Info("daemon stopping", "pid", os.Getpid())
	c.drain(srv, cancelRequests)
	<-failed
	c.Log.Info("daemon stopped", "pid", os.Getpid())
	return nil
}

// tidy removes what says that a daemon lives, and the stand-in folder of a
// socket whose place in the home was too long. Leftovers harm nobody.
func (c Config) tidy(pidFile, socket string) {
	_, _ = os.Remove(pidFile), os.Remove(addressFile(c.Home))
	if dir := filepath.Dir(socket); dir != filepath.Join(c.Home, "daemon") {
		_ = os.Remove(dir)
	}
}

func (c Config) server(requests context.Context, stop func()) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+helloPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(Hello{PID: os.Getpid(), Version: c.Version})
	})
	var once sync.Once
	mux.HandleFunc("POST "+stopPath, func(w http.ResponseWriter, r *http.Request) {
		if pid, known := process.PID(r.Context()); known && c.MayStop != nil && !c.MayStop(pid) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		once.Do(stop)
	})
	if c.Handler != nil {
		mux.Handle("/", c.Handler)
	}
	return &http.Server{
		Handler:           resting(http.MaxBytesHandler(mux, maxBody)),
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelError),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnContext:       process.WithPID, // so that an agent is known by where it runs, not by what it says
	}
}

// drain ends srv: no new requests at once; the running ones after Grace by
// cancelling them; connections whose handler does not listen to that are cut
// in the end.
func (c Config) drain(srv *http.Server, cancelRequests func()) {
	grace := c.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	if shutdown(srv, grace) == nil {
		return
	}
	c.Log.Warn("cancelling the requests that still run")
	cancelRequests()
	if shutdown(srv, cancelGrace) == nil {
		return
	}
	c.Log.Error("requests did not end when cancelled")
	_ = srv.Close()
}

func shutdown(srv *http.Server, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return srv.Shutdown(ctx)
}
