package execute

import (
	"context"
	"slices"
	"strconv"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// gate runs checks in the job's slot: all of the project's on the base, before any work, with
// those of completed features where others changed it; after the work the feature's own, for the
// clean worktree runs all of them; and everything for the fix of a red baseline.
func (x *Executor) gate(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	p, err := x.place(ctx, c)
	if err != nil {
		return badPlace(c, err)
	}
	baseline := c.Tree != ""
	q := p.request()
	if !baseline {
		if err = x.demand(ctx, c, &q); err != nil {
			return run.Input{}, err
		}
	}
	if c.Scope != "full" {
		if q.Checks, q.Later = nil, nil; !baseline {
			if q.Own, err = x.ownChecks(ctx, c); err != nil {
				return run.Input{}, err
			}
		}
	}
	if len(q.Checks)+len(q.Own) == 0 {
		out, err := x.withTree(ctx, p, c.Reply(run.Empty))
		if err != nil || !baseline {
			return out, err
		}
		return x.holdBase(ctx, c, p, out)
	}
	left, err := x.evict(ctx, c, p.tree.Root())
	if err != nil {
		return run.Input{}, err
	}
	if !baseline { // a red verdict may be the last that is heard of this work
		whole := ""
		q.Repo = candidate{p.tree, p.job.Base, &whole}
		q.Look = func(ctx context.Context) ([]kedge.Finding, error) { return x.tried(ctx, c, p, whole) }
	}
	ev, err := x.judgeWith(ctx, c, p, q, left)
	if err == nil {
		err = x.clearAway(ctx, p, q, ev.Verdict)
	}
	if err == nil && !baseline {
		_, err = x.keep(c, func(j *slot.Job) { j.Green = ev.Verdict.GreenChecks() })
	}
	if leaving(ctx, err) {
		return run.Input{}, err
	}
	out, err := x.outcome(c, ev, err)
	if err != nil {
		return run.Input{}, err
	}
	if ev.Verdict.Tree == "" {
		return x.withTree(ctx, p, out)
	}
	out.Tree, err = p.tree.TreeWithout(ctx, ev.Verdict.Tree, slot.Kedges...)
	if err != nil || !baseline || out.Outcome != run.Green {
		return out, err
	}
	return x.holdBase(ctx, c, p, out)
}

// judgeWith is judge with findings that the gate itself cannot see.
func (x *Executor) judgeWith(ctx context.Context, c run.Command, p place, q gate.Request, found []kedge.Finding) (kedge.Evidence, error) {
	q.Found = found
	return x.judge(ctx, c, "gate", p.env, q)
}

// withTree says which tree an event without a verdict is about.
func (x *Executor) withTree(ctx context.Context, p place, ev run.Input) (run.Input, error) {
	tree, err := p.tree.Tree(ctx)
	if err != nil {
		return run.Input{}, err
	}
	ev.Environment = p.env
	ev.Tree, err = p.tree.TreeWithout(ctx, tree, slot.Kedges...)
	return ev, err
}

// place is a job's slot with the rules that hold there.
type place struct {
	job  slot.Job
	tree *git.Repo
	cfg  config.Config
	gate config.Gate
	env  string
}

// place finds the job's slot; Conflict or NotFound when it is not where the run
// left it.
func (x *Executor) place(ctx context.Context, c run.Command) (place, error) {
	j, err := x.job(c)
	if err != nil {
		return place{}, err
	}
	if j.Base != c.Base {
		return place{}, kedge.Errorf(kedge.Conflict, "the worktree for %s starts from commit %s, and Kedge expected commit %s", nameOf(c), words.Hash(j.Base), words.Hash(c.Base)).
			WithHint("see the worktrees and their commits: kedge worktree ls")
	}
	p := place{job: j}
	if p.tree, err = x.cfg.Slots.Open(ctx, j); err != nil {
		return p, err
	}
	if p.cfg, p.gate, err = x.cfg.Rules.At(ctx, c.Base); err != nil {
		return p, err
	}
	inputs := "none"
	if p.cfg.Worktree.Setup != "" {
		tree, err := p.tree.TreeOf(ctx, c.Base)
		if err != nil {
			return p, err
		}
		if inputs, err = gate.SetupInputs(ctx, p.tree, tree, p.cfg.Worktree); err != nil {
			return p, err
		}
	}
	p.env = gate.Environment(x.env(c.Run), p.cfg, p.gate, inputs)
	return p, nil
}

// request is a full gate in the slot by the rules of the base.
func (p place) request() gate.Request {
	return gate.Request{
		Dir: p.tree.Root(), Repo: candidate{p.tree, p.job.Base, nil}, Base: p.job.Base, Checks: p.gate.Checks, Services: p.gate.Services,
		Scope: gate.Full, Slot: strconv.Itoa(p.job.Slot),
	}.Reviewed(p.cfg)
}

// ownChecks are those of the command's feature, as its definition was when it
// was selected.
func (x *Executor) ownChecks(ctx context.Context, c run.Command) ([]kedge.Check, error) {
	if c.Feature == "" {
		return nil, nil
	}
	f, err := x.cfg.Ledger.Feature(ctx, c.Feature, c.Hash)
	if kedge.Conflict.Is(err) {
		return nil, withdrawn(ctx, err)
	}
	return f.Checks, err
}

// demand puts the feature's checks into a gate, and those of its plan that no other check
// runs already.
func (x *Executor) demand(ctx context.Context, c run.Command, q *gate.Request) error {
	own, err := x.ownChecks(ctx, c)
	if err != nil {
		return err
	}
	plans, err := x.planDemands(ctx, c, slices.Concat(q.Checks, own))
	q.Own, q.Later = slices.Concat(own, plans.Checks), plans.Later
	if err == nil {
		err = x.reviewed(ctx, c, q)
	}
	return err
}

// reviewed tells a gate what you let the command's feature change, and that you can be asked
// about the rest.
func (x *Executor) reviewed(ctx context.Context, c run.Command, q *gate.Request) (err error) {
	if q.TestsWait = c.Feature != ""; q.TestsWait {
		q.Named, q.Announced, err = x.cfg.Ledger.Allowed(ctx, c.Feature)
	}
	return err
}

func (x *Executor) planDemands(ctx context.Context, c run.Command, others []kedge.Check) (plan.Demands, error) {
	if c.Feature == "" {
		return plan.Demands{}, nil
	}
	f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
	if err != nil {
		return plan.Demands{}, err
	}
	return x.cfg.Ledger.PlanDemands(ctx, f.Definition, others)
}

// withdrawn waits for the end of a command whose definition is not the ledger's
// any more: the run is about to be told so, and takes the command back then.
func withdrawn(ctx context.Context, why error) error {
	never := time.NewTimer(time.Minute)
	defer never.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-never.C:
		return why
	}
}
