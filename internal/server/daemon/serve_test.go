package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/server/daemon"
)

func TestServeAnswersAndLeavesOnlyTheLog(t *testing.T) {
	home := newHome(t)
	s := serve(t, daemon.Config{Home: home, Version: "9.9", Handler: http.NotFoundHandler()})
	hello, err := daemon.Ask(t.Context(), s.client)
	if err != nil || hello != (daemon.Hello{PID: os.Getpid(), Version: "9.9"}) {
		t.Errorf("hello %+v, %v", hello, err)
	}
	if code, _, err := get(s.client, "/elsewhere"); err != nil || code != http.StatusNotFound {
		t.Errorf("the handler's path gives %d, %v", code, err)
	}
	for name, mode := range map[string]os.FileMode{
		".": os.ModeDir | 0o700, "lock": 0o600, "pid": 0o600, "address": 0o600, "log": 0o600, "socket": os.ModeSocket | 0o600,
	} {
		if info, err := os.Lstat(filepath.Join(home, "daemon", name)); err != nil || info.Mode() != mode {
			t.Errorf("daemon/%s: %v, want %v", name, err, mode)
		}
	}
	must(t, daemon.Stop(t.Context(), home))
	must(t, s.end(t))
	if names := list(t, filepath.Join(home, "daemon")); names != "lock log" {
		t.Errorf("left behind: %s", names)
	}
	if _, err := daemon.Dial(t.Context(), home); !kedge.NotFound.Is(err) || kedge.HintOf(err) != "start one: kedge up" {
		t.Errorf("afterwards: %v", err)
	}
	for _, line := range logLines(t, home) {
		if line["time"] == nil || line["msg"] == nil {
			t.Errorf("log line without time or message: %v", line)
		}
	}
}

func TestStopWithoutADaemon(t *testing.T) {
	if err := daemon.Stop(t.Context(), newHome(t)); !kedge.NotFound.Is(err) {
		t.Errorf("got %v", err)
	}
}

func TestF25StaleFilesAreNoDaemon(t *testing.T) {
	home := newHome(t)
	s := newSpawner(t, home)
	_, hello := s.up()
	first := s.children[0]
	must(t, first.cmd.Process.Kill())
	await(t, first.done)
	if names := list(t, filepath.Join(home, "daemon")); names != "address lock log pid socket" {
		t.Fatalf("a killed daemon leaves %q: nothing to test here", names)
	}
	if _, err := daemon.Dial(t.Context(), home); !kedge.NotFound.Is(err) {
		t.Errorf("what a killed daemon left is taken for one: %v", err)
	}
	_, second := s.up()
	if second.PID == hello.PID || second.PID != s.children[1].cmd.Process.Pid {
		t.Errorf("pid %d answers, started was %d", second.PID, s.children[1].cmd.Process.Pid)
	}
	must(t, daemon.Stop(t.Context(), home))
	if code := s.children[1].exit(t); code != 0 {
		t.Errorf("a stopped daemon exits with %d", code)
	}
}

func TestServeASecondTimeIsAConflict(t *testing.T) {
	s := serve(t, daemon.Config{Home: newHome(t)})
	called := false
	err := daemon.Serve(t.Context(), daemon.Config{Home: s.home, Close: func() error { called = true; return nil }})
	if !kedge.Conflict.Is(err) || called {
		t.Errorf("got %v, closed: %v", err, called)
	}
	if _, err := daemon.Ask(t.Context(), s.client); err != nil {
		t.Errorf("the first one no longer answers: %v", err)
	}
}

func TestStopGivesARunningRequestItsTime(t *testing.T) {
	home := newHome(t)
	entered, release := make(chan struct{}), make(chan struct{})
	s := serve(t, daemon.Config{
		Home: home, Grace: patience,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			close(entered)
			<-release
			if r.Context().Err() != nil {
				w.WriteHeader(http.StatusTeapot)
			}
			_, _ = io.WriteString(w, " whole answer ")
		}),
	})
	answer := make(chan string, 1)
	go func() {
		code, body, err := get(s.client, "/slow")
		answer <- fmt.Sprint(code, body, err)
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- daemon.Stop(context.Background(), home) }()
	eventually(t, "no new requests are taken", func() bool {
		_, err := daemon.Dial(t.Context(), home)
		return kedge.NotFound.Is(err)
	})
	if held, err := daemon.Held(home); err != nil || !held {
		t.Errorf("the lock is given back while a request runs: %v, %v", held, err)
	}
	close(release)
	if got := <-answer; got != "200 whole answer <nil>" {
		t.Errorf("the running request got %q", got)
	}
	must(t, <-stopped)
	must(t, s.end(t))
}

