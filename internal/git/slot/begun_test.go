package slot_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// TestF15SlotsAreMadeAfterAKilledGit: git was killed inside worktree add. The next job gets
// its slot, and the run its clean worktree, all the same.
func TestF15SlotsAreMadeAfterAKilledGit(t *testing.T) {
	for name, kill := range map[string]func(dir, admin string) error{
		"only the folder": func(dir, admin string) error {
			return errors.Join(os.RemoveAll(admin), os.Remove(filepath.Join(dir, ".git")))
		},
		"a lock and the folder": func(dir, admin string) error {
			return errors.Join(os.RemoveAll(admin), os.Remove(filepath.Join(dir, ".git")), os.Mkdir(admin, 0o700), begin(admin))
		},
		"no link yet": func(dir, admin string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".git")), os.Remove(filepath.Join(admin, "HEAD")), os.Remove(filepath.Join(admin, "commondir")), begin(admin))
		},
		"no HEAD yet": func(_, admin string) error {
			return errors.Join(os.Remove(filepath.Join(admin, "HEAD")), os.Remove(filepath.Join(admin, "commondir")), begin(admin))
		},
		"still locked": func(_, admin string) error { return begin(admin) },
	} {
		g := newGround(t)
		g.write("file", "x\n")
		q := slot.Request{Run: id, Job: 1, Origin: 1, Base: g.git("-C", g.dir, "rev-parse", "HEAD"), Name: "n", At: at}
		for which, make := range map[string]func() (*git.Repo, error){
			"slot":  func() (*git.Repo, error) { r, err := g.slots.Put(t.Context(), q); return r.Tree, err },
			"clean": func() (*git.Repo, error) { return g.slots.Clean(t.Context(), q) },
		} {
			w, err := make()
			if err != nil {
				t.Fatal(err)
			}
			admin := w.GitDir()
			_ = os.Remove(filepath.Join(admin, "index"))
			if err := errors.Join(os.Remove(filepath.Join(w.Root(), "file")), kill(w.Root(), admin)); err != nil {
				t.Fatal(err)
			}
			if w, err = make(); err != nil {
				t.Errorf("%s, %s: %v", name, which, err)
				continue
			}
			if got := g.git("-C", w.Root(), "status", "--porcelain"); got != "" {
				t.Errorf("%s, %s: status %q", name, which, got)
			}
		}
		if salvage := g.git("-C", g.dir, "for-each-ref", "refs/kedge/salvage"); salvage != "" {
			t.Errorf("%s: there was no work, and it is set aside: %s", name, salvage)
		}
	}
}

// begin locks a git dir as git does until it has made it.
func begin(admin string) error {
	return os.WriteFile(filepath.Join(admin, "locked"), []byte("initializing"), 0o600)
}

// write commits a file in the user's checkout.
func (g *ground) write(name, text string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
	g.git("-C", g.dir, "add", name)
	g.git("-C", g.dir, "commit", "-q", "-m", name)
}

// TestSessionNamedLikeARecord: the worktree of session data.json is a folder called
// session-data.json.
func TestSessionNamedLikeARecord(t *testing.T) {
	g := newGroundIn(t, "a[b]*")
	g.forSession("data.json", "")
	one, _ := g.forSession("data", "")
	two, _ := g.forSession("other", "")
	all, err := g.slots.Sessions()
	if err != nil || len(all) != 3 {
		t.Fatalf("they are %+v, %v", all, err)
	}
	if found, ok := g.slots.At(one.Path); !ok || found.Name != "data" {
		t.Errorf("At finds %+v", found)
	}
	if one.Slot == two.Slot || one.Port == two.Port {
		t.Errorf("they share something: %+v and %+v", one.SessionWorktree, two.SessionWorktree)
	}
	if !slot.HasSessions(g.home) || slot.HasSessions(filepath.Dir(g.home)) {
		t.Error("HasSessions is wrong")
	}
	x, _ := g.forSession("x", "")
	if err := g.slots.Undo(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(x.Path); err == nil || g.git("-C", g.dir, "branch", "--list", "kedge/x") != "" {
		t.Error("a worktree was not taken away")
	}
}

// TestBadRecordOfAnotherProject: it stops nobody here, and the ports of the good ones
// there are taken.
func TestBadRecordOfAnotherProject(t *testing.T) {
	g := newGround(t)
	other := filepath.Join(filepath.Dir(g.home), "other")
	if err := errors.Join(os.MkdirAll(other, 0o700), os.WriteFile(filepath.Join(other, "session-a.json"), []byte("{"), 0o600),
		os.WriteFile(filepath.Join(other, "session-b.json"), []byte(`{"version":1,"session":"`+string(session)+`","name":"b","path":"/b","branch":"b","slot":"s1","port":1,"at":"2026-03-01T12:00:00Z"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	if r, _ := g.forSession("a", ""); r.Port != 2 {
		t.Errorf("the port is %d", r.Port)
	}
}
