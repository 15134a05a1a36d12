package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/process/atomicfile"
)

// MendWorktree gives a worktree of Kedge's own its link to the repository back,
// where somebody removed or replaced it: a git init in it, say. What stands in
// its place is moved to aside, which must not exist; tell, which may be nil, is told
// before that what it is. It tells whether there was anything to mend; NotFound when
// git knows no worktree at the path. A link in the place of the worktree is not
// followed: it may lead to somebody's checkout.
func (r *Repo) MendWorktree(ctx context.Context, path, aside string, tell func(was string) error) (mended bool, err error) {
	admin := r.adminDir(path)
	if admin == "" {
		return false, kedge.Errorf(kedge.NotFound, "%q is not a worktree of the repository at %q", path, r.g.CommonDir()).WithHint("see the worktrees: kedge worktree ls")
	}
	if fi, err := os.Lstat(path); err != nil {
		return false, nil //nolint:nilerr // nothing there: nothing to mend
	} else if !fi.IsDir() {
		return false, kedge.Errorf(kedge.Conflict, "%q is not a folder: something replaced the worktree", path).
			WithHint("see what is there: ls -la %s", hardened.Quote(filepath.Dir(path)))
	}
	link, want := filepath.Join(path, ".git"), "gitdir: "+admin
	if isLink(link, want) {
		return false, nil
	}
	if tell != nil {
		if err := tell(instead(link)); err != nil {
			return false, err
		}
	}
	err = r.g.Exclusively(ctx, func(ctx context.Context) error {
		if hardened.Exists(link) {
			if err := os.MkdirAll(filepath.Dir(aside), 0o700); err != nil {
				return err
			}
			if err := os.Rename(link, aside); err != nil {
				return err
			}
		}
		return atomicfile.Write(link, []byte(want+"\n"), 0o644)
	})
	if err != nil {
		return false, kedge.Errorf(kedge.Internal, "cannot repair the worktree %q: %w", path, err).WithHint("see what is there: ls -la %s", hardened.Quote(path))
	}
	return true, nil
}

// instead says what stands in the place of the link to a repository.
func instead(link string) string {
	fi, err := os.Lstat(link)
	switch {
	case err != nil:
		return "nothing"
	case fi.IsDir():
		return "a repository of its own"
	case fi.Mode()&os.ModeSymlink != 0:
		to, _ := os.Readlink(link) // what cannot be read is not known
		return "a link to " + to
	case !fi.Mode().IsRegular() || fi.Size() > maxInstead:
		return "something else"
	}
	b, _ := os.ReadFile(link)
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line
}

// maxInstead bounds what is read of a file that should be one line.
const maxInstead = 4096

// isLink tells whether a file is a plain one with this line.
func isLink(file, want string) bool {
	fi, err := os.Lstat(file)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	b, err := os.ReadFile(file)
	return err == nil && strings.TrimSpace(string(b)) == want
}
