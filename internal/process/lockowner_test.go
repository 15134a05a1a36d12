package process_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/process"
)

func needProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc here: everything is unknown")
	}
}

func TestGone(t *testing.T) {
	needProc(t)
	lock := filepath.Join(t.TempDir(), "index.lock")
	if process.LockIsFree(lock) {
		t.Error("a lock that is not there has no holder that could be gone")
	}
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	if process.LockIsFree(lock) {
		t.Error("this process has it open")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if !process.LockIsFree(lock) {
		if os.Geteuid() != 0 {
			t.Skip("a process of this user hides which files it has open")
		}
		t.Error("nobody has it open")
	}
}

func TestOccupantAndAlive(t *testing.T) {
	needProc(t)
	if pid := process.Occupant(t.TempDir()); pid != 0 {
		t.Errorf("a fresh folder has the occupant %d", pid)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if pid := process.Occupant(here); pid <= 0 {
		t.Errorf("this process works in %s, occupant is %d", here, pid)
	}
	start := process.StartTime(os.Getpid())
	if start == "" || !process.IsAlive(os.Getpid(), start) || process.IsAlive(os.Getpid(), start+"1") || process.IsAlive(0, start) {
		t.Errorf("start time %q", start)
	}
}
