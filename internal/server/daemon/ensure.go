package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kedge"
)

// startLimit only guards against waiting for ever; a start takes well under a
// second where nothing is wrong.
const startLimit = 2 * time.Minute

// restarts bounds how often Ensure starts again after it lost to a daemon that
// then did not live.
const restarts = 3

// Starter starts a daemon of home and gives back what waits for its end.
type Starter func() (wait func() error, err error)

// Ensure gives a client of the daemon of home, and the daemon's own words; it
// starts one if none lives. Any number of callers at once end up with the same
// daemon. Inside a session (KEDGE_SESSION in env) it starts nothing: a daemon
// must not live and die with an agent.
func Ensure(ctx context.Context, home string, env func(string) string, start Starter) (*http.Client, Hello, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	c, hello, err := reach(ctx, home)
	if !kedge.NotFound.Is(err) {
		return c, hello, err
	}
	if id := env("KEDGE_SESSION"); id != "" {
		return nil, hello, kedge.Errorf(kedge.Blocked, "no daemon is running, and a session (%q) may not start one", id).
			WithHint("ask the user to run: kedge up")
	}
	s := &starting{home: home, start: start, from: logSize(home)}
	return s.await(ctx)
}

// reach gives a client only if the daemon answers. One that goes away before it
// has answered is not there.
func reach(ctx context.Context, home string) (*http.Client, Hello, error) {
	c, err := Dial(ctx, home)
	if err != nil {
		return nil, Hello{}, err
	}
	hello, err := Ask(ctx, c)
	if hungUp(err) {
		return nil, hello, absent(home)
	}
	if err != nil {
		return nil, hello, err
	}
	return c, hello, nil
}

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// starting is one caller's part in getting a daemon to live.
type starting struct {
	home   string
	start  Starter
	from   int64 // size of the log before
	starts int
	ended  chan error // of the child; nil when there is none
}

func (s *starting) await(ctx context.Context) (*http.Client, Hello, error) {
	for range ticks(ctx) {
		if err := s.step(); err != nil {
			return nil, Hello{}, err
		}
		c, hello, err := reach(ctx, s.home)
		if !kedge.NotFound.Is(err) {
			return c, hello, err
		}
	}
	return nil, Hello{}, kedge.Errorf(kedge.KindOf(context.Cause(ctx)), "the daemon does not answer yet%s: %w", s.lastWords(), context.Cause(ctx)).
		WithHint("see what the daemon prints: kedge up --foreground")
}

// step sees to it that somebody's child is on its way. A child that ended has
// lost to another one, which then holds the lock, or could not start.
func (s *starting) step() error {
	if s.ended == nil {
		return s.launch()
	}
	select {
	case err := <-s.ended:
		s.ended = nil
		return s.judge(err)
	default:
		return nil
	}
}

func (s *starting) launch() error {
	if held, err := Held(s.home); err != nil || held {
		return err
	}
	s.starts++
	wait, err := s.start()
	if err != nil {
		return kedge.Errorf(kedge.KindOf(err), "cannot start the daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- wait() }()
	s.ended = ended
	return nil
}

func (s *starting) judge(exit error) error {
	if held, err := Held(s.home); err != nil || held || s.starts < restarts {
		return err
	}
	why := "it ended at once"
	if exit != nil {
		why = exit.Error()
	}
	return kedge.Errorf(kedge.Internal, "the daemon did not start (%s)%s", why, s.lastWords()).
		WithHint("see what the daemon prints: kedge up --foreground")
}

// lastWords is the last line that was logged since the start.
func (s *starting) lastWords() string {
	f, err := os.Open(filepath.Join(s.home, "daemon", "log"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	const most = 4 << 10
	info, err := f.Stat()
	if err != nil || info.Size() <= s.from {
		return ""
	}
	b, _ := io.ReadAll(io.NewSectionReader(f, max(s.from, info.Size()-most), most))
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	return ": " + string(lines[len(lines)-1])
}

func logSize(home string) int64 {
	info, err := os.Stat(filepath.Join(home, "daemon", "log"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Spawn gives a Starter that runs exe with args as a daemon of home: its own
// session, no terminal, output to the log, working folder /, and only what it
// needs of environ.
func Spawn(home, exe string, environ []string, args ...string) Starter {
	return func() (func() error, error) {
		dir, err := daemonDir(home)
		if err != nil {
			return nil, err
		}
		out, err := os.OpenFile(filepath.Join(dir, "log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, kedge.Errorf(kedge.Invalid, "cannot open the daemon's log: %w", err)
		}
		defer func() { _ = out.Close() }()
		cmd := exec.CommandContext(context.Background(), exe, args...) // it outlives whoever starts it
		cmd.Dir, cmd.Stdout, cmd.Stderr = "/", out, out
		cmd.Env = append(reduced(environ), "KEDGE_HOME="+home)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		return cmd.Wait, nil
	}
}

// reduced keeps what finding programs, configuration and language needs. Keys,
// tokens and what belongs to one terminal or one agent stay out: a daemon
// outlives the shell that happened to start it.
func reduced(environ []string) []string {
	keep := map[string]bool{
		"PATH": true, "HOME": true, "USER": true, "LOGNAME": true, "SHELL": true, "TMPDIR": true, "TZ": true, "LANG": true,
		"XDG_CONFIG_HOME": true, "XDG_CACHE_HOME": true, "XDG_DATA_HOME": true, "XDG_STATE_HOME": true, "XDG_RUNTIME_DIR": true,
	}
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if keep[name] || strings.HasPrefix(name, "LC_") {
			out = append(out, kv)
		}
	}
	return out
}
