package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/journal/spool"
	"kedge/internal/server/hook"
)

// hungDaemon listens where a daemon of home would, takes connections and never
// answers.
func hungDaemon(t *testing.T) (home string) {
	t.Helper()
	home, err := os.MkdirTemp("", "k") //nolint:usetesting // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	dir := filepath.Join(home, "daemon")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "socket")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.WriteFile(filepath.Join(dir, "address"), []byte(socket+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestHookBesideAHungDaemon: an agent whose daemon takes connections and never
// answers is let go, and what happened waits.
func TestHookBesideAHungDaemon(t *testing.T) {
	home := hungDaemon(t)
	for i, input := range []string{
		`{"hook_event_name":"PostToolUse","tool_name":"Write","session_id":"c"}`,
		`{"hook_event_name":"Stop","session_id":"c"}`,
		`{"hook_event_name":"PreCompact","session_id":"c"}`,
	} {
		var out bytes.Buffer
		hook.Main(context.Background(), []string{"claude"}, hook.World{
			In: strings.NewReader(input), Out: &out, Getenv: func(string) string { return "" }, Dir: t.TempDir(), Home: home, Now: time.Now,
			Service: hookService{home, time.Millisecond}, Project: func(string) (string, bool) { return "p", true },
		})
		if out.Len() > 0 {
			t.Errorf("%s: told is %q", input, out.String())
		}
		if n := spool.Waiting(home); n != i+1 {
			t.Errorf("%s: %d events wait", input, n)
		}
	}
}

// TestHookEnvironNamesTheHome: checks of a hook that was told its state folder are told
// it, too; another's environment is as it was.
func TestHookEnvironNamesTheHome(t *testing.T) {
	for _, c := range []struct{ had, want string }{{"", "/state"}, {"/other", "/other"}} {
		t.Setenv("KEDGE_HOME", c.had)
		_, getenv := hook.Homed([]string{"claude", "--home=/state"}, os.Getenv)
		env := exec.Cmd{Env: hookEnviron(getenv)}
		if got := env.Environ(); !slices.Contains(got, "KEDGE_HOME="+c.want) || slices.Contains(got, "KEDGE_HOME=") {
			t.Errorf("with %q: %q", c.had, got)
		}
	}
	if got := hookEnviron(os.Getenv); !slices.Equal(got, os.Environ()) {
		t.Errorf("without words of its own: %q", got)
	}
}
