package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/insight/failure"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// SetupTimeout is how long a set-up may take: it may fetch a lot.
const SetupTimeout = time.Hour

// SetupLog is the name of the log of a set-up, in its folder of logs.
const SetupLog = "setup.log"

// lockFiles are the inputs of a setup that names none: what installers read.
var lockFiles = []string{
	"package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "requirements*.txt", "pyproject.toml", "poetry.lock",
	"uv.lock", "setup.py", "setup.cfg", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "Gemfile.lock", "composer.lock",
}

// Equipment is what a worktree needs besides the files of its commit.
type Equipment struct {
	Checkout string    // the folder whose ignored files are copied
	Tree     *git.Repo // the worktree
	Whole    string    // the tree or commit that it holds
	Rules    config.Worktree
	// Run runs the set-up in the worktree. Log is where its output is.
	Run func(ctx context.Context, line string) (res process.Result, log string, err error)
}

// Equip makes a worktree usable: copied files, submodules, set-up. It gives the hash of
// what the set-up depends on, or why the worktree cannot be used.
func Equip(ctx context.Context, e Equipment) (inputs, reason string, err error) {
	if reason, err = slot.CopyFiles(ctx, e.Checkout, e.Tree, e.Rules.Copy); err != nil || reason != "" {
		return "", reason, err
	}
	if e.Rules.Submodules {
		err = e.Tree.FillSubmodules(ctx, e.Whole)
		if kedge.Blocked.Is(err) {
			return "", Why(err), nil
		}
		if err != nil {
			return "", "", err
		}
	}
	return e.setUp(ctx)
}

// Why is an error in one line, with what to do next.
func Why(err error) string {
	if hint := kedge.HintOf(err); hint != "" {
		return err.Error() + " (next: " + hint + ")"
	}
	return err.Error()
}

// setUp runs the project's set-up in a worktree that is fresh, or whose inputs changed
// since it last ran there.
func (e Equipment) setUp(ctx context.Context) (inputs, reason string, err error) {
	if e.Rules.Setup == "" {
		return "none", "", nil
	}
	tree, err := e.Tree.Tree(ctx)
	if err != nil {
		return "", "", err
	}
	if inputs, err = SetupInputs(ctx, e.Tree, tree, e.Rules); err != nil {
		return "", "", err
	}
	mark := filepath.Join(e.Tree.GitDir(), "kedge-setup")
	if b, _ := os.ReadFile(mark); strings.TrimSpace(string(b)) == inputs { // unreadable: it runs again
		return inputs, "", nil
	}
	res, log, err := e.Run(ctx, e.Rules.Setup)
	if err != nil {
		return inputs, "", err
	}
	if reason := lineFailure("setup", e.Rules.Setup, log, res); reason != "" {
		return inputs, reason, nil
	}
	if reason, err = e.changed(ctx, tree); err != nil || reason != "" {
		return inputs, reason, err
	}
	return inputs, "", atomicfile.Write(mark, []byte(inputs+"\n"), 0o600)
}

// changed says which files the set-up changed: they would pass for work.
func (e Equipment) changed(ctx context.Context, before string) (string, error) {
	after, err := e.Tree.Tree(ctx)
	if err != nil {
		return "", err
	}
	changes, err := e.Tree.Diff(ctx, before, after)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	return fmt.Sprintf("the setup changes files that git does not ignore: %s (next: put these files into .gitignore, or correct [worktree] setup in .kedge/config.toml)",
		words.Some(git.PathsOf(changes), 5)), nil
}

// SetupInputs is the hash of the set-up and of the files in a tree that it reads.
func SetupInputs(ctx context.Context, w *git.Repo, tree string, cfg config.Worktree) (string, error) {
	files, err := w.List(ctx, tree, "")
	if err != nil {
		return "", err
	}
	patterns := cfg.Inputs
	if len(patterns) == 0 {
		patterns = lockFiles
	}
	h := sha256.New()
	feed(h, cfg.Setup)
	for _, f := range files {
		if slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, f.Path) }) {
			feed(h, f.Path, f.Mode, f.SHA)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

func feed(h hash.Hash, parts ...string) {
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00")) // never fails
	}
}

// lineFailure says how a line that is no check failed; empty when it did not.
func lineFailure(what, line, log string, res process.Result) string {
	why := fmt.Sprintf("exit %d", res.Exit)
	switch {
	case res.End == process.Exited && res.Exit == 0:
		return ""
	case res.End == process.TimedOut:
		why = "it took longer than " + SetupTimeout.String()
	default:
		text, err := os.ReadFile(log)
		if f, ok := failure.First(line, string(text)); err == nil && ok {
			why = Render(f)
		}
	}
	return fmt.Sprintf("the %s %q failed: %s (log: %s)", what, line, why, log)
}
