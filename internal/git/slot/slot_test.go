package slot_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
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

const id kedge.RunID = "run-00000000000000000000000001"

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ground is a repository with its slots.
type ground struct {
	t     *testing.T
	dir   string // of the user's checkout
	home  string
	slots *slot.Slots
}

func newGround(t *testing.T) *ground {
	t.Helper()
	return newGroundIn(t, "home")
}

// newGroundIn has its worktrees below a folder of this name.
func newGroundIn(t *testing.T, name string) *ground {
	t.Helper()
	g := &ground{t: t, dir: filepath.Join(t.TempDir(), "repo"), home: filepath.Join(t.TempDir(), name, "worktrees")}
	g.git("init", "-q", "-b", "main", g.dir)
	g.git("-C", g.dir, "commit", "-q", "--allow-empty", "-m", "first")
	repo, err := git.Open(t.Context(), g.dir, git.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g.slots = slot.New(slot.Config{Repo: repo, Dir: g.home, Attic: filepath.Join(g.home, "attic"), Now: func() time.Time { return at }})
	return g
}

func (g *ground) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (g *ground) job(n int) slot.Job {
	g.t.Helper()
	j, err := g.slots.Job(id, n)
	if err != nil {
		g.t.Fatal(err)
	}
	return j
}

func TestTwoJobsNeverHaveOneSlot(t *testing.T) {
	g := newGround(t)
	var wg sync.WaitGroup
	got := make([]int, 8)
	for i := range got {
		wg.Go(func() {
			j, err := g.slots.Acquire(id, i+1)
			if err != nil {
				t.Error(err)
			}
			got[i] = j.Slot
		})
	}
	wg.Wait()
	slices.Sort(got)
	if !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("the jobs have the slots %v", got)
	}
	third := g.job(3).Slot
	if err := g.slots.Release(t.Context(), id, 3); err != nil {
		t.Fatal(err)
	}
	j, err := g.slots.Acquire("run-00000000000000000000000002", 1) // another run of the project
	if err != nil || j.Slot != third {
		t.Errorf("the next job has slot %d, %v, and %d is free", j.Slot, err, third)
	}
}

func TestRecordsOutliveTheProcess(t *testing.T) {
	g := newGround(t)
	if _, err := g.slots.Keep(id, 1, func(j *slot.Job) { j.Slot, j.Session, j.Epoch = 4, "ses-1", 9 }); err != nil {
		t.Fatal(err)
	}
	g.slots = slot.New(slot.Config{Dir: g.home})
	if j := g.job(1); j.Slot != 4 || j.Session != "ses-1" || j.Epoch != 9 {
		t.Errorf("read back %+v", j)
	}
	if j := g.job(2); j.Slot != 0 || j.Job != 2 || j.Run != id {
		t.Errorf("a job without a record is %+v", j)
	}
	for _, bad := range []struct {
		run kedge.RunID
		job int
	}{{"../../etc", 1}, {id, 0}, {"", 1}} {
		if _, err := g.slots.Job(bad.run, bad.job); !kedge.Invalid.Is(err) {
			t.Errorf("job %d of %q: %v", bad.job, bad.run, err)
		}
	}
}

