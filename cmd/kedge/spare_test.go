package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/process/hold"
)

// TestF14NoFolderIsLeft: sessions that are started one after another are what they
// would be one by one, whatever was made ready for the next; and when the daemon
// was killed or went, no folder is left that is no session's.
func TestF14NoFolderIsLeft(t *testing.T) {
	b := newBox(t)
	known := map[string]bool{}
	for i := range 6 {
		s := b.start(fmt.Sprintf("s%d", i), "cat")
		if s.State != kedge.SessionRunning || s.PID == 0 || known[string(s.ID)] {
			t.Errorf("%+v", s)
		}
		known[string(s.ID)] = true
		if i == 3 {
			b.killDaemon() // whatever it had made ready dies with it
			b.run("up")
		}
	}
	b.until("only sessions have folders", func() bool {
		b.run("down")
		b.run("up")
		entries, err := os.ReadDir(filepath.Join(b.home, "sessions"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !known[e.Name()] {
				return false
			}
		}
		return len(entries) == len(known)
	})
	for _, s := range b.sessions() {
		if s.State != kedge.SessionRunning {
			t.Errorf("%+v", s)
		}
	}
}

// TestF11StoppedHolderIsNotWaitedFor: whoever acts on a session whose holder was
// stopped is told so, with what to do, and can act when it goes on.
func TestF11StoppedHolderIsNotWaitedFor(t *testing.T) {
	b := newBox(t)
	s := b.start("s", "cat")
	r, err := hold.ReadRecord(b.folder(s.ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(r.Holder.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(r.Holder.PID, syscall.SIGCONT) }()
	b.until("it is stopped", func() bool { return processState(r.Holder.PID) == "T" })
	said := b.fails(4, "send", "s", "hello")
	if !strings.Contains(said, "does not answer") || !strings.Contains(said, fmt.Sprintf("kill -CONT %d", r.Holder.PID)) {
		t.Error(said)
	}
	if err := syscall.Kill(r.Holder.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	b.until("it can be told", func() bool { return b.command("send", "s", "hello").Run() == nil })
	b.until("it is heard", func() bool { return strings.Contains(b.run("logs", "s"), "hello") })
}
