package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/service"
)

// setAside salvages the place's changes as a run would, and resets them.
func (pl *place) setAside(at time.Time) kedge.Salvage {
	pl.t.Helper()
	ctx := pl.t.Context()
	repo, err := gitx.Open(ctx, pl.dir, gitx.Options{})
	if err != nil {
		pl.t.Fatal(err)
	}
	id := strings.TrimSpace(pl.read(".git/kedge-id"))
	v, err := repo.Salvage(ctx, gitx.SalvageRequest{
		ID: kedge.SalvageID(kedge.NewID("sal", at)), Reason: "gate was red", Attic: filepath.Join(pl.home, "attic", id), Date: at,
	})
	if err != nil {
		pl.t.Fatal(err)
	}
	if err := repo.ResetWorktree(ctx, gitx.ResetRequest{To: v.Base, Head: v.Base, Expect: v.Tree}); err != nil {
		pl.t.Fatal(err)
	}
	return v
}

func (pl *place) salvages() []kedge.Salvage {
	pl.t.Helper()
	r, err := pl.s.SalvageList(pl.t.Context(), pl.who(), service.SalvageListRequest{})
	if err != nil {
		pl.t.Fatal(err)
	}
	return r.Salvages
}

func TestSalvageComesBackWithItsAttic(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("a.txt", "changed\n")
	pl.git("init", "-q", "nested")
	pl.put("nested/work", "precious\n")
	v := pl.setAside(pl.now)
	if got := pl.salvages(); len(got) != 1 || got[0].ID != v.ID || len(got[0].Attic) != 1 {
		t.Fatalf("listed %+v", got)
	}
	who := pl.who()
	in := service.SalvageRestoreRequest{ID: v.ID}
	first, err := pl.s.SalvageRestore(t.Context(), who, in)
	if err != nil {
		t.Fatal(err)
	}
	if pl.read("a.txt") != "changed\n" || pl.read("nested/work") != "precious\n" {
		t.Error("not restored")
	}
	pl.put("a.txt", "and worked on\n")
	again, err := pl.s.SalvageRestore(t.Context(), who, in) // the same request, its answer lost
	if err != nil || fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("again %+v, %v; first %+v", again, err, first)
	}
	if pl.read("a.txt") != "and worked on\n" {
		t.Error("a retried request restored once more")
	}
}

// TestSalvageGCDropsOnceAndOnlyForPeople: a retried request gives the same
// answer, an agent is refused, and what is younger stays.
func TestSalvageGCDropsOnceAndOnlyForPeople(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("old", "x\n")
	pl.git("init", "-q", "nested")
	old := pl.setAside(pl.now.AddDate(0, 0, -31))
	pl.put("young", "x\n")
	young := pl.setAside(pl.now.AddDate(0, 0, -29))
	in := service.SalvageGCRequest{OlderThan: "30d"}

	agent := pl.who()
	agent.Actor = kedge.Agent("ses-1")
	if _, err := pl.s.SalvageGC(t.Context(), agent, in); !kedge.Blocked.Is(err) {
		t.Errorf("an agent: %v", err)
	}
	dry, err := pl.s.SalvageOld(t.Context(), agent, in)
	if err != nil || !dry.DryRun || len(dry.Dropped) != 1 || len(pl.salvages()) != 2 {
		t.Errorf("dry run %+v, %v", dry, err)
	}
	who := pl.who()
	for range 2 {
		r, err := pl.s.SalvageGC(t.Context(), who, in)
		if err != nil || r.DryRun || len(r.Dropped) != 1 || r.Dropped[0].ID != old.ID {
			t.Errorf("dropped %+v, %v", r, err)
		}
	}
	if got := pl.salvages(); len(got) != 1 || got[0].ID != young.ID {
		t.Errorf("left %+v", got)
	}
	left, err := filepath.Glob(filepath.Join(pl.home, "attic", "*", "sal-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left in the attic: %v, %v", left, err)
	}
	for _, age := range []string{"", "soon", "-1d", "d", "99999999d", "9999w", "-5h"} {
		if _, err := pl.s.SalvageOld(t.Context(), who, service.SalvageGCRequest{OlderThan: age}); !kedge.Invalid.Is(err) {
			t.Errorf("age %q: %v", age, err)
		}
	}
}

// TestRow21WorktreeGC: a retried request names what it removed, and removes
// nothing more.
func TestRow21WorktreeGC(t *testing.T) {
	pl := newPlace(t, true)
	repo, err := gitx.Open(t.Context(), pl.dir, gitx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(pl.home) // git lists worktrees without links
	if err != nil {
		t.Fatal(err)
	}
	add := func(name string) string {
		path := filepath.Join(home, "worktrees", name)
		if err := repo.AddWorktree(t.Context(), gitx.WorktreeRequest{Path: path, Branch: name, Base: "main"}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := add("one")
	who := pl.who()
	if r, err := pl.s.WorktreeOld(t.Context(), who, service.WorktreeGCRequest{}); err != nil || len(r.Removed)+len(r.Kept) != 2 || !r.DryRun {
		t.Errorf("dry run %+v, %v", r, err)
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("without /proc nobody knows whether a process works in a worktree, and all stay")
	}
	if _, err := pl.s.WorktreeGC(t.Context(), who, service.WorktreeGCRequest{}); err != nil {
		t.Fatal(err)
	}
	two := add("two")
	r, err := pl.s.WorktreeGC(t.Context(), who, service.WorktreeGCRequest{})
	if err != nil || len(r.Removed) != 1 || r.Removed[0].Path != one {
		t.Errorf("again %+v, %v", r, err)
	}
	if _, err := os.Lstat(one); err == nil {
		t.Error("one is still there")
	}
	if _, err := os.Lstat(two); err != nil {
		t.Error("a retried request removed another worktree")
	}
}

// TestGitShapes: each field of an answer that scripts rely on.
func TestGitShapes(t *testing.T) {
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1") // the machine may have filters of its own
	t.Setenv("XDG_CONFIG_HOME", "")
	pl := newPlace(t, true)
	pl.put("a.txt", "changed\n")
	pl.setAside(pl.now)
	pl.golden("../git/salvage_list.json", service.SalvageListReply{Salvages: pl.salvages()})
	list, err := pl.s.WorktreeList(t.Context(), pl.who(), service.WorktreeListRequest{})
	if err != nil || len(list.Worktrees) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	w := &list.Worktrees[0]
	if w.Bytes <= 0 || w.At.IsZero() || w.Age < 0 {
		t.Errorf("figures %+v", w)
	}
	w.Path, w.Bytes, w.At, w.Age, w.OwnerPID = "DIR", 1, pl.now, 1, 0 // differ from machine to machine
	pl.golden("../git/worktree_list.json", list)
	pl.git("config", "filter.shout.clean", "tr a-z A-Z")
	filters, err := pl.s.FilterList(t.Context(), pl.who(), service.FilterListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	pl.golden("../git/filter_list.json", filters)
}
