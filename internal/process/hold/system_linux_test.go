package hold_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kedge/internal/process/hold"
)

// asNobody runs f on a thread of its own whose effective user is another one.
// The thread dies with its goroutine, so the change goes no further.
func asNobody(t *testing.T, f func() error) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		keep, nobody := ^uintptr(0), uintptr(65534)
		if _, _, no := unix.RawSyscall(unix.SYS_SETRESUID, keep, nobody, keep); no != 0 {
			result <- no
			return
		}
		result <- f()
	}()
	return <-result
}

// greeted connects in system calls, so that it stays on its thread, and gives
// what the holder says first.
func greeted(socket string) ([]byte, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		return nil, err
	}
	b := make([]byte, 512)
	n, err := unix.Read(fd, b)
	return b[:max(n, 0)], err
}

// TestT4AnotherUser: another user does not reach a holder, by the socket's own
// permissions, and gets no word from it when these are open.
func TestT4AnotherUser(t *testing.T) {
	s := spec(t, false, "echo")
	start(t, s)
	fi, err := os.Stat(s.Socket)
	if err != nil || fi.Mode().Perm()&0o077 != 0 {
		t.Errorf("the socket has mode %v, %v", fi.Mode(), err)
	}
	if err := os.Chmod(filepath.Dir(s.Socket), 0o755); err != nil {
		t.Fatal(err)
	}
	err = asNobody(t, func() error { _, err := greeted(s.Socket); return err })
	if !errors.Is(err, unix.EACCES) {
		t.Errorf("connecting as another user: %v", err)
	}
	if err := os.Chmod(s.Socket, 0o666); err != nil {
		t.Fatal(err)
	}
	var told []byte
	err = asNobody(t, func() (err error) { told, err = greeted(s.Socket); return err })
	if len(told) > 0 || err != nil && !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("another user was told %q, %v", told, err)
	}
	if told, err := greeted(s.Socket); err != nil || !strings.Contains(string(told), string(s.Session)) {
		t.Errorf("the owner was told %q, %v", told, err)
	}
}

// TestT4NothingInArguments: neither the environment nor anything else of the
// session is in the holder's command line.
func TestT4NothingInArguments(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	b, err := os.ReadFile(filepath.Join("/proc", itoa(c.Greeting.Holder.PID), "cmdline"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(b), self(t)+"\x00hold\x00"; got != want {
		t.Errorf("the holder runs as %q", got)
	}
	env, err := os.ReadFile(filepath.Join("/proc", itoa(c.Greeting.Holder.PID), "environ"))
	if err != nil || strings.Contains(string(env), "hunter2") {
		t.Errorf("the holder's own environment: %q, %v", env, err)
	}
}

// TestF10OutOfMemory: in a control group with little memory the kernel ends the
// program, and that is told apart from any other kill.
func TestF10OutOfMemory(t *testing.T) {
	group := filepath.Join("/sys/fs/cgroup/memory", "kedge-test-"+itoa(os.Getpid()))
	limit, count := "memory.limit_in_bytes", filepath.Join(group, "memory.oom_control")
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		group = filepath.Join("/sys/fs/cgroup", filepath.Base(group))
		limit, count = "memory.max", filepath.Join(group, "memory.events")
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skipf("no control group can be made: %v", err)
	}
	t.Cleanup(func() {
		eventually(t, "the control group is empty", func() bool { return os.Remove(group) == nil })
	})
	if err := os.WriteFile(filepath.Join(group, limit), []byte("67108864"), 0o600); err != nil {
		t.Skipf("no limit can be set: %v", err)
	}
	if _, err := os.Stat(count); err != nil {
		t.Skipf("nothing counts: %v", err)
	}
	s := spec(t, false, "eat")
	in := []string{"/bin/sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$1" hold`, group, self(t)}
	c, err := hold.NewLauncher(in...).Start(ctx(t), s)
	if err != nil {
		t.Skipf("no holder in the control group: %v", err)
	}
	t.Cleanup(func() { finish(t, s.Dir) })
	if err := c.Input(ctx(t), 1, 1, []byte("go\n")); err != nil {
		t.Fatal(err)
	}
	st := toEnd(t, c)
	if st.Exit.Cause != hold.CauseMemory || st.Exit.Code != 137 {
		t.Errorf("ended as %+v", st.Exit)
	}
	if r, err := hold.ReadResult(s.Dir); err != nil || r.Cause != hold.CauseMemory {
		t.Errorf("exit.json: %+v, %v", r, err)
	}
}

// TestShellEndsWithItsTerminal: a shell that waits for its person is asked in the
// way that it listens to, and need not be made to end.
func TestShellEndsWithItsTerminal(t *testing.T) {
	s := spec(t, true, "shell")
	c := start(t, s)
	says(t, s.Dir, "ready")
	if err := c.End(ctx(t), time.Minute); err != nil {
		t.Fatal(err)
	}
	if st := toEnd(t, c); st.Exit == nil || st.Exit.Code != 5 || st.Exit.Signal != 0 {
		t.Errorf("it did not end by itself: %+v", st.Exit)
	}
}
