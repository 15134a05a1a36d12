package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestAbortWorktree: only what git did not finish at exactly this path goes.
func TestAbortWorktree(t *testing.T) {
	type begun struct {
		lock   string // its text
		index  bool
		name   string // of the git dir; empty: the worktree's
		gitdir string // what it names: "own", "other" (a worktree with a longer name), or nothing
		more   string // another file in the git dir
	}
	for name, of := range map[string]struct {
		begun
		stays bool
	}{
		"begun":                               {begun{lock: "initializing", gitdir: "own", more: "HEAD"}, false},
		"begun, and a crash emptied the lock": {begun{gitdir: "own", more: "HEAD"}, false},
		"begun under another name":            {begun{lock: "initializing", gitdir: "own", name: "session-auth1"}, false},
		"only a lock":                         {begun{lock: "initializing"}, false},
		"finished, and locked by somebody":    {begun{index: true, gitdir: "own", more: "HEAD"}, true},
		"locked for a reason":                 {begun{lock: "on a stick", gitdir: "own", more: "HEAD"}, true},
		"of another path":                     {begun{lock: "initializing", gitdir: "other", name: "session-auth-2"}, true},
		"of another path, with this name":     {begun{lock: "initializing", gitdir: "other"}, true},
		"no path, and another name":           {begun{lock: "initializing", name: "session-auth-2"}, true},
		"no path, and more than a lock":       {begun{lock: "initializing", more: "HEAD"}, true},
	} {
		r := gittest.New(t)
		path := r.Worktree("session-auth")
		if of.name == "" {
			of.name = "session-auth"
		}
		admin := filepath.Join(r.Path(".git"), "worktrees", of.name)
		files := map[string]string{"locked": of.lock}
		if of.index {
			files["index"] = ""
		}
		if of.more != "" {
			files[of.more] = "x\n"
		}
		switch of.gitdir {
		case "own":
			files["gitdir"] = filepath.Join(path, ".git") + "\n"
		case "other":
			files["gitdir"] = filepath.Join(path+"-2", ".git") + "\n"
		}
		r.Must(os.MkdirAll(admin, 0o700))
		for file, text := range files {
			r.Must(os.WriteFile(filepath.Join(admin, file), []byte(text), 0o600))
		}
		r.Must(r.Open().AbortWorktree(t.Context(), path))
		if _, err := os.Lstat(admin); (err == nil) != of.stays {
			t.Errorf("%s: it stays: %v, want %v", name, err == nil, of.stays)
		}
	}
}

// TestAbortWorktreeKeepsAFinishedOne: git worktree lock without a reason leaves an empty
// lock, and the worktree may have no file in it.
func TestAbortWorktreeKeepsAFinishedOne(t *testing.T) {
	r := gittest.New(t)
	path := r.Worktree("w")
	r.Must(r.Open().AddWorktree(t.Context(), git.WorktreeRequest{Path: path, Branch: "b", Base: "main"}))
	r.Git("worktree", "lock", path)
	r.Must(r.Open().AbortWorktree(t.Context(), path))
	if got := r.GitIn(path, "status", "--porcelain"); got != "" {
		t.Errorf("status: %q", got)
	}
	own := r.Worktree("own") // somebody's repository without files is not a link
	r.Git("init", "-q", own)
	r.Must(r.Open().AbortWorktree(t.Context(), own))
	r.GitIn(own, "rev-parse", "--git-dir")
}
