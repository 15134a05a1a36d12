package sandbox

import (
	"os"
	"path/filepath"
	"strings"
)

// GitDir is the git dir of a worktree of the repository whose shared git dir is
// common; empty when it has none there. The repository is asked, not the work
// tree: what stands in that, an agent may have written.
func GitDir(common, dir string) string {
	dir, common = resolved(dir), resolved(common)
	if filepath.Join(dir, ".git") == common {
		return common
	}
	found, _ := filepath.Glob(filepath.Join(common, "worktrees", "*", "gitdir")) // the pattern is well formed
	for _, f := range found {
		b, err := os.ReadFile(f)
		if err == nil && resolved(filepath.Dir(strings.TrimSpace(string(b)))) == dir {
			return filepath.Dir(f)
		}
	}
	return ""
}
