package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/server/daemon"
)

// patience only guards against hanging; nothing is measured against it.
const patience = 3 * time.Minute

// roleVar makes the test binary something else than a test run.
const roleVar = "KEDGE_DAEMON_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "daemon":
		os.Exit(daemonRole())
	case "home":
		homeRole()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// daemonRole is a whole daemon. It ends with the test that started it: the pipe
// at descriptor 3 closes when that process is gone in whatever way.
func daemonRole() int {
	go func() {
		_, _ = io.Copy(io.Discard, os.NewFile(3, "life line"))
		os.Exit(99)
	}()
	err := daemon.Serve(context.Background(), daemon.Config{
		Home:    os.Getenv("KEDGE_HOME"),
		Version: "test",
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "served") }),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if kedge.Conflict.Is(err) {
		return 4
	}
	if err != nil {
		return 1
	}
	return 0
}

// child is a daemon in a process of its own.
type child struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// exit waits for the end and gives the exit code.
func (c *child) exit(t *testing.T) int {
	t.Helper()
	await(t, c.done)
	return c.cmd.ProcessState.ExitCode()
}

// spawner starts children and sees them all dead at the end of the test.
type spawner struct {
	t    *testing.T
	home string
	line *os.File

	mu       sync.Mutex
	children []*child
}

func newSpawner(t *testing.T, home string) *spawner {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	s := &spawner{t: t, home: home, line: r}
	t.Cleanup(func() {
		must(t, errors.Join(w.Close(), r.Close()))
		for _, c := range s.children {
			_ = c.cmd.Process.Kill()
			await(t, c.done)
		}
	})
	return s
}

// start is a daemon.Starter.
func (s *spawner) start() (func() error, error) {
	log, err := os.OpenFile(filepath.Join(s.home, "daemon", "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=daemon", "KEDGE_HOME="+s.home)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{s.line}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, done: make(chan struct{})}
	s.mu.Lock()
	s.children = append(s.children, c)
	s.mu.Unlock()
	var exit error
	go func() { exit = cmd.Wait(); close(c.done) }()
	return func() error { <-c.done; return exit }, nil
}

// up starts one child and waits until it answers.
func (s *spawner) up() (*http.Client, daemon.Hello) {
	s.t.Helper()
	c, hello, err := daemon.Ensure(s.t.Context(), s.home, noEnv, s.start)
	must(s.t, err)
	return c, hello
}

func noEnv(string) string { return "" }

// newHome is a state folder short enough for a socket of its own.
func newHome(t *testing.T) string {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "kd") //nolint:usetesting // a socket's path must be short
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	home, err := daemon.Home(env("KEDGE_HOME", filepath.Join(base, "h")))
	must(t, err)
	return home
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// server is a daemon inside the test process.
type server struct {
	home   string
	client *http.Client
	cancel func()
	err    error
	done   chan struct{}
}

func serve(t *testing.T, c daemon.Config) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{home: c.Home, cancel: cancel, done: make(chan struct{})}
	ready := make(chan struct{})
	c.OnReady = func() { close(ready) }
	go func() { s.err = daemon.Serve(ctx, c); close(s.done) }()
	t.Cleanup(func() { cancel(); await(t, s.done) })
	select {
	case <-ready:
	case <-s.done:
		t.Fatalf("the daemon ended: %v", s.err)
	}
	var err error
	s.client, err = daemon.Dial(t.Context(), c.Home)
	must(t, err)
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// end waits for the daemon's end and gives its error.
func (s *server) end(t *testing.T) error {
	t.Helper()
	await(t, s.done)
	return s.err
}

func get(c *http.Client, path string) (int, string, error) {
	res, err := c.Get(daemon.BaseURL + path)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("hangs")
	}
}

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("never: %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
