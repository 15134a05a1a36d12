package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
)

// The tests of crashes run this test binary again as a child that appends and
// says "ack N" after each append that returned, so that what it was promised
// can be compared with what is there after it was killed.
const (
	childMode = "KEDGE_STORE_CHILD" // end, kill or full
	childDir  = "KEDGE_STORE_DIR"
	childFrom = "KEDGE_STORE_FROM"
	childN    = "KEDGE_STORE_N"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	os.Exit(m.Run())
}

// child appends N notes, numbered from FROM on.
func child(mode string) int {
	runtime.LockOSThread() // its own writes to stdout are counted apart from the journal's
	from, _ := strconv.Atoi(os.Getenv(childFrom))
	n, _ := strconv.Atoi(os.Getenv(childN))
	s, err := Open(os.Getenv(childDir), Options{Key: testKey, Now: childClock, pin: true})
	if err != nil {
		say("error %v\n", err)
		return 1
	}
	for i := from; i < from+n; i++ {
		_, _, err := s.Append(context.Background(), childKey(i), childEvents(i)...)
		if err != nil {
			say("error %d %s\n", i, strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		say("ack %d\n", i)
	}
	if mode == "kill" {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if err := s.Close(); err != nil {
		say("error %v\n", err)
		return 1
	}
	say("done\n")
	return 0
}

// say writes to stdout until it is written: the faults that are injected into
// the child's writes are meant for its journal.
func say(format string, args ...any) {
	b := fmt.Appendf(nil, format, args...)
	for len(b) > 0 {
		n, _ := syscall.Write(1, b)
		b = b[max(n, 0):]
	}
}

func childClock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func childKey(i int) string { return "key-" + strconv.Itoa(i) }

// childEvents are two, so that a torn request would show.
func childEvents(i int) []kedge.Event {
	id := fmt.Sprintf("not-%06d", i)
	a, _ := kedge.NewEvent(kedge.NoteAdded, kedge.ActorDaemon, kedge.Note{ID: kedge.NoteID(id), Title: "note " + strconv.Itoa(i), RootCause: "a cause"})
	b, _ := kedge.NewEvent(kedge.FilesSeen, kedge.ActorDaemon, kedge.FilesSeenData{Tree: id, Cause: "test"})
	return []kedge.Event{a, b}
}

// childRun is how a child ended.
type childRun struct {
	acked  []int
	errors []string
	done   bool // it closed its store and said so
	killed bool
}

// childCommand prepares a child; the command may be wrapped, by strace.
func childCommand(t *testing.T, mode, dir string, from, n int, wrap ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, wrap...), exe)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childMode+"="+mode, childDir+"="+dir,
		childFrom+"="+strconv.Itoa(from), childN+"="+strconv.Itoa(n),
		"GORACE=atexit_sleep_ms=0") // the race detector would hold every child up for a second
	return cmd
}

// runChild runs a child to its end, whichever that is.
func runChild(t *testing.T, cmd *exec.Cmd) childRun {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	r := parseRun(t, strings.NewReader(string(out)))
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		ws, _ := exit.Sys().(syscall.WaitStatus)
		r.killed = ws.Signaled() && ws.Signal() == syscall.SIGKILL
	} else if err != nil {
		t.Fatal(err)
	}
	if !r.killed && !r.done && len(r.errors) == 0 {
		t.Fatalf("the child ended with %v: %s", err, stderr.String())
	}
	return r
}

func parseRun(t *testing.T, out io.Reader) childRun {
	t.Helper()
	var r childRun
	for lines := bufio.NewScanner(out); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "ack":
			n, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatalf("child said %q", lines.Text())
			}
			r.acked = append(r.acked, n)
		case "error":
			r.errors = append(r.errors, rest)
		case "done":
			r.done = true
		}
	}
	return r
}

// modelCheck opens what a child left, twice: for reading as it lies, and for
// writing. Every acknowledged request must be there whole, every other whole or
// absent, and the store sound and usable.
func modelCheck(t *testing.T, dir string, n int, acked []int) {
	t.Helper()
	for _, readOnly := range []bool{true, false} {
		s, err := Open(dir, Options{Key: testKey, Now: childClock, ReadOnly: readOnly})
		if kedge.NotFound.Is(err) && readOnly && len(acked) == 0 {
			continue // killed before there was a journal
		}
		if err != nil {
			t.Fatalf("open (read only %v): %v", readOnly, err)
		}
		checkModel(t, s, n, acked)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func checkModel(t *testing.T, s *Store, n int, acked []int) {
	t.Helper()
	if err := s.Refusal(); err != nil {
		t.Errorf("refused: %v", err)
	}
	isAcked := map[int]bool{}
	for _, i := range acked {
		isAcked[i] = true
	}
	for i := range n {
		evs, _, err := s.Seen(t.Context(), childKey(i))
		if err != nil {
			t.Fatal(err)
		}
		_, folded, err := Get[kedge.Note](t.Context(), s, KindNote, fmt.Sprintf("not-%06d", i))
		if err != nil {
			t.Fatal(err)
		}
		whole, absent := len(evs) == 2 && folded, len(evs) == 0 && !folded
		if isAcked[i] && !whole || !whole && !absent {
			t.Errorf("request %d: acknowledged %v, %d events, folded %v", i, isAcked[i], len(evs), folded)
		}
	}
	found, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Level != kedge.LevelInfo {
			t.Errorf("check: %+v", f)
		}
	}
}
