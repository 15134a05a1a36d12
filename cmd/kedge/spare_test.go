package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"kedge"
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
