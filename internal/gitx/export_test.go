package gitx

import "context"

// What the tests of the rules need to see.
var (
	CheckRef  = checkRef
	CheckRev  = checkRev
	CheckPath = checkPath
)

// PlainAll tells whether all files of a tree can be listed without git.
func PlainAll(r *Repo, tree string) bool {
	_, ok := r.plainAll(tree)
	return ok
}

// LockFile is the lock file that git's complaint names.
func LockFile(r *Repo, stderr string) string {
	return r.lockFile(call{}, &failure{stderr: stderr})
}

// ParseAll runs every parser of git's output.
func ParseAll(s string) int {
	f := fields([]byte(s))
	set, _ := parseSettings(f)
	v, _ := parseSalvage([]string{s, s, s, "1", s})
	return len(parseDiff(f)) + len(parseTree(f)) + len(set.filters) + len(v.Attic)
}

// LeaveCommit leaves what a commit of paths leaves that crashes right after its
// branch has moved: the lock on the index, and the word of what was begun.
func LeaveCommit(ctx context.Context, r *Repo, branch, commit string, paths []string) error {
	return LeaveForward(ctx, r, branch, "", commit, paths)
}

// LeaveForward is LeaveCommit for a branch that moves over more than one commit.
func LeaveForward(ctx context.Context, r *Repo, branch, from, commit string, paths []string) error {
	if err := r.begin(begun{Version: 1, Branch: branch, Commit: commit, From: from, Paths: paths}); err != nil {
		return err
	}
	f, err := r.lockIndex(ctx)
	if err != nil {
		return err
	}
	return f.Close()
}
