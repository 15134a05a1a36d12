package history

import (
	"context"

	"kedge"
	"kedge/internal/git/hardened"
)

// Patch is the difference between two commits or trees as a unified diff. Neither
// attributes nor configuration have a say in it, and no program of the repository runs.
func (r *Repo) Patch(ctx context.Context, from, to string) ([]byte, error) {
	trees := []string{from, to}
	for i, rev := range trees {
		tree, err := r.TreeOf(ctx, rev)
		if kedge.NotFound.Is(err) {
			return nil, kedge.Errorf(kedge.NotFound, "this repository has no commit %q, or no longer has it", rev).WithHint("see its commits: git log --oneline --all")
		}
		if err != nil {
			return nil, err
		}
		trees[i] = tree
	}
	if trees[0] == trees[1] {
		return nil, nil
	}
	out, err := r.g.OnObjects(ctx, "diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
		"--no-relative", "--ignore-submodules=none", "-O/dev/null", "--end-of-options", trees[0], trees[1])
	if hardened.ExitCode(err) == 128 {
		return nil, kedge.Errorf(kedge.NotFound, "this repository lacks commit %q or %q: %w", from, to, err)
	}
	return out, err
}
