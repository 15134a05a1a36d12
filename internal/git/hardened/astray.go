package hardened

import (
	"os"
	"path/filepath"
	"strings"

	"kedge"
)

// commonFile names, in the git dir of a linked worktree, the one that it shares with
// the others: its settings, hooks and objects.
const commonFile = "commondir"

// astray refuses a git dir that would lead git elsewhere: a shared one that has a
// commonFile, or a linked worktree's that names another than when it was opened. A
// sandbox cannot keep a file from being made without making one, and whoever writes
// there could give git settings, and with them programs, of his own.
func (g *Git) astray(dir string) error {
	gitDir, linked := g.gitDir, g.gitDir != g.common
	if gitDir == "" {
		dot, named := namedDir(dir)
		if named != "" {
			return astrayNamed(named)
		}
		if gitDir = dot; gitDir == "" {
			return nil // there is none: git says so
		}
	}
	file := filepath.Join(gitDir, commonFile)
	text, err := os.ReadFile(file)
	if linked {
		if named := strings.TrimRight(string(text), "\r\n"); os.IsNotExist(err) || err == nil && sameFolder(absoluteIn(gitDir, named), g.common) {
			return nil // without it git finds nothing at all
		}
		return kedge.Errorf(kedge.Blocked, "something changed the file %q: it must name %q, the repository of this worktree", file, g.common).
			WithHint("let git repair it: git -C %s worktree repair", Quote(g.common))
	}
	if _, err := os.Lstat(file); err != nil {
		return nil //nolint:nilerr // there is none
	}
	return kedge.Errorf(kedge.Blocked, "something made the file %q: because of this file, git reads the settings of another repository", file).
		WithHint("look at the file, then: rm %s", Quote(file))
}

// astrayNamed is the same of a git dir that a file names, before anything is known of
// it: that of a linked worktree lies two folders deep in the shared one and names no
// other; any other names none.
func astrayNamed(gitDir string) error {
	file := filepath.Join(gitDir, commonFile)
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil // of a submodule, or one apart; without it git finds nothing of a worktree
	}
	common := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(common) {
		common = gitDir + "/" + common // uncleaned, as git does it
	}
	if err == nil && filepath.Base(filepath.Dir(gitDir)) == "worktrees" && sameFolder(common, gitDir+"/../..") {
		return nil
	}
	return kedge.Errorf(kedge.Blocked, "something changed the file %q: because of this file, git reads the settings of another repository", file).
		WithHint("look at the file, then: echo ../.. >%s", Quote(file))
}

// namedDir is the git dir of the worktree that a folder lies in: dot where that is a
// folder of its own, named where a file names it; neither where there is none.
func namedDir(dir string) (dot, named string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		dot := filepath.Join(d, ".git")
		if fi, err := os.Stat(dot); err == nil {
			if fi.IsDir() {
				return dot, ""
			}
			text, _ := os.ReadFile(dot) // git says what is wrong with it
			if name, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: "); ok {
				return "", absoluteIn(d, name)
			}
			return "", ""
		}
		if d == filepath.Dir(d) {
			return "", ""
		}
	}
}

func absoluteIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// sameFolder tells whether two paths are those of one folder.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