func TestADamagedRecordIsReported(t *testing.T) {
	g := newGround(t)
	if _, err := g.slots.Acquire(id, 1); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(g.home, string(id)+".d", "job-1.json")
	for _, text := range []string{"", "{", `{"version":1,"slot":1,"slot":2}`, `{"version":1,"unheard":true}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := g.slots.Job(id, 1); err == nil || !strings.Contains(err.Error(), "job-1.json") {
			t.Errorf("%q is read: %v", text, err)
		}
		if j, err := g.slots.Acquire(id, 2); err == nil {
			t.Errorf("%q: job 2 is given slot %d, which may be another's", text, j.Slot)
		}
	}
}

func TestCourseIsTheBranchAtTheStart(t *testing.T) {
	g := newGround(t)
	first, err := g.slots.Course(t.Context(), id)
	if err != nil || first.Lands != "main" {
		t.Fatalf("the course is %+v, %v", first, err)
	}
	g.git("-C", g.dir, "switch", "-q", "-c", "elsewhere")
	if again, err := g.slots.Course(t.Context(), id); err != nil || again.Lands != "main" {
		t.Errorf("the course became %+v, %v", again, err)
	}
	g.git("-C", g.dir, "switch", "-q", "--detach")
	other, err := g.slots.Course(t.Context(), "run-00000000000000000000000002")
	if err != nil || other.Lands != "" {
		t.Errorf("on no branch it is %+v, %v", other, err)
	}
}

func TestTheCleanWorkTreeFollowsAPersonsCommit(t *testing.T) {
	g := newGround(t)
	base := g.git("-C", g.dir, "rev-parse", "HEAD")
	q := slot.Request{Run: id, Base: base, Name: "n", At: at}
	if _, err := g.slots.Clean(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	g.git("-C", g.dir, "commit", "-q", "--allow-empty", "-m", "a person's")
	q.Base = g.git("-C", g.dir, "rev-parse", "HEAD")
	w, err := g.slots.Clean(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := w.Head(t.Context()); err != nil || h.Commit != q.Base || h.Branch != slot.Branch(id) {
		t.Errorf("it is at %+v, %v", h, err)
	}
	q.Base = base // back: somebody moved the branch, as far as this run knows
	if _, err := g.slots.Clean(t.Context(), q); !kedge.Conflict.Is(err) {
		t.Errorf("a branch that moved ahead: %v", err)
	}
	if got := g.git("-C", g.dir, "rev-parse", slot.Branch(id)); got == base {
		t.Error("the branch was put back")
	}
}

// TestF15TidyFinishesARemoval: a daemon was killed while it took slots away, at every
// place of that. The next one leaves no worktree behind.
func TestF15TidyFinishesARemoval(t *testing.T) {
	for name, killed := range map[string]func(dir, admin string) error{
		"before it was moved": func(_, admin string) error {
			return os.WriteFile(filepath.Join(admin, "kedge-removing"), []byte("aside\n"), 0o600)
		},
		"aside": func(dir, admin string) error {
			return errors.Join(os.WriteFile(filepath.Join(admin, "kedge-removing"), []byte("aside\n"), 0o600), os.Rename(dir, dir+".kedge-removing"))
		},
		"its folder is gone": func(dir, admin string) error {
			return errors.Join(os.WriteFile(filepath.Join(admin, "kedge-removing"), []byte("going\n"), 0o600), os.RemoveAll(dir))
		},
	} {
		g := newGround(t)
		q := slot.Request{Run: id, Job: 1, Origin: 1, Base: g.git("-C", g.dir, "rev-parse", "HEAD"), Name: "n", At: at}
		ready, err := g.slots.Put(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(g.slots.Release(t.Context(), id, 1), killed(ready.Tree.Root(), ready.Tree.GitDir())); err != nil {
			t.Fatal(err)
		}
		if _, err := g.slots.Tidy(t.Context(), q); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if list := g.git("-C", g.dir, "worktree", "list"); strings.Contains(list, "slot-1") {
			t.Errorf("%s: %s", name, list)
		}
	}
}

// TestLandedBranchGoesAndComesBack: the branch of a run goes once the branch that it
// is for has its commits, not while a worktree stands on it; a run that goes on all
// the same has it made again.
func TestLandedBranchGoesAndComesBack(t *testing.T) {
	g := newGround(t)
	ctx := t.Context()
	q := slot.Request{Run: id, Base: g.git("-C", g.dir, "rev-parse", "HEAD"), Name: "n", At: at}
	landed := func() map[string]string {
		t.Helper()
		found, err := g.slots.Landed(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return found.Kept
	}
	if _, err := g.slots.Clean(ctx, q); err != nil {
		t.Fatal(err)
	}
	if why := landed()[slot.Branch(id)]; !strings.Contains(why, "checked out in") {
		t.Errorf("it stays because %q", why)
	}
	g.git("-C", g.slots.CleanDir(id), "commit", "-q", "--allow-empty", "-m", "work")
	if why := landed()[slot.Branch(id)]; !strings.Contains(why, `not on branch "main"`) {
		t.Errorf("it stays because %q", why)
	}
	g.git("-C", g.dir, "merge", "-q", slot.Branch(id))
	if _, err := g.slots.Tidy(ctx, q); err != nil {
		t.Fatal(err)
	}
	if kept := landed(); len(kept) != 0 || g.git("-C", g.dir, "branch", "--list", slot.Branch(id)) != "" {
		t.Fatalf("it stays: %v", kept)
	}
	q.Base = g.git("-C", g.dir, "rev-parse", "HEAD")
	if _, err := g.slots.Clean(ctx, q); err != nil {
		t.Errorf("a run that goes on: %v", err)
	}
}

// TestSetAsideOfItsOwnIsRemembered: what an attempt of the job left and another put
// aside is known of; what stood in the slot before the job's first is not its own.
func TestSetAsideOfItsOwnIsRemembered(t *testing.T) {
	g := newGround(t)
	base := g.git("-C", g.dir, "rev-parse", "HEAD")
	put := func(job int, origin int64) slot.Ready {
		t.Helper()
		out, err := g.slots.Put(t.Context(), slot.Request{
			Run: id, Job: job, Origin: origin, Base: base, Name: fmt.Sprintf("put-%d-%d", job, origin), Reason: "a test", At: at,
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	leave := func(r slot.Ready) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(r.Tree.Root(), "left.txt"), []byte("left\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leave(put(1, 1))
	if err := g.slots.Release(t.Context(), id, 1); err != nil {
		t.Fatal(err)
	}
	first := put(2, 2)
	if first.Salvage.Ref == "" || g.job(2).Earlier {
		t.Errorf("another's work: set aside as %q, the job's own %v", first.Salvage.Ref, g.job(2).Earlier)
	}
	leave(first)
	if second := put(2, 3); second.Salvage.Ref == "" || !second.Job.Earlier {
		t.Errorf("its own: set aside as %q, %+v", second.Salvage.Ref, second.Job)
	}
	if third := put(2, 4); third.Salvage.Ref != "" || !third.Job.Earlier {
		t.Errorf("afterwards: set aside as %q, %+v", third.Salvage.Ref, third.Job)
	}
}
