package hardened_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/hardened"
	"kedge/internal/process"
	"kedge/internal/testkit/gittest"
)

// holdRepository takes the lock that Kedge's writers take.
func holdRepository(t *testing.T, r *gittest.Repo) (release func()) {
	t.Helper()
	f, err := os.OpenFile(r.Path(".git/kedge.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	r.Must(err)
	r.Must(unix.Flock(int(f.Fd()), unix.LOCK_EX))
	return func() { _ = f.Close() }
}

// TestF15ThirteenWorktreesCommitInParallel: every one of thirteen commits, each
// made in its own worktree at the same time, is there afterwards.
func TestF15ThirteenWorktreesCommitInParallel(t *testing.T) {
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	const n = 13
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = commitInWorktree(r, i, base) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("worktree %d: %v", i, err)
		}
	}
	for i := range n {
		if got := r.Git("rev-list", "--count", base+".."+fmt.Sprintf("work/%d", i)); got != "1" {
			t.Errorf("branch %d has %s commits", i, got)
		}
	}
	if got := r.Git("rev-list", "--count", "--branches", "^main"); got != "13" {
		t.Errorf("%s commits, want 13", got)
	}
}

func commitInWorktree(r *gittest.Repo, i int, base string) error {
	ctx := r.T.Context()
	g, err := git.Open(ctx, r.Dir, r.Opt)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.Home, "worktrees", fmt.Sprintf("w%d", i))
	if err := g.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Branch: fmt.Sprintf("work/%d", i), Base: base}); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d", i)), []byte("x\n"), 0o644); err != nil {
		return err
	}
	w, err := git.Open(ctx, dir, r.Opt)
	if err != nil {
		return err
	}
	tree, err := w.Tree(ctx)
	if err != nil {
		return err
	}
	sha, err := w.Commit(ctx, git.CommitRequest{Tree: tree, Parents: []string{base}, Message: "work", Date: gittest.Day, Author: gittest.Someone})
	if err != nil {
		return err
	}
	return w.UpdateRef(ctx, fmt.Sprintf("refs/heads/work/%d", i), sha, base)
}

// lockNames are the lock files, and what runs into each.
func lockCases(r *gittest.Repo) map[string]func(*git.Repo) error {
	sha := r.Git("rev-parse", "HEAD")
	return map[string]func(*git.Repo) error{
		"refs/heads/x.lock": func(g *git.Repo) error {
			return g.UpdateRef(r.T.Context(), "refs/heads/x", sha, "")
		},
		"index.lock": func(g *git.Repo) error {
			r.Write("a", r.Read("a")+"more\n")
			_, err := g.CommitPaths(r.T.Context(), git.CommitPathsRequest{Paths: []string{"a"}, Message: "m", Date: gittest.Day, Author: gittest.Someone})
			return err
		},
		"packed-refs.lock": func(g *git.Repo) error {
			return g.UpdateRef(r.T.Context(), "refs/heads/packed", "", sha)
		},
	}
}

// TestF15LiveLock: a lock that somebody holds is waited for, and then the work
// is done.
func TestF15LiveLock(t *testing.T) {
	r := gittest.New(t)
	r.Git("branch", "packed")
	r.Git("pack-refs", "--all")
	for name, work := range lockCases(r) {
		lock := r.Path(".git/" + name)
		r.Must(os.WriteFile(lock, nil, 0o644))
		waits := 0
		r.Opt.Wait = func(context.Context, time.Duration) error {
			if waits++; waits == 3 {
				return os.Remove(lock)
			}
			return nil
		}
		if err := work(r.Open()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if waits != 3 {
			t.Errorf("%s: waited %d times, want 3", name, waits)
		}
	}
}

// TestF15LockThatStays: after ten seconds of waiting it is a conflict that names
// the lock, which is still there.
func TestF15LockThatStays(t *testing.T) {
	r := gittest.New(t)
	r.Git("branch", "packed")
	r.Git("pack-refs", "--all")
	for name, work := range lockCases(r) {
		lock := r.Path(".git/" + name)
		r.Must(os.WriteFile(lock, nil, 0o644))
		var waited time.Duration
		r.Opt.Wait = func(_ context.Context, d time.Duration) error { waited += d; return nil }
		gittest.WantKind(t, work(r.Open()), kedge.Conflict, filepath.Base(name))
		if waited < 10*time.Second || waited > 11*time.Second {
			t.Errorf("%s: asked to wait for %v in all", name, waited)
		}
		r.Must(os.Remove(lock))
	}
}

// TestF15StaleLock: old and held by nobody, it is moved aside; old and held, it
// stays.
func TestF15StaleLock(t *testing.T) {
	r := gittest.New(t)
	if !process.LockIsFree(r.Path("a")) && os.Geteuid() != 0 {
		t.Skip("here nothing proves that a holder is gone")
	}
	lock := r.Path(".git/refs/heads/x.lock")
	r.Must(os.WriteFile(lock, []byte("precious"), 0o644))
	r.Opt.Wait = func(context.Context, time.Duration) error { return nil }
	r.Opt.Now = func() time.Time { return time.Now().Add(11 * time.Minute) }
	sha := r.Git("rev-parse", "HEAD")

	held, err := os.Open(lock)
	r.Must(err)
	gittest.WantKind(t, r.Open().UpdateRef(t.Context(), "refs/heads/x", sha, ""), kedge.Conflict, "x.lock")
	r.Must(held.Close())

	r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/x", sha, ""))
	aside, _ := filepath.Glob(r.Path(".git/kedge-left/x.lock-*"))
	if len(aside) != 1 {
		t.Fatalf("moved aside: %v", aside)
	}
	if b, err := os.ReadFile(aside[0]); err != nil || string(b) != "precious" {
		t.Errorf("the old lock holds %q, %v", b, err)
	}
}

// TestWritersWaitForEachOther: a lock that is not given ends with the context.
func TestWritersWaitForEachOther(t *testing.T) {
	r := gittest.New(t)
	release := holdRepository(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- r.Open().UpdateRef(ctx, "refs/heads/x", r.Git("rev-parse", "HEAD"), "") }()
	cancel()
	gittest.WantKind(t, <-done, kedge.Interrupted, "")
	release()
	r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/x", r.Git("rev-parse", "HEAD"), ""))
}

// TestF15LockFilesAreRecognised in what git says about each kind.
func TestF15LockFilesAreRecognised(t *testing.T) {
	r := gittest.New(t)
	for stderr, want := range map[string]string{
		"fatal: Unable to create '/x/.git/index.lock': File exists.\n\nAnother git process":                                         "/x/.git/index.lock",
		"error: could not lock config file .git/config: File exists\n":                                                              r.Path(".git/config.lock"),
		"fatal: cannot lock ref 'HEAD': Unable to create '/x/.git/HEAD.lock': File exists.":                                         "/x/.git/HEAD.lock",
		"fatal: cannot lock ref 'refs/heads/x': is at 1 but expected 2":                                                             "",
		"fatal: Unable to create '/x/.git/index.lock': Permission denied":                                                           "",
		"error: cannot lock ref 'refs/heads/x': 'refs/heads/x/y' exists; cannot create 'refs/heads/x'\nfatal: Unable to create 'x'": "",
	} {
		if got := hardened.LockFile(r.Hardened(), stderr); got != want {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}
