package slot_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"kedge"
	"kedge/internal/git/slot"
)

const hour = "an hour of a session\n"

// asks is a request for job 1 at the project's commit.
func (g *ground) asks(job int, name string, origin int64) slot.Request {
	return slot.Request{Run: id, Job: job, Origin: origin, Base: g.git("-C", g.dir, "rev-parse", "HEAD"), Name: name, Reason: name, At: at}
}

// works puts job 1 in a slot and writes a file there.
func (g *ground) works(t *testing.T) (file string) {
	t.Helper()
	if _, err := g.slots.Put(t.Context(), g.asks(1, "prepare", 1)); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(g.slots.Dir(g.job(1).Slot), "work.txt")
	if err := os.WriteFile(file, []byte(hour), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (g *ground) parks(t *testing.T) {
	t.Helper()
	if err := g.slots.Park(t.Context(), id, 1, at, "waits"); err != nil {
		t.Fatal(err)
	}
	if j := g.job(1); j.Slot != 0 || j.Parked == nil {
		t.Fatalf("a parked job: %+v", j)
	}
}

// returns gives job 1 its worktree again.
func (g *ground) returns(t *testing.T, origin int64) (file string) {
	t.Helper()
	r, err := g.slots.Unpark(t.Context(), g.asks(1, "unpark", origin))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.slots.HasWorktree(t.Context(), r.Job); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(g.slots.Dir(r.Job.Slot), "work.txt")
	if b, err := os.ReadFile(file); err != nil || string(b) != hour {
		t.Fatalf("what came back: %q, %v", b, err)
	}
	return file
}

// TestParkedWorkIsSetAside: work that gave its worktree up and has the same one again is in no commit. The
// next reset sets it aside, as it does work that was never parked.
func TestParkedWorkIsSetAside(t *testing.T) {
	for name, before := range map[string]func(*ground, *testing.T){
		"never parked": func(*ground, *testing.T) {},
		"parked": func(g *ground, t *testing.T) {
			g.parks(t)
			g.returns(t, 2)
		},
		"parked twice": func(g *ground, t *testing.T) {
			g.parks(t)
			g.returns(t, 2)
			g.parks(t)
			g.returns(t, 3)
		},
		"parked, and another job had the slot": func(g *ground, t *testing.T) {
			g.parks(t)
			if _, err := g.slots.Put(t.Context(), g.asks(2, "other", 4)); err != nil {
				t.Fatal(err)
			}
			if err := g.slots.Release(t.Context(), id, 2); err != nil {
				t.Fatal(err)
			}
			g.returns(t, 5)
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.works(t)
			before(g, t)
			var saved []kedge.Salvage
			q := g.asks(1, "deny", 9)
			q.Saved = func(_ context.Context, s kedge.Salvage) error { saved = append(saved, s); return nil }
			r, err := g.slots.Put(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if r.Salvage.Ref == "" || len(saved) != 1 {
				t.Fatalf("set aside: %+v, told of %d", r.Salvage, len(saved))
			}
			if got := g.git("-C", g.dir, "cat-file", "blob", r.Salvage.Ref+":work.txt"); got+"\n" != hour {
				t.Errorf("what was set aside has %q", got)
			}
		})
	}
}

// TestParkedJobThatWasKilled parks a job again that was killed before it had its worktree back: the slot is
// free, and nothing is lost.
func TestParkedJobThatWasKilled(t *testing.T) {
	g := newGround(t)
	g.works(t)
	g.parks(t)
	if _, err := g.slots.Unpark(t.Context(), g.asks(1, "unpark", 2)); err != nil { // and no HasWorktree
		t.Fatal(err)
	}
	g.parks(t)
	g.returns(t, 3)
}

// TestParkWithoutAWorktree parks jobs whose preparation failed: before it had a slot, and before anything
// was put there. What somebody else left in the slot stays for the next job, which sets it aside.
func TestParkWithoutAWorktree(t *testing.T) {
	g := newGround(t)
	if err := g.slots.Park(t.Context(), id, 2, at, "waits"); err != nil {
		t.Fatal(err)
	}
	g.works(t)
	if err := g.slots.Release(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	if j, err := g.slots.Acquire(id, 3); err != nil || j.Slot != 1 {
		t.Fatalf("the free slot: %+v, %v", j, err)
	}
	if err := g.slots.Park(t.Context(), id, 3, at, "waits"); err != nil {
		t.Fatal(err)
	}
	if j := g.job(3); j.Slot != 0 || j.Parked != nil {
		t.Errorf("the job still has %+v", j)
	}
	r, err := g.slots.Put(t.Context(), g.asks(3, "again", 4))
	if err != nil || r.Salvage.Ref == "" {
		t.Errorf("what lay in the slot: %+v, %v", r.Salvage, err)
	}
}

// TestParkedWorkLeavesNoSecondCopy gives the slot of a parked job to another one: what lies there is kept
// for its own job already, and is not set aside once more.
func TestParkedWorkLeavesNoSecondCopy(t *testing.T) {
	g := newGround(t)
	g.works(t)
	g.parks(t)
	r, err := g.slots.Put(t.Context(), g.asks(2, "other", 4))
	if err != nil {
		t.Fatal(err)
	}
	if r.Salvage.Ref != "" {
		t.Errorf("it was set aside: %+v", r.Salvage)
	}
	kept, err := g.slots.SetParkedAside(t.Context(), g.asks(1, "deny", 5))
	if err != nil || kept.Ref == "" {
		t.Fatalf("set aside: %+v, %v", kept, err)
	}
	if g.job(1).Parked != nil {
		t.Error("the job still has something parked")
	}
}
