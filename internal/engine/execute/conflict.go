package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// mergeRules are the settings at the commit that work is merged onto; of broken ones,
// which set-up and gate tell of, none.
func (x *Executor) mergeRules(ctx context.Context, c run.Command) (config.Config, error) {
	cfg, _, err := x.cfg.Rules.At(ctx, c.Base)
	if kedge.Invalid.Is(err) {
		return config.Config{}, nil // somebody else tells of it
	}
	return cfg, err
}

// regenerate makes the files of a merge, which may have failed, that both sides changed and a
// command can make, if that covers every conflict.
func (x *Executor) regenerate(ctx context.Context, c run.Command, clean *git.Repo, cfg config.Config, m *merging, merged error) error {
	const what = "regenerate"
	if merged != nil || len(m.Kept) == 0 || len(m.Conflicts) > 0 {
		return merged
	}
	tree, why, err := gate.Regeneration{
		Checkout: x.cfg.Repo.Root(), Tree: clean, Rules: cfg, Base: c.Base, Run: c.Run, Logs: x.gateDir(evidenceID(c, what)),
		Put: func(ctx context.Context, tree string) error { return x.putClean(ctx, c, clean, tree) },
		Line: func(ctx context.Context, line string) (process.Result, string, error) {
			return x.runLine(ctx, c, clean, what, line)
		},
	}.Make(ctx, m.Merged)
	m.Tree, m.why = tree, why
	return err
}

// conflicting answers for work that cannot be merged. What the next session has to know of
// it is kept.
func (x *Executor) conflicting(ctx context.Context, c run.Command, clean *git.Repo, m merging) (run.Input, error) {
	ev := c.Reply(run.Conflicting)
	found := slot.Conflict{Files: m.Conflicts, Kept: m.Kept}
	if ev.Failure = gate.Clip(words.Some(found.All(), 10)); m.why != "" {
		ev.Failure += "; " + m.why
		if err := x.putClean(ctx, c, clean, "HEAD"); err != nil {
			return run.Input{}, err
		}
	}
	_, err := x.keep(c, func(j *slot.Job) {
		j.Conflict = slot.Conflicting(m.Merged, slot.Conflict{Attempt: c.Attempt, From: j.Base, Onto: c.Base, Work: c.Tree, Why: redact.Text(m.why)})
	})
	return ev, err
}

// keepCarried keeps what the next session has to know of work that was put on a new base.
func (x *Executor) keepCarried(c run.Command, ready slot.Ready) error {
	if c.Carry == "" {
		return nil
	}
	_, err := x.keep(c, func(j *slot.Job) {
		why := ""
		if j.Conflict.Concerns(c.Attempt) || j.Conflict.Concerns(c.Attempt+1) {
			why = j.Conflict.Why
		}
		j.Conflict = slot.Conflicting(ready.Carried, slot.Conflict{Attempt: c.Attempt, From: j.From, Onto: c.Base, Work: c.Carry, Why: why, Carried: true})
	})
	return err
}
