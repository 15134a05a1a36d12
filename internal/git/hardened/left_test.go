package hardened_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/process"
	"kedge/internal/testkit/gittest"
)

// needGone skips where nothing proves that the holder of a lock is gone.
func needGone(t *testing.T, r *gittest.Repo) {
	t.Helper()
	if !process.LockIsFree(r.Path("a")) {
		t.Skip("here nothing proves that a holder is gone")
	}
}

// neverWaits fails the test when a lock is waited for.
func neverWaits(t *testing.T) func(context.Context, time.Duration) error {
	return func(context.Context, time.Duration) error {
		t.Error("a lock that nobody holds is waited for")
		return context.Canceled
	}
}

// preparing is a real git that holds the lock of a ref until it is ended.
func preparing(t *testing.T, r *gittest.Repo, ref, sha string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("git", "update-ref", "--stdin")
	cmd.Dir = r.Dir
	in, err := cmd.StdinPipe()
	r.Must(err)
	out, err := cmd.StdoutPipe()
	r.Must(err)
	r.Must(cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	_, err = io.WriteString(in, "start\nupdate "+ref+" "+sha+"\nprepare\n")
	r.Must(err)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "prepare: ok") {
			return cmd
		}
	}
	t.Fatal("git took no lock")
	return nil
}

// TestF15LockOfAKilledGit: what a git of a dead Kedge left is taken away at once;
// while that git lives, or where it was none of Kedge's, the lock is honoured.
func TestF15LockOfAKilledGit(t *testing.T) {
	for name, c := range map[string]struct{ ours, dead, free bool }{
		"of Kedge, dead":      {true, true, true},
		"of Kedge, alive":     {true, false, false},
		"somebody's own dead": {false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			needGone(t, r)
			sha := r.Git("rev-parse", "HEAD")
			if c.ours { // what a section leaves in whose middle everything was killed
				r.Must(os.WriteFile(r.Path(".git/kedge.lock"), []byte("kedge\n"), 0o600))
			}
			git := preparing(t, r, "refs/heads/x", sha)
			if c.dead {
				r.Must(git.Process.Kill())
				_ = git.Wait()
			}
			lock := r.Path(".git/refs/heads/x.lock")
			if _, err := os.Lstat(lock); err != nil {
				t.Fatal(err)
			}
			r.Opt.Wait = func(context.Context, time.Duration) error { return nil }
			if c.free {
				r.Opt.Wait = neverWaits(t)
				r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/x", sha, ""))
				r.Git("update-ref", "refs/heads/y", sha)
				if warned := r.Git("for-each-ref"); strings.Contains(warned, "lock") {
					t.Errorf("git sees what was moved away:\n%s", warned)
				}
				return
			}
			gittest.WantKind(t, r.Open().UpdateRef(t.Context(), "refs/heads/x", sha, ""), kedge.Conflict, "x.lock")
			if _, err := os.Lstat(lock); err != nil {
				t.Error("the lock was taken away")
			}
		})
	}
}

