package hold_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// patience only guards against hanging; nothing here is judged by time.
const patience = 3 * time.Minute

// TestMain plays the holder and the programs it holds, when it is told to.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hold" {
		if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
			_, _ = os.Stderr.Write(hold.Complain(err))
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "oldhold" {
		os.Exit(oldHold())
	}
	if len(os.Args) > 1 && os.Args[1] == "program" {
		os.Exit(program(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func ctx(t *testing.T) context.Context {
	t.Helper()
	c, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return c
}

// spec makes a session folder and what to hold in it.
func spec(t *testing.T, tty bool, args ...string) hold.Spec {
	t.Helper()
	sock, err := os.MkdirTemp("/tmp", "kh") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sock) })
	id := kedge.NewID("ses", time.Now())
	dir := filepath.Join(t.TempDir(), id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := hold.Spec{
		Session: kedge.SessionID(id), Dir: dir, Socket: filepath.Join(sock, "s"), Cwd: t.TempDir(),
		Command: append([]string{self(t), "program"}, args...), Env: []string{"PATH=/usr/bin:/bin", "SECRET=hunter2"},
	}
	if tty {
		s.Cols, s.Rows = 80, 24
	}
	return s
}

// start starts a session and sees to it that nothing of it is left.
func start(t *testing.T, s hold.Spec) *hold.Client {
	t.Helper()
	c, err := hold.NewLauncher(self(t), "hold").Start(ctx(t), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { finish(t, s.Dir) })
	return c
}

func finish(t *testing.T, dir string) {
	c, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cl, err := hold.Dial(c, dir)
	if err != nil {
		return // gone already
	}
	defer cl.Close()
	if err := cl.End(c, 0); err != nil {
		t.Errorf("end: %v", err)
	}
	if _, err := cl.Follow(c, func(int64) error { return nil }); err != nil {
		t.Errorf("follow to the end: %v", err)
	}
	if err := cl.Collect(c); err != nil {
		t.Errorf("collect: %v", err)
	}
	eventually(t, "the holder is gone", func() bool { return !lives(cl.Greeting.Holder.PID) })
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// lives tells whether a process exists and is no zombie.
func lives(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !errors.Is(err, os.ErrNotExist)
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(after, "Z")
}

// text is everything on the tape so far.
func text(t *testing.T, dir string) string {
	t.Helper()
	l := tape.Open(dir)
	from, end, err := l.Range()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, end-from)
	if _, err := l.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return string(b)
}

func says(t *testing.T, dir, want string) {
	t.Helper()
	eventually(t, fmt.Sprintf("the tape has %q", want), func() bool { return strings.Contains(text(t, dir), want) })
}

// toEnd follows a session to its end.
func toEnd(t *testing.T, c *hold.Client) hold.State {
	t.Helper()
	s, err := c.Follow(ctx(t), func(int64) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTerminal(t *testing.T) {
	s := spec(t, true, "echo")
	c := start(t, s)
	says(t, s.Dir, "size 80x24")
	if err := c.Input(ctx(t), 9, 1, []byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	says(t, s.Dir, "got hello")
	for range 3 { // a retry of the same number types nothing
		if err := c.Input(ctx(t), 9, 1, []byte("hello\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Resize(ctx(t), 100, 30); err != nil {
		t.Fatal(err)
	}
	says(t, s.Dir, "size 100x30")
	if err := c.Input(ctx(t), 9, 2, []byte("quit\n")); err != nil {
		t.Fatal(err)
	}
	st := toEnd(t, c)
	if st.Running || st.Exit == nil || st.Exit.Code != 7 || st.Exit.Cause != "exited" || st.Input != int64(len("hello\nquit\n")) {
		t.Errorf("ended as %+v, %+v", st, st.Exit)
	}
	if n := strings.Count(text(t, s.Dir), "got hello"); n != 1 {
		t.Errorf("typed %d times", n)
	}
	marks, err := tape.Open(s.Dir).Marks()
	if err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for _, m := range marks {
		if m.Kind == tape.Resize {
			sizes = append(sizes, fmt.Sprintf("%dx%d", m.A, m.B))
		}
	}
	if got := strings.Join(sizes, " "); got != "80x24 100x30" {
		t.Errorf("sizes on the tape: %s", got)
	}
	r, err := hold.ReadResult(s.Dir)
	if err != nil || r.Code != 7 || r.End != st.End {
		t.Errorf("exit.json: %+v, %v", r, err)
	}
}

// TestEnvironmentStaysInMemory: no value of the caller's environment is in any
// file of the session.
func TestEnvironmentStaysInMemory(t *testing.T) {
	s := spec(t, true, "echo")
	c := start(t, s)
	says(t, s.Dir, "size")
	if env, err := c.Environ(ctx(t)); err != nil || !slices.Equal(env, s.Env) {
		t.Errorf("the holder says %q, %v", env, err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(s.Dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("hunter2")) {
			t.Errorf("%s holds a value of the environment", e.Name())
		}
		if fi, err := e.Info(); err != nil || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", e.Name(), fi.Mode())
		}
	}
}

// TestF13NothingIsLeft: forks, double forks and sessions of their own that
// ignore every polite signal are gone after the end; a stranger with the same
// command line is not touched.
func TestF13NothingIsLeft(t *testing.T) {
	decoy := startDecoy(t)
	for _, how := range []string{"end", "exits by itself"} {
		t.Run(how, func(t *testing.T) {
			s := spec(t, true, "brood", filepath.Join(t.TempDir(), "pids"), how)
			c := start(t, s)
			var pids []int
			eventually(t, "all of the brood is there", func() bool {
				pids = readPIDs(s.Command[3])
				return len(pids) == 4
			})
			if how == "end" {
				if err := c.End(ctx(t), 10*time.Millisecond); err != nil {
					t.Fatal(err)
				}
			} else if err := c.Input(ctx(t), 9, 1, []byte("go\n")); err != nil {
				t.Fatal(err)
			}
			toEnd(t, c)
			for _, pid := range pids {
				if lives(pid) {
					t.Errorf("process %d is left", pid)
				}
			}
			if !lives(decoy) {
				t.Error("a stranger was killed")
			}
		})
	}
}

func readPIDs(file string) (pids []int) {
	b, _ := os.ReadFile(file)
	for f := range strings.FieldsSeq(string(b)) {
		if n, err := strconv.Atoi(f); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}

// TestF2HolderKilled: the session of a killed holder is interrupted, its tape is
// whole to the last byte that was told.
func TestF2HolderKilled(t *testing.T) {
	s := spec(t, true, "count")
	c := start(t, s)
	says(t, s.Dir, "line 50\r\n")
	before := text(t, s.Dir)
	if err := syscall.Kill(c.Greeting.Holder.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the holder and its program are gone", func() bool {
		return !lives(c.Greeting.Holder.PID) && !lives(c.Greeting.Child.PID)
	})
	f := hold.Look(ctx(t), s.Dir)
	if f.State != kedge.SessionInterrupted || f.Cause != "killed" {
		t.Errorf("state %s, cause %q", f.State, f.Cause)
	}
	after := text(t, s.Dir)
	if !strings.HasPrefix(after, before) {
		t.Error("the tape changed")
	}
	for i, line := range strings.Split(strings.TrimSuffix(after, "\r\n"), "\r\n") {
		if want := fmt.Sprintf("line %d", i+1); !strings.HasPrefix(want, strings.TrimSuffix(line, "\r")) {
			t.Fatalf("line %d is %q", i+1, line)
		}
	}
}

// TestF32Reboot: a record of another boot is no living holder.
func TestF32Reboot(t *testing.T) {
	s := spec(t, false, "echo")
	start(t, s)
	r, err := hold.ReadRecord(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), string(s.Session))
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	r.Boot = "another boot"
	writeRecord(t, other, r)
	if f := hold.Look(ctx(t), other); f.State != kedge.SessionInterrupted || f.Cause != "reboot" {
		t.Errorf("state %s, cause %q", f.State, f.Cause)
	}
}

// TestT23ForgedRecord: a record that names a stranger's pid, or another
// session's socket, gives no client, and nobody is signalled.
func TestT23ForgedRecord(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	decoy := startDecoy(t)
	real, err := hold.ReadRecord(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*hold.Record){
		"recycled pid":      func(r *hold.Record) { r.Holder.PID = decoy },
		"other start":       func(r *hold.Record) { r.Holder.Start++ },
		"other session":     func(r *hold.Record) { r.Session = kedge.SessionID(kedge.NewID("ses", time.Now())) },
		"living other pid":  func(r *hold.Record) { r.Holder = hold.Process{PID: os.Getpid(), Start: startOf(t, os.Getpid())} },
		"nobody at the pid": func(r *hold.Record) { r.Holder = hold.Process{} },
	} {
		dir := filepath.Join(t.TempDir(), string(s.Session))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		r := real
		forge(&r)
		writeRecord(t, dir, r)
		if cl, err := hold.Dial(ctx(t), dir); err == nil {
			_ = cl.Close()
			t.Errorf("%s: was believed", name)
		}
	}
	if !lives(decoy) || !lives(c.Greeting.Child.PID) {
		t.Error("somebody was killed")
	}
}

func writeRecord(t *testing.T, dir string, r hold.Record) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "holder.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSignalsAreTheProgramsOwn: what the holder does not heed is not ignored in
// the program, or it would outlive its terminal and its readers.
func TestSignalsAreTheProgramsOwn(t *testing.T) {
	s := spec(t, false, "ignored")
	c := start(t, s)
	toEnd(t, c)
	if got := strings.TrimSpace(text(t, s.Dir)); got != "ignored: none" {
		t.Error(got)
	}
}

// TestAwait: whoever waits for the end is told of it, however late they ask.
func TestAwait(t *testing.T) {
	s := spec(t, true, "echo")
	c := start(t, s)
	waiter, err := hold.Dial(ctx(t), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer waiter.Close()
	ended := make(chan hold.State, 1)
	go func() {
		st, err := waiter.Await(ctx(t))
		if err != nil {
			t.Errorf("await: %v", err)
		}
		ended <- st
	}()
	if err := c.Input(ctx(t), 1, 1, []byte("hello\r")); err != nil {
		t.Fatal(err)
	}
	if err := c.End(ctx(t), 0); err != nil {
		t.Fatal(err)
	}
	if st := <-ended; st.Running || st.Exit == nil {
		t.Errorf("the last state is %+v", st)
	}
	late, err := hold.Dial(ctx(t), s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if st, err := late.Await(ctx(t)); err != nil || st.Running {
		t.Errorf("of a session that has ended: %+v, %v", st, err)
	}
}

// TestAbandonedLaunch: a holder that is given nothing to hold goes, and leaves
// the folder as it was, and no socket.
func TestAbandonedLaunch(t *testing.T) {
	s := spec(t, false, "none")
	at := hold.Place{Session: s.Session, Dir: s.Dir, Socket: s.Socket}
	l, err := hold.NewLauncher(self(t), "hold").Prepare(ctx(t), at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold.NewLauncher(self(t), "hold").Prepare(ctx(t), at); !kedge.Conflict.Is(err) {
		t.Errorf("a second holder for the folder: %v", err)
	}
	l.Abandon()
	for _, d := range []string{s.Dir, filepath.Dir(s.Socket)} {
		if left, err := os.ReadDir(d); err != nil || len(left) != 0 {
			t.Errorf("left in the folder: %v, %v", left, err)
		}
	}
}

// TestF3ToldAtOnce: a daemon of an earlier version, which is still there after the
// program was replaced, tells a holder all of it in one piece; what was made ready
// for one session is not given to another.
func TestF3ToldAtOnce(t *testing.T) {
	s := spec(t, false, "none")
	other := s
	other.Session = kedge.SessionID(kedge.NewID("ses", time.Now()))
	for name, c := range map[string]struct {
		told []any
		want string
	}{
		"at once":         {[]any{s}, "ready\n"},
		"another session": {[]any{hold.Place{Session: s.Session, Dir: s.Dir, Socket: s.Socket}, other}, "received the command of session"},
		"nothing":         {nil, "cannot read which command to start"},
	} {
		t.Run(name, func(t *testing.T) {
			var told []byte
			for _, v := range c.told {
				b, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				told = append(append(told, b...), '\n')
			}
			cmd := exec.CommandContext(ctx(t), self(t), "hold")
			cmd.Stdin = bytes.NewReader(bytes.TrimSuffix(told, []byte("\n"))) // an earlier version sends no newline
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(out)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "ready\n" {
				cl, err := hold.Dial(ctx(t), s.Dir)
				if err != nil {
					t.Fatal(err)
				}
				defer cl.Close()
				if _, err := cl.Await(ctx(t)); err != nil {
					t.Fatal(err)
				}
				if err := cl.Collect(ctx(t)); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			if !strings.Contains(string(said)+errs.String(), c.want) {
				t.Errorf("said %q and %q", said, errs.String())
			}
		})
	}
}
