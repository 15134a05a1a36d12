package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/git"
)

// setAside salvages the place's changes as a run would, and resets them.
func (pl *place) setAside(at time.Time) kedge.Salvage {
	pl.t.Helper()
	ctx := pl.t.Context()
	repo, err := git.Open(ctx, pl.dir, git.Options{})
	if err != nil {
		pl.t.Fatal(err)
	}
	id := strings.TrimSpace(pl.read(".git/kedge-id"))
	v, err := repo.Salvage(ctx, git.SalvageRequest{
		ID: kedge.SalvageID(kedge.NewID("sal", at)), Reason: "gate was red", Attic: filepath.Join(pl.home, "attic", id), Date: at,
	})
	if err != nil {
		pl.t.Fatal(err)
	}
	if err := repo.ResetWorktree(ctx, git.ResetRequest{To: v.Base, Head: v.Base, Expect: v.Tree}); err != nil {
		pl.t.Fatal(err)
	}
	return v
}

func (pl *place) salvages() []kedge.Salvage {
	pl.t.Helper()
	r, err := pl.s.SalvageList(pl.t.Context(), pl.who(), maintenance.SalvageListRequest{})
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
	in := maintenance.SalvageRestoreRequest{ID: v.ID}
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
	in := maintenance.SalvageGCRequest{OlderThan: "30d"}

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
		if _, err := pl.s.SalvageOld(t.Context(), who, maintenance.SalvageGCRequest{OlderThan: age}); !kedge.Invalid.Is(err) {
			t.Errorf("age %q: %v", age, err)
		}
	}
}

// TestRow21WorktreeGC: a retried request names what it removed, and removes
// nothing more.
func TestRow21WorktreeGC(t *testing.T) {
	pl := newPlace(t, true)
	one := pl.addWorktree("one")
	who := pl.who()
	if r, err := pl.s.WorktreeOld(t.Context(), who, maintenance.WorktreeGCRequest{}); err != nil || len(r.Removed)+len(r.Kept) != 2 || !r.DryRun {
		t.Errorf("dry run %+v, %v", r, err)
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("without /proc nobody knows whether a process works in a worktree, and all stay")
	}
	if _, err := pl.s.WorktreeGC(t.Context(), who, maintenance.WorktreeGCRequest{}); err != nil {
		t.Fatal(err)
	}
	two := pl.addWorktree("two")
	r, err := pl.s.WorktreeGC(t.Context(), who, maintenance.WorktreeGCRequest{})
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

// TestRow21WorktreeGCKeepsIgnoredFiles: a .env is in no commit, so it stays, and
// the answer says why, dry or not.
func TestRow21WorktreeGCKeepsIgnoredFiles(t *testing.T) {
	pl := newPlace(t, true)
	pl.put(".gitignore", ".env\n")
	pl.git("add", ".gitignore")
	pl.git("commit", "-q", "-m", "ignore")
	dir := pl.addWorktree("one")
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("SECRET=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, gc := range []func() (maintenance.WorktreeGCReply, error){
		func() (maintenance.WorktreeGCReply, error) {
			return pl.s.WorktreeOld(t.Context(), pl.who(), maintenance.WorktreeGCRequest{})
		},
		func() (maintenance.WorktreeGCReply, error) {
			return pl.s.WorktreeGC(t.Context(), pl.who(), maintenance.WorktreeGCRequest{})
		},
	} {
		r, err := gc()
		if err != nil || len(r.Removed) != 0 || len(r.Kept) != 2 {
			t.Fatalf("%+v, %v", r, err)
		}
		if why := r.Kept[1].Why; why != "it has ignored files: .env" && !strings.Contains(why, "not known whether a process") {
			t.Errorf("kept because %q", why)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, ".env")); err != nil {
		t.Error(err)
	}
}

// TestRow21WorktreeGCFinishes: what was journaled and not done is done by the
// same request, and by the next one.
func TestRow21WorktreeGCFinishes(t *testing.T) {
	for _, name := range []string{"the same request", "another request"} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/proc/self/cwd"); err != nil {
				t.Skip("without /proc nobody knows whether a process works in a worktree, and all stay")
			}
			pl := newPlace(t, true)
			dir := pl.addWorktree("one")
			who := pl.who()
			first, err := pl.s.WorktreeGC(t.Context(), who, maintenance.WorktreeGCRequest{})
			if err != nil || len(first.Removed) != 1 {
				t.Fatalf("%+v, %v", first, err)
			}
			pl.git("branch", "-D", "one")
			pl.addWorktree("one") // the crash was before anything was deleted
			if err := os.WriteFile(filepath.Join(pl.dir, ".git/worktrees/one/kedge-removing"), []byte("aside\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(dir, dir+".kedge-removing"); err != nil {
				t.Fatal(err)
			}
			if name == "another request" {
				who = pl.who()
			}
			again, err := pl.s.WorktreeGC(t.Context(), who, maintenance.WorktreeGCRequest{})
			if err != nil || len(again.Removed) != 1 || again.Removed[0].Path != dir || len(again.Kept) != 1 {
				t.Errorf("again %+v, %v; first %+v", again, err, first)
			}
			if _, err := os.Lstat(dir + ".kedge-removing"); err == nil {
				t.Error("it is still aside")
			}
		})
	}
}

// TestRow21WorktreeGCLeavesANewOneInItsPlace: a retried request removes what it
// named, not what stands there by now.
func TestRow21WorktreeGCLeavesANewOneInItsPlace(t *testing.T) {
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("without /proc nobody knows whether a process works in a worktree, and all stay")
	}
	pl := newPlace(t, true)
	dir, who := pl.addWorktree("one"), pl.who()
	first, err := pl.s.WorktreeGC(t.Context(), who, maintenance.WorktreeGCRequest{})
	if err != nil || len(first.Removed) != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	pl.git("branch", "-D", "one")
	pl.put("a.txt", "later\n")
	pl.git("commit", "-q", "-a", "-m", "later")
	pl.addWorktree("one")
	again, err := pl.s.WorktreeGC(t.Context(), who, maintenance.WorktreeGCRequest{})
	if err != nil || fmt.Sprint(again.Removed) != fmt.Sprint(first.Removed) {
		t.Errorf("again %+v, %v; first %+v", again, err, first)
	}
	if _, err := os.Lstat(dir); err != nil {
		t.Error(err)
	}
}

// addWorktree makes a worktree as a run would.
func (pl *place) addWorktree(name string) string {
	pl.t.Helper()
	repo, err := git.Open(pl.t.Context(), pl.dir, git.Options{})
	if err != nil {
		pl.t.Fatal(err)
	}
	home, err := filepath.EvalSymlinks(pl.home) // git lists worktrees without links
	if err != nil {
		pl.t.Fatal(err)
	}
	path := filepath.Join(home, "worktrees", name)
	if err := repo.AddWorktree(pl.t.Context(), git.WorktreeRequest{Path: path, Branch: name, Base: "main"}); err != nil {
		pl.t.Fatal(err)
	}
	return path
}