// TestF15GitThatIsKilledUnderKedge: its lock is in nobody's way.
func TestF15GitThatIsKilledUnderKedge(t *testing.T) {
	r := gittest.New(t)
	needGone(t, r)
	sha := r.Git("rev-parse", "HEAD")
	real, err := exec.LookPath("git")
	r.Must(err)
	bin := t.TempDir()
	r.Must(os.WriteFile(filepath.Join(bin, "git"), []byte(`#!/bin/sh
case "$*" in
*update-ref*x*) : >"$GIT_DIR/refs/heads/x.lock"; kill -9 $$ ;;
esac
exec `+real+` "$@"
`), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	r.Opt.Wait = neverWaits(t)
	g := r.Open()
	gittest.WantKind(t, g.UpdateRef(t.Context(), "refs/heads/x", sha, ""), kedge.Internal, "update-ref")
	r.Must(os.Remove(filepath.Join(bin, "git")))
	r.Must(g.UpdateRef(t.Context(), "refs/heads/y", sha, ""))
	if _, err := os.Lstat(r.Path(".git/refs/heads/x.lock")); err == nil {
		t.Error("the lock is still in the user's way")
	}
	r.Must(g.UpdateRef(t.Context(), "refs/heads/x", sha, ""))
	if fi, err := os.Stat(r.Path(".git/kedge.lock")); err != nil || fi.Size() != 0 {
		t.Errorf("the repository is left as in the middle of something: %v", err)
	}
}

// TestF15LockInAWorktreeOfKedge: left by an agent's git that was killed, it is
// taken away once nobody works there; one in somebody's own worktree is honoured.
func TestF15LockInAWorktreeOfKedge(t *testing.T) {
	r := gittest.New(t)
	needGone(t, r)
	dir := r.AddWorktree("w", "b")
	theirs := filepath.Join(t.TempDir(), "theirs")
	r.Git("worktree", "add", "-q", "-b", "c", theirs)
	commit := func(dir, message string) error {
		r.Must(os.WriteFile(filepath.Join(dir, "a"), []byte(message), 0o644))
		g, err := git.Open(t.Context(), dir, r.Opt)
		r.Must(err)
		_, err = g.CommitPaths(t.Context(), git.CommitPathsRequest{Paths: []string{"a"}, Message: message, Date: gittest.Day, Author: gittest.Someone})
		return err
	}
	lock := func(name string) string {
		path := r.Path(".git/worktrees/" + name + "/index.lock")
		r.Must(os.WriteFile(path, nil, 0o644))
		return path
	}
	lock("w")
	agent := exec.Command("cat")
	agent.Dir = dir
	in, err := agent.StdinPipe()
	r.Must(err)
	r.Must(agent.Start())
	r.Opt.Wait = func(context.Context, time.Duration) error { return nil }
	gittest.WantKind(t, commit(dir, "one"), kedge.Conflict, "index.lock")
	r.Must(in.Close())
	r.Must(agent.Wait())
	r.Opt.Wait = neverWaits(t)
	r.Must(commit(dir, "one"))

	left := lock("theirs")
	r.Opt.Wait = func(context.Context, time.Duration) error { return nil }
	gittest.WantKind(t, commit(theirs, "two"), kedge.Conflict, "index.lock")
	if _, err := os.Lstat(left); err != nil {
		t.Error("somebody's own lock was taken away")
	}
}

// slowGit is a git that runs wait, a line of shell, before it moves a ref named x.
func slowGit(t *testing.T, r *gittest.Repo, wait string) {
	t.Helper()
	real, err := exec.LookPath("git")
	r.Must(err)
	bin := t.TempDir()
	r.Must(os.WriteFile(filepath.Join(bin, "git"), []byte(`#!/bin/sh
case "$*" in
*update-ref*heads/x*) `+wait+` ;;
esac
exec `+real+` "$@"
`), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// fifo is a pipe with a name. Whoever reads it at the end of the test ends.
func fifo(t *testing.T, r *gittest.Repo) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	r.Must(unix.Mkfifo(path, 0o600))
	t.Cleanup(func() {
		if both, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			_ = both.Close()
		}
	})
	return path
}

// isFree tells whether nobody has the lock of a repository.
func isFree(t *testing.T, r *gittest.Repo) bool {
	t.Helper()
	f, err := os.OpenFile(r.Path(".git/kedge.lock"), os.O_RDWR, 0)
	r.Must(err)
	defer func() { _ = f.Close() }()
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err != nil && !errors.Is(err, unix.EWOULDBLOCK) {
		t.Fatal(err)
	}
	return err == nil
}

// inChild names the repository in which a child of this test moves a ref.
const inChild = "KEDGE_TEST_GITX_CHILD"

// TestF15GitThatOutlivesItsKedge: while a git still runs that a Kedge started
// which is dead, the next Kedge does not begin to write.
func TestF15GitThatOutlivesItsKedge(t *testing.T) {
	if dir := os.Getenv(inChild); dir != "" {
		r := &gittest.Repo{T: t, Dir: dir}
		r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/x", r.Git("rev-parse", "HEAD"), ""))
		return
	}
	r := gittest.New(t)
	pipe := fifo(t, r)
	slowGit(t, r, "cat '"+pipe+"' >/dev/null")
	kedge := exec.Command(os.Args[0], "-test.run=^TestF15GitThatOutlivesItsKedge$")
	kedge.Env = append(os.Environ(), inChild+"="+r.Dir)
	r.Must(kedge.Start())
	end, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until its git does
	r.Must(err)
	r.Must(kedge.Process.Kill())
	_ = kedge.Wait() // it was killed
	if isFree(t, r) {
		t.Error("the repository is free while a git writes to it")
	}
	r.Must(end.Close())
	r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/z", r.Git("rev-parse", "HEAD"), "")) // as soon as it has ended
}

// TestF15WhatAGitLeavesBehind: something that a git started and that lives on
// after it keeps nobody from the repository.
func TestF15WhatAGitLeavesBehind(t *testing.T) {
	r := gittest.New(t)
	pipe := fifo(t, r)
	slowGit(t, r, "cat '"+pipe+"' >/dev/null 2>&1 &")
	r.Must(r.Open().UpdateRef(t.Context(), "refs/heads/x", r.Git("rev-parse", "HEAD"), ""))
	end, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until it lives
	r.Must(err)
	defer func() { _ = end.Close() }()
	if !isFree(t, r) {
		t.Error("what a git left in the background holds the repository")
	}
}
