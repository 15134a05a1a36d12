package execute

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/insight/condense"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/environ"
	"kedge/internal/text/glob"
)

// setupTimeout is how long a setup may take: it may fetch a lot.
const setupTimeout = time.Hour

// lockFiles are the inputs of a setup that names none: what installers read.
var lockFiles = []string{
	"package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "requirements*.txt", "pyproject.toml", "poetry.lock",
	"uv.lock", "setup.py", "setup.cfg", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock", "Gemfile.lock", "composer.lock",
}

// setUp runs the project's setup in a worktree that is fresh, or whose inputs
// changed since it last ran there. It gives the hash of what setup depends on,
// or why the worktree cannot be used.
func (x *Executor) setUp(ctx context.Context, c run.Command, w *git.Repo, cfg config.Worktree) (inputs, reason string, err error) {
	if cfg.Setup == "" {
		return "none", "", nil
	}
	tree, err := w.Tree(ctx)
	if err != nil {
		return "", "", err
	}
	if inputs, err = setupInputs(ctx, w, tree, cfg); err != nil {
		return "", "", err
	}
	mark := filepath.Join(w.GitDir(), "kedge-setup")
	if b, _ := os.ReadFile(mark); strings.TrimSpace(string(b)) == inputs { // unreadable: it runs again
		return inputs, "", nil
	}
	if reason, err = x.runSetup(ctx, c, w, cfg.Setup); err != nil || reason != "" {
		return inputs, reason, err
	}
	after, err := w.Tree(ctx)
	if err != nil {
		return inputs, "", err
	}
	if reason, err = changedBy(ctx, w, tree, after); err != nil || reason != "" {
		return inputs, reason, err
	}
	return inputs, "", atomicfile.Write(mark, []byte(inputs+"\n"), 0o600)
}

// changedBy says which files the setup changed: they would pass for work.
func changedBy(ctx context.Context, w *git.Repo, before, after string) (string, error) {
	changes, err := w.Diff(ctx, before, after)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	return fmt.Sprintf("the setup changes files that git does not ignore: %s (next: put them into .gitignore, or correct [worktree] setup in .kedge/config.toml)",
		paths(changes, 5)), nil
}

// setupInputs is the hash of the setup and of the files that it reads.
func setupInputs(ctx context.Context, w *git.Repo, tree string, cfg config.Worktree) (string, error) {
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
	return shortHash(h), nil
}

func feed(h hash.Hash, parts ...string) {
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00")) // never fails
	}
}

func shortHash(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }

// runSetup runs the line under a holder; the reason is its first failure.
func (x *Executor) runSetup(ctx context.Context, c run.Command, w *git.Repo, line string) (reason string, err error) {
	dir := x.gateDir(evidenceID(c, "setup-"+filepath.Base(w.Root())))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot make a folder for logs: %w", err)
	}
	if err := (gate.Begun{Version: 1, Run: c.Run}).Write(dir); err != nil {
		return "", err
	}
	box, err := x.box(ctx, c, w.Root(), nil)
	if err != nil {
		return "", err
	}
	held, done := lasting(ctx)
	defer done()
	log := filepath.Join(dir, "setup.log")
	res, err := x.line(held, process.Spec{Line: line, Under: box.Online().Prefix(), Dir: w.Root(), Env: x.env(c.Run), Log: log, Timeout: setupTimeout})
	if leaving(ctx, err) {
		return "", err
	}
	if gone := gate.Forget(context.WithoutCancel(ctx), dir); err == nil {
		err = gone
	}
	if err != nil || res.End == process.Exited && res.Exit == 0 {
		return "", err
	}
	return fmt.Sprintf("the setup %q failed: %s (log: %s)", line, setupFailure(line, log, res), log), nil
}

func setupFailure(line, log string, res process.Result) string {
	if res.End == process.TimedOut {
		return "it took longer than " + setupTimeout.String()
	}
	text, err := os.ReadFile(log)
	if f, ok := condense.First(line, string(text)); err == nil && ok {
		return gate.Render(f)
	}
	return fmt.Sprintf("exit %d", res.Exit)
}

// environment names what a verdict depends on beside the tree, without any
// value: the system, where programs are looked for, the setup, the rules.
func environment(env []string, cfg config.Config, g config.Gate, inputs string) string {
	decides := []any{g.Checks, g.Services, cfg.Protect.Paths}
	if cfg.Sandbox.Asked() {
		decides = append(decides, cfg.Sandbox)
	}
	rules, _ := json.Marshal(decides) // plain values: never fails
	h, p := sha256.New(), sha256.New()
	feed(h, string(rules))
	feed(p, environ.Get(env, "PATH"))
	return fmt.Sprintf("%s/%s path:%s setup:%s rules:%s", runtime.GOOS, runtime.GOARCH, shortHash(p)[:8], inputs, shortHash(h)[:8])
}

// paths shows the first of the changed paths.
func paths(changes []git.Change, most int) string {
	var list []string
	for _, c := range changes {
		list = append(list, c.Path)
	}
	return shown(list, most)
}

func shown(list []string, most int) string {
	text := strings.Join(list[:min(most, len(list))], ", ")
	if n := len(list) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
