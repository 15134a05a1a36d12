package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"kedge"
)

func testHome(t *testing.T) string {
	t.Helper()
	home, err := Home(func(name string) string {
		if name == "KEDGE_HOME" {
			return filepath.Join(t.TempDir(), "h")
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return home
}

func TestF25FiftyTakersOneLock(t *testing.T) {
	home := testHome(t)
	var won atomic.Pointer[Lock]
	var winners, conflicts atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			lock, err := TakeLock(home)
			switch {
			case err == nil:
				winners.Add(1)
				won.Store(lock)
			case kedge.Conflict.Is(err):
				conflicts.Add(1)
			default:
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := Held(home); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if winners.Load() != 1 || conflicts.Load() != 49 {
		t.Fatalf("%d won and %d met a conflict", winners.Load(), conflicts.Load())
	}
	if held, err := Held(home); err != nil || !held {
		t.Errorf("held: %v, %v", held, err)
	}
	if err := won.Load().Close(); err != nil {
		t.Fatal(err)
	}
	if held, err := Held(home); err != nil || held {
		t.Errorf("held after it was given back: %v, %v", held, err)
	}
}

// Somebody who only asks must never be taken for a daemon.
func TestF25AskingDoesNotKeepADaemonOut(t *testing.T) {
	home := testHome(t)
	f, err := openLock(home)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	asked := false
	lock, err := takeLock(home, func(fd, how int) error {
		err := unix.Flock(fd, how)
		if err != nil && !asked { // refused once: the asker is done now
			asked = true
			_ = f.Close()
		}
		return err
	})
	if err != nil || !asked {
		t.Fatalf("got %v; met the asker: %v", err, asked)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
}

func TestF25ConflictNamesTheHolder(t *testing.T) {
	home := testHome(t)
	lock, err := TakeLock(home)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	_, err = TakeLock(home)
	if want := fmt.Sprintf("the daemon with pid %d is already running", os.Getpid()); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if kedge.HintOf(err) != "stop that daemon: kedge down" {
		t.Errorf("hint %q", kedge.HintOf(err))
	}
	if err := lock.f.Truncate(0); err != nil { // taken, not yet signed
		t.Fatal(err)
	}
	if _, err := TakeLock(home); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "just starting") {
		t.Errorf("unsigned: %v", err)
	}
}

func TestF25StaleLockFile(t *testing.T) {
	for name, text := range map[string]string{
		"a dead pid":     "999999999\n",
		"a living pid":   fmt.Sprintln(os.Getpid()),
		"not a pid":      "x\n",
		"empty":          "",
		"long and wrong": strings.Repeat("9", 4096),
	} {
		t.Run(name, func(t *testing.T) {
			home := testHome(t)
			if _, err := daemonDir(home); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(home, "daemon", "lock")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			lock, err := TakeLock(home)
			if err != nil {
				t.Fatalf("what a file says is no lock: %v", err)
			}
			if b, _ := os.ReadFile(path); string(b) != fmt.Sprintln(os.Getpid()) {
				t.Errorf("signed %q", b)
			}
			if err := lock.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestF25FilesystemsWithoutLocksAreRefused(t *testing.T) {
	for name, flock := range map[string]flocker{
		"everybody is let in": func(int, int) error { return nil },
		"not supported":       func(int, int) error { return unix.ENOTSUP },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := takeLock(testHome(t), flock)
			if !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), "locks do not work") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestF25LockThatIsALinkIsRefused(t *testing.T) {
	home := testHome(t)
	if _, err := daemonDir(home); err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(home, "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("mine"), 0o600), os.Symlink(victim, filepath.Join(home, "daemon", "lock"))); err != nil {
		t.Fatal(err)
	}
	if _, err := TakeLock(home); err == nil {
		t.Error("took a lock through a link")
	}
	if b, _ := os.ReadFile(victim); string(b) != "mine" {
		t.Errorf("the file behind the link now holds %q", b)
	}
}
