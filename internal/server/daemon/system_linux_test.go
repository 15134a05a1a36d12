package daemon_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/server/daemon"
)

func ownMounts() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Geteuid(); uid != 0 {
		a.Cloneflags = syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return a
}

func mountReadOnly(dir string) error {
	opts := fmt.Sprintf("mode=0700,uid=%d,size=64k", os.Geteuid())
	return unix.Mount("tmpfs", dir, "tmpfs", unix.MS_RDONLY, opts)
}

// asUser runs f on a thread of its own whose effective user is uid. The thread
// dies with its goroutine, so the change goes no further.
func asUser(t *testing.T, uid int, f func() error) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		keep := ^uintptr(0)
		if _, _, no := unix.RawSyscall(unix.SYS_SETRESUID, keep, uintptr(uid), keep); no != 0 {
			result <- no
			return
		}
		result <- f()
	}()
	return <-result
}

func TestT4AnotherUserCannotConnect(t *testing.T) {
	s := serve(t, daemon.Config{Home: newHome(t), Version: "test"})
	path := filepath.Join(s.home, "daemon", "socket")
	err := asUser(t, 65534, func() error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(fd) }()
		return unix.Connect(fd, &unix.SockaddrUnix{Name: path})
	})
	if !errors.Is(err, unix.EACCES) {
		t.Errorf("connecting as another user: %v, want permission denied", err)
	}
	if _, err := daemon.Ask(t.Context(), s.client); err != nil {
		t.Errorf("the owner is not served: %v", err)
	}
}

// The folder's mode is one guard; this is the one that holds without it.
func TestT4PeerIsRefusedEvenWithOpenModes(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "kd") //nolint:usetesting // a place that other users reach
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(base)) })
	must(t, os.Chmod(base, 0o755))
	home, err := daemon.Home(env("KEDGE_HOME", filepath.Join(base, "h")))
	must(t, err)
	s := serve(t, daemon.Config{Home: home, Version: "test"})
	path := filepath.Join(home, "daemon", "socket")
	for p, mode := range map[string]os.FileMode{home: 0o755, filepath.Dir(path): 0o755, path: 0o666} {
		must(t, os.Chmod(p, mode))
	}
	err = asUser(t, 65534, func() error { return helloByHand(path) })
	if !errors.Is(err, errNoAnswer) {
		t.Errorf("another user got %v, want %v", err, errNoAnswer)
	}
	log, err := os.ReadFile(filepath.Join(home, "daemon", "log"))
	if err != nil || !bytes.Contains(log, []byte("user 65534")) {
		t.Errorf("the log does not tell of it: %s, %v", log, err)
	}
	if err := helloByHand(path); err != nil {
		t.Errorf("the owner is not served: %v", err)
	}
	if _, err := daemon.Ask(t.Context(), s.client); err != nil {
		t.Errorf("the owner is not served: %v", err)
	}
}

var errNoAnswer = errors.New("closed without an answer")

// helloByHand speaks HTTP in system calls, so that it stays on its thread.
func helloByHand(path string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return err
	}
	// The other end may have closed already; what counts is the answer.
	_ = unix.Sendto(fd, []byte("GET /daemon/hello HTTP/1.1\r\nHost: kedge\r\n\r\n"), unix.MSG_NOSIGNAL, nil)
	answer := make([]byte, 512)
	n, err := unix.Read(fd, answer)
	if n <= 0 || err != nil {
		return errNoAnswer
	}
	if !bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 200 OK")) {
		return fmt.Errorf("answered %q", answer[:n])
	}
	return nil
}

func TestRow63NothingListensOnTheNetwork(t *testing.T) {
	s := newSpawner(t, newHome(t))
	_, hello := s.up()
	proc := fmt.Sprintf("/proc/%d/", hello.PID)
	entries, err := os.ReadDir(proc + "fd")
	must(t, err)
	var network []byte
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6", "raw", "raw6"} {
		b, _ := os.ReadFile(proc + "net/" + table) // absent where the kernel has no such protocol
		network = append(network, b...)
	}
	sockets := 0
	for _, e := range entries {
		target, _ := os.Readlink(proc + "fd/" + e.Name())
		inode, ok := strings.CutPrefix(target, "socket:[")
		if !ok {
			continue
		}
		sockets++
		if bytes.Contains(network, []byte(" "+strings.TrimSuffix(inode, "]")+" ")) {
			t.Errorf("descriptor %s is %s, on the network", e.Name(), target)
		}
	}
	if sockets == 0 || len(network) == 0 {
		t.Errorf("%d sockets and %d bytes of tables: this test looks in the wrong place", sockets, len(network))
	}
}

func TestF28StoppedDaemonIsNotReplaced(t *testing.T) {
	s := newSpawner(t, newHome(t))
	client, hello := s.up()
	must(t, unix.Kill(hello.PID, unix.SIGSTOP))
	eventually(t, "the daemon is stopped", func() bool { return processState(t, hello.PID) == 'T' })
	answer := make(chan string)
	go func() {
		res, err := client.Get(daemon.BaseURL + "/x")
		if err != nil {
			answer <- err.Error()
			return
		}
		_ = res.Body.Close()
		answer <- res.Status
	}()
	if _, err := daemon.TakeLock(s.home); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), fmt.Sprint(hello.PID)) {
		t.Errorf("its lock: %v, want a conflict with pid %d", err, hello.PID)
	}
	if _, err := daemon.Dial(t.Context(), s.home); err != nil {
		t.Errorf("it is there, only slow: %v", err)
	}
	must(t, unix.Kill(hello.PID, unix.SIGCONT))
	if got := <-answer; got != "200 OK" {
		t.Errorf("the request that waited got %q", got)
	}
	if again, err := daemon.Ask(t.Context(), client); err != nil || again != hello {
		t.Errorf("afterwards %+v answers (%v), before it was %+v", again, err, hello)
	}
}

func processState(t *testing.T, pid int) byte {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)
	_, rest, _ := bytes.Cut(b, []byte(") "))
	return rest[0]
}
