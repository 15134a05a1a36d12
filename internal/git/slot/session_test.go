package slot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

const session kedge.SessionID = "ses-00000000000000000000000001"

func nobodyBegan(kedge.SessionID) bool { return false }

// forSession makes the worktree of a session.
func (g *ground) forSession(name, branch string) (slot.Session, *git.Repo) {
	g.t.Helper()
	r, w, err := g.slots.ForSession(g.t.Context(), slot.SessionRequest{
		Session: session, Name: name, Branch: branch, At: at,
		Port: func(taken []int) (int, error) {
			port := 1
			for slices.Contains(taken, port) {
				port++
			}
			return port, nil
		},
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return r, w
}

// left lists what there is of worktrees of sessions: files, worktrees, branches.
func (g *ground) left() []string {
	g.t.Helper()
	files, err := filepath.Glob(filepath.Join(g.home, "*"))
	if err != nil {
		g.t.Fatal(err)
	}
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "attic" })
	out := append(files, strings.Fields(g.git("-C", g.dir, "for-each-ref", "--format=%(refname:short)", "refs/heads/kedge"))...)
	for line := range strings.Lines(g.git("-C", g.dir, "worktree", "list", "--porcelain")) {
		if strings.HasPrefix(line, "worktree ") && strings.Contains(line, "session-") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// killed makes a worktree look as if the daemon that made it was killed.
func (g *ground) killed(r slot.Session) {
	g.t.Helper()
	file := r.Path + ".json"
	text, err := os.ReadFile(file)
	if err != nil {
		g.t.Fatal(err)
	}
	text = regexp.MustCompile(`"maker":"[^"]*"`).ReplaceAll(text, []byte(`"maker":"1 gone"`))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		g.t.Fatal(err)
	}
}

func TestForSessionEachItsOwn(t *testing.T) {
	g := newGround(t)
	one, w := g.forSession("auth", "")
	two, _ := g.forSession("auth", "feature/x") // of a later session with the same name
	if one.Branch != "kedge/auth" || two.Branch != "feature/x" || !one.Made || !two.Made || one.From != "main" {
		t.Errorf("made %+v and %+v", one, two)
	}
	if one.Path == two.Path || one.Slot == two.Slot || one.Port == two.Port {
		t.Errorf("they share something: %+v and %+v", one.SessionWorktree, two.SessionWorktree)
	}
	if filepath.Base(two.Path) != "session-auth-2" || filepath.Dir(two.Path) != filepath.Dir(g.slots.Dir(1)) {
		t.Errorf("the second is at %s", two.Path)
	}
	if found, ok := g.slots.At(filepath.Join(w.Root(), "below")); !ok || found.Path != one.Path {
		t.Errorf("At finds %+v", found)
	}
	if _, ok := g.slots.At(g.dir); ok {
		t.Error("the checkout of the user is taken for the worktree of a session")
	}
	long, _ := g.forSession(strings.Repeat("x", 64), "")
	if len(filepath.Base(long.Path)) > 64 {
		t.Errorf("a folder with %d bytes", len(filepath.Base(long.Path)))
	}
}

// TestForSessionLeavesNothing: a worktree that cannot be made leaves nothing, and takes
// nothing away that was there.
func TestForSessionLeavesNothing(t *testing.T) {
	g := newGround(t)
	q := slot.SessionRequest{Session: session, Name: "a", At: at, Port: func([]int) (int, error) { return 1, nil }}
	noPort := q
	noPort.Port = func([]int) (int, error) { return 0, kedge.Errorf(kedge.Blocked, "no port") }
	taken := q
	taken.Branch = "main"
	for name, q := range map[string]slot.SessionRequest{"no port": noPort, "a branch in use": taken} {
		if _, _, err := g.slots.ForSession(t.Context(), q); err == nil {
			t.Errorf("%s: it was made", name)
		}
		if left := g.left(); len(left) > 0 {
			t.Errorf("%s: left are %q", name, left)
		}
	}
}

// TestUndoLeavesNothing: a set-up that failed may have changed any file.
func TestUndoLeavesNothing(t *testing.T) {
	g := newGround(t)
	r, w := g.forSession("a", "")
	if err := os.WriteFile(filepath.Join(w.Root(), "made"), []byte("by the set-up\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.slots.Undo(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if left := g.left(); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
	if salvage := g.git("-C", g.dir, "for-each-ref", "refs/kedge"); salvage != "" {
		t.Errorf("what a set-up made is set aside: %s", salvage)
	}
	g.git("-C", g.dir, "branch", "old")
	r, _ = g.forSession("b", "old")
	if err := g.slots.Undo(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if g.git("-C", g.dir, "branch", "--list", "old") == "" {
		t.Error("a branch that was there is gone")
	}
}

// TestF15AbandonedWorktreesGo: the daemon was killed while it made the worktree of a
// session, at every place of that. The next one leaves nothing of it.
func TestF15AbandonedWorktreesGo(t *testing.T) {
	remove := func(g *ground, r slot.Session) error {
		g.git("-C", g.dir, "worktree", "remove", "--force", r.Path)
		return nil
	}
	for name, kill := range map[string]func(g *ground, r slot.Session, admin string) error{
		"before the branch": func(g *ground, r slot.Session, _ string) error {
			err := remove(g, r)
			g.git("-C", g.dir, "branch", "-D", r.Branch)
			return err
		},
		"before the worktree": func(g *ground, r slot.Session, _ string) error { return remove(g, r) },
		"git: only the folder": func(g *ground, r slot.Session, _ string) error {
			return errors.Join(remove(g, r), os.Mkdir(r.Path, 0o700))
		},
		"git: only a lock": func(g *ground, r slot.Session, admin string) error {
			return errors.Join(remove(g, r), os.MkdirAll(admin, 0o700), os.WriteFile(filepath.Join(admin, "locked"), []byte("initializing"), 0o600))
		},
		"git: no HEAD yet": func(_ *ground, r slot.Session, admin string) error {
			return errors.Join(os.Remove(filepath.Join(r.Path, "file")), os.Remove(filepath.Join(admin, "index")), os.Remove(filepath.Join(admin, "HEAD")),
				os.Remove(filepath.Join(admin, "commondir")), os.WriteFile(filepath.Join(admin, "locked"), []byte("initializing"), 0o600))
		},
		"git: still locked": func(_ *ground, r slot.Session, admin string) error {
			return errors.Join(os.Remove(filepath.Join(r.Path, "file")), os.Remove(filepath.Join(admin, "index")), os.WriteFile(filepath.Join(admin, "locked"), []byte("initializing"), 0o600))
		},
		"before the mark": func(_ *ground, r slot.Session, admin string) error {
			return errors.Join(os.Remove(filepath.Join(r.Path, "file")), os.Remove(filepath.Join(admin, "index")), os.Remove(filepath.Join(admin, "kedge-owner")))
		},
		"before the files": func(_ *ground, r slot.Session, admin string) error {
			return errors.Join(os.Remove(filepath.Join(r.Path, "file")), os.Remove(filepath.Join(admin, "index")))
		},
		"in the set-up":  func(*ground, slot.Session, string) error { return nil },
		"folder removed": func(_ *ground, r slot.Session, _ string) error { return os.RemoveAll(r.Path) },
		"while it was taken away": func(_ *ground, r slot.Session, admin string) error {
			return errors.Join(os.WriteFile(filepath.Join(admin, "kedge-removing"), []byte("aside\n"), 0o600), os.Rename(r.Path, r.Path+".kedge-removing"))
		},
	} {
		g := newGround(t)
		if err := os.WriteFile(filepath.Join(g.dir, "file"), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		g.git("-C", g.dir, "add", "file")
		g.git("-C", g.dir, "commit", "-q", "-m", "a file")
		r, w := g.forSession("a", "")
		if list, err := g.slots.Abandoned(nobodyBegan); err != nil || len(list) > 0 {
			t.Errorf("%s: abandoned while it is made: %v, %v", name, list, err)
		}
		if err := kill(g, r, w.GitDir()); err != nil {
			t.Fatal(err)
		}
		g.killed(r)
		list, err := g.slots.Abandoned(nobodyBegan)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: abandoned are %v, %v", name, list, err)
		}
		if err := g.slots.ClearAbandoned(t.Context(), list[0], nobodyBegan, slot.Request{Name: "n", At: at}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left := g.left(); len(left) > 0 {
			t.Errorf("%s: left are %q", name, left)
		}
		if salvage := g.git("-C", g.dir, "for-each-ref", "refs/kedge"); salvage != "" {
			t.Errorf("%s: there was no work, and it is set aside: %s", name, salvage)
		}
	}
}

// TestAbandonedWorkIsSetAside: somebody found the worktree before Kedge did.
func TestAbandonedWorkIsSetAside(t *testing.T) {
	g := newGround(t)
	r, w := g.forSession("a", "")
	if err := os.WriteFile(filepath.Join(w.Root(), "work"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.killed(r)
	told := 0
	q := slot.Request{Name: "n", At: at, Saved: func(context.Context, kedge.Salvage) error { told++; return nil }}
	began := func(kedge.SessionID) bool { return true }
	if err := g.slots.ClearAbandoned(t.Context(), r, began, q); err != nil || len(g.left()) == 0 {
		t.Errorf("the worktree of a session that began is taken away (%v)", err)
	}
	if err := g.slots.ClearAbandoned(t.Context(), r, nobodyBegan, q); err != nil {
		t.Fatal(err)
	}
	if salvage := g.git("-C", g.dir, "for-each-ref", "refs/kedge"); told != 1 || salvage == "" {
		t.Errorf("set aside %d times: %s", told, salvage)
	}
}

func TestClearSessionKeepsWhatIsNotMerged(t *testing.T) {
	g := newGround(t)
	r, w := g.forSession("a", "")
	g.git("-C", w.Root(), "commit", "-q", "--allow-empty", "-m", "mine")
	found, err := g.slots.ClearSession(t.Context(), r.Path, slot.Request{Name: "n", At: at})
	if err != nil || found.Kept["kedge/a"] == "" || len(found.Gone) > 0 {
		t.Errorf("the branches are %+v, %v", found, err)
	}
	if err := g.slots.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := g.left(); !slices.Equal(left, []string{"kedge/a"}) {
		t.Errorf("left are %q", left)
	}
	r, _ = g.forSession("b", "")
	found, err = g.slots.ClearSession(t.Context(), r.Path, slot.Request{Name: "m", At: at})
	if err != nil || !slices.Equal(found.Gone, []string{"kedge/b"}) {
		t.Errorf("the branches are %+v, %v", found, err)
	}
}
