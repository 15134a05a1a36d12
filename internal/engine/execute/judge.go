package execute

import (
	"context"
	"errors"
	"path/filepath"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// candidate is a job's worktree as the gate sees it: with what is Kedge's as at
// the base, since no change of that is part of the work.
type candidate struct {
	*git.Repo
	base string
	seen *string // the whole tree as it was found last; nil: nobody asks
}

// Tree is the tree that would be committed on the base.
func (w candidate) Tree(ctx context.Context) (string, error) {
	tree, err := w.Repo.Tree(ctx)
	if err != nil {
		return "", err
	}
	if w.seen != nil {
		*w.seen = tree
	}
	return w.TreeWith(ctx, tree, w.base, slot.Kedges...)
}

// judge runs one gate of the command and keeps its verdict. Carried out again it
// finishes the gate that was begun, or finds its verdict.
func (x *Executor) judge(ctx context.Context, c run.Command, what, env string, q gate.Request) (kedge.Evidence, error) {
	ev, err := x.weigh(ctx, c, what, env, q)
	if err != nil {
		return ev, err
	}
	return ev, x.cfg.Ledger.KeepEvidence(ctx, key(c, what), ev)
}

// weigh is judge for a verdict of which it is not known yet whether it counts.
func (x *Executor) weigh(ctx context.Context, c run.Command, what, env string, q gate.Request) (kedge.Evidence, error) {
	ev := kedge.Evidence{ID: evidenceID(c, what), Feature: c.Feature, At: c.At, By: kedge.ActorDaemon, Environment: env, For: stage(c)}
	dir := x.gateDir(ev.ID)
	again := x.reuse(ctx, c, q.Slot, env, ev.ID)
	q.Known, q.Learn = again.Known, again.Learn
	v, err := x.verdict(ctx, c, dir, q)
	if err != nil {
		return ev, err
	}
	again.Keep()
	ev.Verdict = v
	return ev, nil
}

func (x *Executor) verdict(ctx context.Context, c run.Command, dir string, q gate.Request) (kedge.Verdict, error) {
	was, err := gate.ReadBegun(dir)
	if err != nil || was.Verdict != nil {
		return was.Given(), errors.Join(err, x.forget(ctx, dir))
	}
	if q.Slot == cleanSlot { // who uses it next has to know what was left running there
		if err := x.cfg.Slots.NoteTrial(c.Run, dir); err != nil {
			return kedge.Verdict{}, err
		}
	}
	q.LockDir = filepath.Join(x.cfg.Home, "projects", string(x.cfg.Project), "locks")
	q.Env, q.Now, q.Runner, q.Expect = x.env(c.Run), x.cfg.Now, x.cfg.Runner, was.Tree
	if q.Box, err = x.box(ctx, c, q.Dir, nil); err != nil {
		return kedge.Verdict{}, err
	}
	q.Begin = func(tree string) error {
		was.Run, was.Tree = c.Run, tree
		return was.Write(dir)
	}
	v, err := x.takeTurn(ctx, c, dir, q, was)
	if leaving(ctx, err) {
		return v, err
	}
	if err == nil {
		was.Verdict = &v
		err = was.Write(dir)
	}
	return v, errors.Join(err, x.forget(ctx, dir))
}

// forget lets the holders of a gate go that is over.
func (x *Executor) forget(ctx context.Context, dir string) error {
	return gate.Forget(context.WithoutCancel(ctx), dir)
}

// outcome is a verdict, or why there is none, as the run understands it.
func (x *Executor) outcome(c run.Command, ev kedge.Evidence, err error) (run.Input, error) {
	out := c.Reply(run.Green)
	out.Environment = ev.Environment
	switch {
	case kedge.Conflict.Is(err):
		out.Outcome, out.Reason = run.Void, why(err)
		return out, nil
	case kedge.Blocked.Is(err):
		out.Outcome, out.Reason = run.CannotRun, why(err)
		return out, nil
	case err != nil:
		return run.Input{}, err
	}
	out.Evidence = ev.ID
	// After the work of an agent only a program that is looked for on the path counts: a script
	// that is gone is the agent's doing.
	missing := gate.MissingTool(ev.Verdict, x.env(c.Run), c.Kind == run.Gate && c.Tree != "")
	switch {
	case missing != "":
		out.Outcome, out.Reason = run.CannotRun, missing
	case !ev.Verdict.Green():
		out.Outcome, out.Failure = run.Red, gate.FirstFailure(ev.Verdict)
	case ev.Verdict.Partial:
		out.Outcome = run.Partial
	case gate.Nothing(ev.Verdict):
		out.Outcome, out.Evidence = run.Empty, ""
	}
	return out, nil
}

// stage is where on a feature's way the command judges.
func stage(c run.Command) kedge.GateStage {
	switch {
	case c.Kind == run.Prove:
		return kedge.StageProve
	case c.Kind == run.Recheck:
		return kedge.StageRecheck
	case c.Kind == run.Integrate:
		return kedge.StageIntegrate
	case c.Tree != "": // the base's own
		return kedge.StageBaseline
	default:
		return kedge.StageGate
	}
}