func TestStopCancelsWhatOutlivesItsTime(t *testing.T) {
	entered, cancelled := make(chan struct{}), make(chan struct{})
	closed := false
	s := serve(t, daemon.Config{
		Home: newHome(t), Grace: time.Nanosecond,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
			close(cancelled)
		}),
		Close: func() error {
			select {
			case <-cancelled:
				closed = true
			default:
			}
			return nil
		},
	})
	go func() {
		if res, err := s.client.Get(daemon.BaseURL + "/slow"); err == nil {
			_ = res.Body.Close()
		}
	}()
	<-entered
	s.cancel()
	must(t, s.end(t))
	if !closed {
		t.Error("Close ran before the last request had ended")
	}
}

func TestCloseAndPrepareRunUnderTheLock(t *testing.T) {
	home := newHome(t)
	var order []string
	step := func(name string) {
		if _, err := daemon.TakeLock(home); !kedge.Conflict.Is(err) {
			t.Errorf("%s: the lock is free: %v", name, err)
		}
		order = append(order, name)
	}
	s := serve(t, daemon.Config{
		Home:    home,
		Prepare: func(context.Context, *slog.Logger) error { step("prepare"); return nil },
		Close:   func() error { step("close"); return errors.New("disk gone") },
	})
	s.cancel()
	if err := s.end(t); err == nil || !strings.Contains(err.Error(), "disk gone") {
		t.Errorf("the error of Close is lost: %v", err)
	}
	if strings.Join(order, " ") != "prepare close" {
		t.Errorf("order %q", order)
	}
	err := daemon.Serve(t.Context(), daemon.Config{Home: home, Prepare: func(context.Context, *slog.Logger) error { return errors.New("not ready") }})
	if err == nil || !strings.Contains(err.Error(), "not ready") {
		t.Errorf("a failed preparation: %v", err)
	}
	if held, err := daemon.Held(home); held || err != nil {
		t.Errorf("the lock stays taken after a failed start: %v, %v", held, err)
	}
}

// What the client sees when the server stops reading depends on who is faster,
// so it is the handler that is asked.
func TestRequestLimits(t *testing.T) {
	seen := make(chan error, 1)
	s := serve(t, daemon.Config{
		Home: newHome(t),
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			seen <- err
		}),
	})
	send := func(size int, header string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, daemon.BaseURL+"/x", bytes.NewReader(make([]byte, size)))
		must(t, err)
		req.Header.Set("X-Header", header)
		if res, err := s.client.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
	send(1<<20, "small")
	if err := <-seen; err != nil {
		t.Errorf("1 MB: %v", err)
	}
	send(33<<20, "small")
	if _, tooLarge := errors.AsType[*http.MaxBytesError](<-seen); !tooLarge {
		t.Error("33 MB were taken")
	}
	send(0, strings.Repeat("x", 128<<10))
	select {
	case err := <-seen:
		t.Errorf("a head of 128 KB reached the handler: %v", err)
	default:
	}
}

func TestF29LongHomeServes(t *testing.T) {
	home, err := daemon.Home(env("KEDGE_HOME", filepath.Join(t.TempDir(), strings.Repeat("x", 120))))
	must(t, err)
	runtime := newHome(t)
	s := serve(t, daemon.Config{Home: home, Runtime: runtime})
	if _, err := daemon.Ask(t.Context(), s.client); err != nil {
		t.Error(err)
	}
	address, err := os.ReadFile(filepath.Join(home, "daemon", "address"))
	if err != nil || !strings.HasPrefix(string(address), runtime) {
		t.Errorf("address %q, %v", address, err)
	}
	s.cancel()
	must(t, s.end(t))
	if names := list(t, runtime); names != "" {
		t.Errorf("left behind: %s", names)
	}
}

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func logLines(t *testing.T, home string) []map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(home, "daemon", "log"))
	must(t, err)
	var out []map[string]any
	for line := range strings.Lines(string(b)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		t.Fatal("the log is empty")
	}
	return out
}
