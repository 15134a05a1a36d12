package slot_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

const other kedge.RunID = "run-00000000000000000000000002"

// others are the slots of the same project that somebody else has.
func (g *ground) others(change func(*slot.Config)) *slot.Slots {
	g.t.Helper()
	repo, err := git.Open(g.t.Context(), g.dir, git.Options{})
	if err != nil {
		g.t.Fatal(err)
	}
	cfg := slot.Config{Repo: repo, Dir: g.home, Attic: filepath.Join(g.home, "attic"), Now: func() time.Time { return at }}
	change(&cfg)
	return slot.New(cfg)
}

// branches gives runs an integration branch at HEAD, which main has.
func (g *ground) branches(ids ...kedge.RunID) {
	g.t.Helper()
	for _, id := range ids {
		if err := g.slots.TakeAlong(g.t.Context(), id, g.git("-C", g.dir, "rev-parse", "HEAD")); err != nil {
			g.t.Fatal(err)
		}
	}
}

func TestLandedLeavesALivingRunAlone(t *testing.T) {
	g := newGround(t)
	g.branches(id, other)
	slots := g.others(func(c *slot.Config) {
		c.Over = func(context.Context) (func(kedge.RunID) bool, error) {
			return func(r kedge.RunID) bool { return r == other }, nil
		}
	})
	for _, c := range []struct { // in this order: the second takes the branch away
		name string
		ask  func() (slot.Branches, error)
	}{
		{"landable", func() (slot.Branches, error) { return slots.Landable(t.Context(), nil) }},
		{"landed", func() (slot.Branches, error) { return slots.Landed(t.Context()) }},
	} {
		name := c.name
		got, err := c.ask()
		if err != nil || !slices.Equal(got.Gone, []string{slot.Branch(other)}) || !strings.Contains(got.Kept[slot.Branch(id)], "not over") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if there := g.git("-C", g.dir, "branch", "--list", slot.Branch(other)) != ""; there != (name == "landable") {
			t.Errorf("%s: the branch is there: %v", name, there)
		}
	}
	if got, err := slots.Landed(t.Context(), id); err != nil || !slices.Equal(got.Gone, []string{slot.Branch(id)}) {
		t.Errorf("a run that ends now: %+v, %v", got, err)
	}
}

// TestOneUnreadableRunKeepsNoOther: it is said, and the others go.
func TestOneUnreadableRunKeepsNoOther(t *testing.T) {
	g := newGround(t)
	g.branches(id, other)
	if err := os.WriteFile(filepath.Join(g.home, string(id)+".d", "run.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := g.slots.Landed(t.Context())
	if err != nil || !slices.Equal(got.Gone, []string{slot.Branch(other)}) || !strings.Contains(got.Kept[slot.Branch(id)], "cannot be read") {
		t.Errorf("%+v, %v", got, err)
	}
}

// meanwhile is a lock before which something happens once.
type meanwhile struct {
	sync.Mutex
	do func()
}

func (m *meanwhile) Lock() {
	do := m.do
	if m.do = nil; do != nil {
		do()
	}
	m.Mutex.Lock()
}

// TestLandedTakesTheSharedLock: what others of the same project do before it has the
// lock is seen, and a branch that they took away is not told as its own.
func TestLandedTakesTheSharedLock(t *testing.T) {
	for name, of := range map[string]struct {
		do   func(g *ground, two *slot.Slots) error
		kept string
		now  string // the branch in run.json
	}{
		"a run goes on": {func(g *ground, two *slot.Slots) error {
			_, err := two.Clean(t.Context(), slot.Request{Run: id, Base: g.git("-C", g.dir, "rev-parse", "HEAD"), Name: "n", At: at})
			return err
		}, "checked out in", slot.Branch(id)},
		"somebody removes the branch": {func(g *ground, _ *slot.Slots) error {
			g.git("-C", g.dir, "branch", "-D", slot.Branch(id))
			return nil
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.branches(id)
			lock := &meanwhile{}
			share := func(c *slot.Config) { c.Lock = lock }
			one, two := g.others(share), g.others(share)
			lock.do = func() {
				if err := of.do(g, two); err != nil {
					t.Error(err)
				}
			}
			got, err := one.Landed(t.Context())
			if why, stays := got.Kept[slot.Branch(id)]; err != nil || len(got.Gone) != 0 || stays != (of.kept != "") || !strings.Contains(why, of.kept) {
				t.Errorf("%+v, %v", got, err)
			}
			if lock.do != nil {
				t.Error("it asked for no lock")
			}
			if c, err := two.Course(t.Context(), id); err != nil || c.Branch != of.now {
				t.Errorf("the course is %+v, %v", c, err)
			}
		})
	}
}
