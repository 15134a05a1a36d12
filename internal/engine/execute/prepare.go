package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process"
)

// prepare puts the job's slot at Base, the job's own work on top where it
// carries any, and makes it usable: copied files, submodules, setup.
func (x *Executor) prepare(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if _, err := x.cfg.Slots.Course(ctx, c.Run); err != nil {
		return run.Input{}, err
	}
	q := x.request(c, "the worktree was needed for other work")
	if c.Carry != "" {
		cfg, err := x.mergeRules(ctx, c)
		if err != nil {
			return run.Input{}, err
		}
		q.Rules = slot.Resolving{Union: cfg.Merge.Unites, Keep: cfg.Merge.Regenerates}
	}
	if c.Carry == "" { // what it carries is what it gave up
		if _, err := x.cfg.Slots.SetParkedAside(ctx, q); err != nil {
			return run.Input{}, err
		}
	}
	ready, err := x.cfg.Slots.Put(ctx, q)
	if err != nil {
		return badPlace(c, err)
	}
	if err := x.cfg.Slots.HasWorktree(ctx, ready.Job); err != nil {
		return run.Input{}, err
	}
	if err := x.keepCarried(c, ready); err != nil {
		return run.Input{}, err
	}
	if err := x.cfg.Slots.TakeConflict(c.Run, c.Job, c.Attempt, c.Feature); err != nil {
		return run.Input{}, err
	}
	if err := x.salvaged(ctx, ready.Salvage); err != nil {
		return run.Input{}, err
	}
	if err := x.keepRefs(ctx, c); err != nil {
		return run.Input{}, err
	}
	env, reason, err := x.equip(ctx, c, ready.Tree, ready.Whole)
	if err != nil {
		return run.Input{}, err
	}
	ev := c.Reply(run.OK)
	if ev.Tree, err = ready.Tree.TreeWithout(ctx, c.Base, slot.Kedges...); err != nil {
		return run.Input{}, err
	}
	ev.Commit, ev.Environment = c.Base, env
	if reason != "" {
		ev.Outcome, ev.Reason = run.CannotRun, reason
	}
	return ev, nil
}

// request is what the command asks of the slots.
func (x *Executor) request(c run.Command, reason string) slot.Request {
	name := c.Salvage
	if name == "" {
		name = key(c, string(c.Kind))
	}
	return slot.Request{
		Run: c.Run, Job: c.Job, Origin: c.Origin(), Base: c.Base, Carry: c.Carry, Name: name, Reason: reason, At: c.At,
		Saved: x.salvaged,
	}
}

// badPlace answers for a worktree that could not be put where it belongs:
// somebody moved what the run works on, or a person has to allow something.
func badPlace(c run.Command, err error) (run.Input, error) {
	o := run.Drifted
	switch kedge.KindOf(err) {
	case kedge.Conflict, kedge.NotFound:
	case kedge.Blocked:
		if c.Kind == run.Prepare || c.Kind == run.Integrate {
			o = run.CannotRun
		}
	default:
		return run.Input{}, err
	}
	ev := c.Reply(o)
	ev.Reason = why(err)
	return ev, nil
}

// salvaged journals what was set aside.
func (x *Executor) salvaged(ctx context.Context, s kedge.Salvage) error {
	if s.Ref == "" {
		return nil
	}
	return x.cfg.Ledger.Salvaged(ctx, "salvage-"+string(s.ID), s)
}

// equip makes a worktree, which holds the tree whole, usable by the rules of the
// command's base. It gives the environment in which verdicts are given there, or
// why there can be none.
func (x *Executor) equip(ctx context.Context, c run.Command, w *git.Repo, whole string) (env, reason string, err error) {
	cfg, g, err := x.cfg.Rules.At(ctx, c.Base)
	if kedge.Invalid.Is(err) {
		return "", why(err), nil
	}
	if err != nil {
		return "", "", err
	}
	inputs, reason, err := gate.Equip(ctx, gate.Equipment{
		Checkout: x.cfg.Repo.Root(), Tree: w, Whole: whole, Rules: cfg.Worktree,
		Run: func(ctx context.Context, line string) (process.Result, string, error) {
			return x.runLine(ctx, c, w, setupOf(w.Root()), line)
		},
	})
	if err != nil {
		return "", "", err
	}
	return gate.Environment(x.env(c.Run), cfg, g, inputs), reason, nil
}
