package daemon_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/server/daemon"
)

// TestF25RacingStartsOneDaemon races 20 starts, 50 with KEDGE_TEST_FULL set: each
// is a process, and two tell as much as fifty but for luck.
func TestF25RacingStartsOneDaemon(t *testing.T) {
	racers := 20
	if os.Getenv("KEDGE_TEST_FULL") != "" {
		racers = 50
	}
	home := newHome(t)
	s := newSpawner(t, home)
	_, err := daemon.Held(home) // makes the folder that the children log to
	must(t, err)
	pids := make([]int, racers)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range pids {
		wg.Go(func() {
			<-begin
			// One each, whatever the others have reached by now.
			if _, err := s.start(); err != nil {
				t.Error(err)
			}
			_, hello, err := daemon.Ensure(t.Context(), home, noEnv, s.start)
			if err != nil {
				t.Error(err)
			}
			pids[i] = hello.PID
		})
	}
	close(begin)
	wg.Wait()
	for i, pid := range pids {
		if pid != pids[0] || pid == 0 {
			t.Fatalf("caller %d reached pid %d, caller 0 pid %d", i, pid, pids[0])
		}
	}
	alive := 0
	for _, c := range s.children {
		if c.cmd.Process.Pid == pids[0] {
			alive++
			continue
		}
		if code := c.exit(t); code != 4 {
			t.Errorf("a loser exits with %d", code)
		}
	}
	if alive != 1 || len(s.children) < racers {
		t.Errorf("%d of %d children live", alive, len(s.children))
	}
	must(t, daemon.Stop(t.Context(), home))
	for _, c := range s.children {
		_ = c.exit(t)
	}
}

func TestEnsureTakesTheOneThatIsThere(t *testing.T) {
	s := serve(t, daemon.Config{Home: newHome(t), Version: "there"})
	for _, session := range []string{"", "ses-1"} {
		_, hello, err := daemon.Ensure(t.Context(), s.home, env("KEDGE_SESSION", session), func() (func() error, error) {
			return nil, errors.New("started another")
		})
		if err != nil || hello.Version != "there" {
			t.Errorf("session %q: %+v, %v", session, hello, err)
		}
	}
}

func TestEnsureStartsNothingInsideASession(t *testing.T) {
	started := false
	_, _, err := daemon.Ensure(t.Context(), newHome(t), env("KEDGE_SESSION", "ses-1"), func() (func() error, error) {
		started = true
		return nil, errors.New("no")
	})
	if !kedge.Blocked.Is(err) || started || !strings.Contains(kedge.HintOf(err), "kedge up") {
		t.Errorf("got %v (hint %q), started: %v", err, kedge.HintOf(err), started)
	}
}

func TestEnsureShowsTheLastWordsOfADeadDaemon(t *testing.T) {
	home := newHome(t)
	_, err := daemon.Held(home)
	must(t, err)
	log := filepath.Join(home, "daemon", "log")
	must(t, os.WriteFile(log, []byte("old words\n"), 0o600))
	tries := 0
	_, _, err = daemon.Ensure(t.Context(), home, noEnv, func() (func() error, error) {
		tries++
		must(t, os.WriteFile(log, []byte("old words\nfirst\nno such plug-in\n"), 0o600))
		return func() error { return errors.New("exit status 1") }, nil
	})
	if !kedge.Internal.Is(err) || !strings.Contains(err.Error(), "exit status 1") || !strings.Contains(err.Error(), "no such plug-in") {
		t.Errorf("got %v", err)
	}
	if strings.Contains(err.Error(), "old words") || tries == 0 || kedge.HintOf(err) != "see what the daemon prints: kedge up --foreground" {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

func TestEnsureEndsWithItsContext(t *testing.T) {
	home := newHome(t)
	lock, err := daemon.TakeLock(home) // somebody who never answers
	must(t, err)
	defer lock.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := daemon.Ensure(ctx, home, noEnv, func() (func() error, error) { return nil, errors.New("started") }); !kedge.Interrupted.Is(err) {
		t.Errorf("got %v", err)
	}
}

func TestSpawnCutsTheDaemonOffFromItsCaller(t *testing.T) {
	home := newHome(t)
	gate := filepath.Join(t.TempDir(), "gate")
	must(t, unix.Mkfifo(gate, 0o600))
	f, err := os.OpenFile(gate, os.O_RDWR, 0) // both ends: neither side waits for the other
	must(t, err)
	defer f.Close()
	const script = "pwd; echo home=$KEDGE_HOME key=$SECRET_KEY session=$KEDGE_SESSION arg=$1 pid=$$.; read line <$2; exit 3"
	environ := []string{"PATH=" + os.Getenv("PATH"), "SECRET_KEY=x", "KEDGE_SESSION=y"}
	wait, err := daemon.Spawn(home, "/bin/sh", environ, "-c", script, "sh", "up", gate)()
	must(t, err)
	var said string
	eventually(t, "its words", func() bool {
		b, err := os.ReadFile(filepath.Join(home, "daemon", "log"))
		said = string(b)
		return err == nil && strings.HasSuffix(said, ".\n")
	})
	words, last, _ := strings.Cut(said, " pid=")
	if words != "/\nhome="+home+" key= session= arg=up" {
		t.Errorf("it saw %q", said)
	}
	pid, err := strconv.Atoi(strings.TrimSuffix(last, ".\n"))
	must(t, err)
	if sid, err := unix.Getsid(pid); err != nil || sid != pid {
		t.Errorf("process %d is in the session %d (%v): not its own", pid, sid, err)
	}
	_, err = f.WriteString("go\n")
	must(t, err)
	if err := wait(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("end: %v", err)
	}
}
