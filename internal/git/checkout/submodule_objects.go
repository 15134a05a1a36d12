package checkout

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
)

// has tells whether a git dir has a commit.
func (s Submodules) has(ctx context.Context, dir, sha string) bool {
	missing, err := MissingCommits(ctx, s.g, dir, []string{sha})
	return err == nil && len(missing) == 0
}

// MissingCommits are those of the commits that a git dir does not have; all where it is empty.
func MissingCommits(ctx context.Context, g *hardened.Git, dir string, commits []string) ([]string, error) {
	commits = slices.DeleteFunc(slices.Clone(commits), func(sha string) bool { return hardened.CheckSHA("commit", sha) != nil })
	if dir == "" || len(commits) == 0 {
		return commits, nil
	}
	out, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_DIR=" + dir},
		Stdin: []byte(strings.Join(commits, "\n") + "\n"), Args: []string{"cat-file", "--batch-check=%(objecttype)"},
	})
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(commits) {
		return commits, err
	}
	var missing []string
	for i, sha := range commits {
		if lines[i] != "commit" {
			missing = append(missing, sha)
		}
	}
	return missing, nil
}

// Alone are the commits at which the refs of a submodule's repository stand, and its HEAD,
// that its home does not have: nobody else does.
func (m Submodule) Alone(ctx context.Context, sub *hardened.Git) ([]string, error) {
	refs, err := history.Of(sub).Refs(ctx)
	if err != nil {
		return nil, err
	}
	h, err := history.Of(sub).Head(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for ref, sha := range refs {
		if !strings.HasPrefix(ref, "refs/kedge/") && !strings.HasPrefix(ref, "refs/remotes/") { // these say what is elsewhere
			seen[sha] = true
		}
	}
	if !h.Unborn {
		seen[h.Commit] = true
	}
	all := slices.Sorted(maps.Keys(seen))
	commits, err := commitsOnly(ctx, sub, sub.CommonDir(), all)
	if err != nil {
		return nil, err
	}
	return MissingCommits(ctx, sub, m.Home, commits)
}

// commitsOnly gives the commits behind objects of a git dir, which may be tags.
func commitsOnly(ctx context.Context, g *hardened.Git, dir string, shas []string) ([]string, error) {
	if len(shas) == 0 {
		return nil, nil
	}
	out, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_DIR=" + dir},
		Stdin: []byte(strings.Join(shas, "^{commit}\n") + "^{commit}\n"), Args: []string{"cat-file", "--batch-check=%(objectname) %(objecttype)"},
	})
	var commits []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 && f[1] == "commit" && !slices.Contains(commits, f[0]) {
			commits = append(commits, f[0])
		}
	}
	return commits, err
}

// GiveCommit brings a commit, with all that it needs, from one git dir into another, and keeps it
// there under a ref. Of the settings of the first, nothing has a say in what is packed:
// whoever worked there may have changed them.
func GiveCommit(ctx context.Context, g *hardened.Git, from, to, ref, commit string) error {
	if err := hardened.CheckSHA("commit", commit); err != nil {
		return err
	}
	missing, err := MissingCommits(ctx, g, to, []string{commit})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := pack(ctx, g, from, to, commit); err != nil {
			return err
		}
	}
	_, err = g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: to, Env: []string{"GIT_DIR=" + to}, Args: []string{"update-ref", "--no-deref", "--end-of-options", ref, commit},
	})
	return err
}

// pack writes a pack of what a git dir lacks of a commit, and moves it there when git has
// computed the names of all objects in it.
func pack(ctx context.Context, g *hardened.Git, from, to, commit string) error {
	tmp, err := os.MkdirTemp(filepath.Join(to, "objects"), "tmp_objdir-kedge-") // git itself removes one that a crash leaves
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot copy commit %s of a submodule into %q: %w", commit, to, err).WithHint("make sure that you may write to %q", to)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	known, err := sharedCommits(ctx, g, from, to)
	if err != nil {
		return err
	}
	want := commit + "\n"
	for _, sha := range known {
		want += "^" + sha + "\n"
	}
	out, err := g.OnObjectsOf(ctx, filepath.Join(from, "objects"), []byte(want), "pack-objects", "-q", "--revs", "--delta-base-offset", "--non-empty", filepath.Join(tmp, "pack"))
	hash := string(bytes.TrimSpace(out))
	if err != nil || hash == "" {
		return err
	}
	name := filepath.Join(tmp, "pack-"+hash)
	if _, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: tmp, Env: []string{"GIT_DIR=" + to}, Args: []string{"index-pack", "-o", name + ".checked", name + ".pack"},
	}); err != nil {
		return err
	}
	into := filepath.Join(to, "objects", "pack")
	err = errors.Join(os.MkdirAll(into, 0o755), os.Rename(name+".pack", filepath.Join(into, "pack-"+hash+".pack"))) //nolint:gosec // as git makes it
	if err == nil {
		err = os.Rename(name+".checked", filepath.Join(into, "pack-"+hash+".idx"))
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot copy commit %s of a submodule into %q: %w", commit, into, err).WithHint("make sure that you may write to %q", into)
	}
	return syncDir(into)
}

// sharedCommits are commits that two git dirs have both, as far as refs of the first tell.
func sharedCommits(ctx context.Context, g *hardened.Git, from, to string) ([]string, error) {
	out, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_DIR=" + from}, Args: []string{"for-each-ref", "--format=%(objectname)"},
	})
	if err != nil {
		return nil, err
	}
	at := strings.Fields(string(out))
	slices.Sort(at)
	commits, err := commitsOnly(ctx, g, from, slices.Compact(at))
	if err != nil {
		return nil, err
	}
	missing, err := MissingCommits(ctx, g, to, commits)
	return slices.DeleteFunc(commits, func(sha string) bool { return slices.Contains(missing, sha) }), err
}

// MessageIn is the text of a commit in a git dir.
func MessageIn(ctx context.Context, g *hardened.Git, dir, commit string) (string, error) {
	out, err := g.OnObjectsOf(ctx, filepath.Join(dir, "objects"), nil, "cat-file", "commit", commit)
	_, text, _ := strings.Cut(string(out), "\n\n")
	return text, err
}

// ChangedIn are the paths that differ between a commit in a git dir and its first parent.
func ChangedIn(ctx context.Context, g *hardened.Git, dir, commit string) ([]string, error) {
	out, err := g.OnObjectsOf(ctx, filepath.Join(dir, "objects"), nil, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--end-of-options", commit+"^1", commit)
	return hardened.Fields(out), err
}

// ForgetRef removes a ref from a git dir; one that is not there is fine.
func ForgetRef(ctx context.Context, g *hardened.Git, dir, ref string) error {
	if !hardened.Exists(filepath.Join(dir, "objects")) {
		return nil // the submodule is gone, and all of it with it
	}
	_, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: dir, Env: []string{"GIT_DIR=" + dir}, Args: []string{"update-ref", "--no-deref", "-d", "--end-of-options", ref},
	})
	return err
}
