package gate

import (
	"testing"

	"kedge"
)

func TestTwoGatesNeverChooseOnePort(t *testing.T) {
	dir := t.TempDir()
	a, b := &services{g: &gate{Request: Request{LockDir: dir}}}, &services{g: &gate{Request: Request{LockDir: dir}}}
	taken := map[int]bool{}
	for range 20 {
		for _, s := range []*services{a, b} {
			port, err := s.freePort(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if taken[port] {
				t.Errorf("port %d is chosen twice", port)
			}
			taken[port] = true
			if f, err := s.g.lockPort(port); err != nil || f != nil {
				t.Errorf("port %d is not held: %v", port, err)
			}
		}
	}
	a.freePorts()
	b.stop()
	for port := range taken {
		f, err := a.g.lockPort(port)
		if err != nil || f == nil {
			t.Fatalf("port %d is not free again: %v", port, err)
		}
		_ = f.Close()
	}
}

// TestNoPortForASession: the ports belong to worktrees of sessions, so the way to one is to
// remove some.
func TestNoPortForASession(t *testing.T) {
	var taken []int
	for port := firstSessionPort; port < lastSessionPort; port++ {
		taken = append(taken, port)
	}
	if _, err := SessionPort(t.Context(), taken); !kedge.Blocked.Is(err) || kedge.HintOf(err) != "remove worktrees that are no longer needed and still have a port: kedge worktree gc" {
		t.Errorf("it is %v (hint %q)", err, kedge.HintOf(err))
	}
}
