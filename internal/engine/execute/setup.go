package execute

import (
	"context"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/process"
	"kedge/internal/text/words"
)

// runLine runs a shell line in a command's worktree, under a holder, that is no check: its
// set-up, for one. Log is where its output is.
func (x *Executor) runLine(ctx context.Context, c run.Command, w *git.Repo, what, line string) (res process.Result, log string, err error) {
	dir := x.gateDir(evidenceID(c, what))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return res, "", kedge.Errorf(kedge.Internal, "cannot make the folder for the %s log of %s: %w", what, nameOf(c), err)
	}
	if err := (gate.Begun{Version: 1, Run: c.Run}).Write(dir); err != nil {
		return res, "", err
	}
	box, err := x.box(ctx, c, w.Root(), nil)
	if err != nil {
		return res, "", err
	}
	held, done := lasting(ctx)
	defer done()
	log = filepath.Join(dir, gate.SetupLog)
	res, err = x.line(held, process.Spec{Line: line, Under: box.Online().Prefix(), Dir: w.Root(), Env: x.env(c.Run), Log: log, Timeout: gate.SetupTimeout})
	if leaving(ctx, err) {
		return res, log, err
	}
	if gone := gate.Forget(context.WithoutCancel(ctx), dir); err == nil {
		err = gone
	}
	return res, log, err
}

// setupOf names the set-up of a worktree.
func setupOf(dir string) string { return "setup-" + filepath.Base(dir) }

// paths shows the first of the changed paths.
func paths(changes []git.Change, most int) string { return words.Some(git.PathsOf(changes), most) }
