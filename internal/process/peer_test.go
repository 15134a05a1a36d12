package process_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/process"
)

func TestUID(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "peer") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, end := range map[string]net.Conn{"client": c, "server": s} {
		if uid, err := process.UID(end); err != nil || uid != os.Geteuid() {
			t.Errorf("from the %s's end: uid %d, %v", name, uid, err)
		}
		if pid, ok := process.PID(process.WithPID(t.Context(), end)); !ok || pid != os.Getpid() {
			t.Errorf("from the %s's end: pid %d, %v", name, pid, ok)
		}
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if _, err := process.UID(a); err == nil {
		t.Error("a pipe has a user")
	}
	if _, ok := process.PID(process.WithPID(t.Context(), a)); ok {
		t.Error("a pipe has a process")
	}
}
