package execute

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/engine/strays"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/plain"
)

// inspect looks at what the session changed: what nobody may change, what the
// plan does not name, and what it tried besides. Everything is written down
// before anything is committed.
func (x *Executor) inspect(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	p, err := x.place(ctx, c)
	if err != nil {
		return badPlace(c, err)
	}
	in, err := x.look(ctx, c, p)
	if err != nil {
		return badPlace(c, err)
	}
	ev := c.Reply(run.Outcome(in.Outcome))
	ev.Reason, ev.Tree = in.Reason, in.Tree
	if slices.ContainsFunc(in.Files, func(f kedge.FileChange) bool {
		return f.Status != "A" && detect.SideOf(f.Path, p.cfg.Gate.Tests) == detect.Tests
	}) {
		ev.Altered = "it touches existing tests"
	}
	fact, err := kedge.NewEvent(kedge.WorkInspected, kedge.ActorDaemon, in)
	if err != nil {
		return run.Input{}, err
	}
	return ev, x.cfg.Ledger.Session(ctx, key(c, "inspect"), fact)
}

func (x *Executor) look(ctx context.Context, c run.Command, p place) (kedge.Inspection, error) {
	in := kedge.Inspection{
		ID: key(c, "inspect"), Run: c.Run, Feature: c.Feature, Session: p.job.Session, Attempt: c.Attempt, At: c.At, Base: c.Base,
		Tree: c.Tree, Files: []kedge.FileChange{}, Findings: []kedge.Finding{},
	}
	tried, err := x.tried(ctx, c, p, "")
	if err != nil {
		return in, err
	}
	in.Findings = append(in.Findings, tried...)
	if c.Purpose == run.MakePlan {
		return x.lookAtPlanning(ctx, c, p, in)
	}
	whole, err := p.tree.TreeWith(ctx, c.Tree, c.Base, slot.Kedges...)
	if err != nil {
		return in, err
	}
	changes, err := p.tree.Diff(ctx, c.Base, whole)
	if err != nil {
		return in, err
	}
	in.Files = strays.Stat(changes)
	q := gate.Request{Repo: p.tree, Base: c.Base}.Reviewed(p.cfg)
	if err = x.reviewed(ctx, c, &q); err != nil {
		return in, err
	}
	found, err := gate.Inspect(ctx, q, whole)
	if err != nil {
		return in, err
	}
	in.Findings = append(in.Findings, found...)
	outside, err := x.outside(ctx, c, changes)
	if err != nil {
		return in, err
	}
	words := ""
	files := slices.DeleteFunc(slices.Clone(found), func(f kedge.Finding) bool { return f.Test }) // the corners say more about those
	if in.Brings, words, err = x.cfg.Approvals.Brings(ctx, c, whole, files); err != nil {
		return in, err
	}
	if in.Outcome, in.Reason = string(run.Empty), ""; len(changes) == 0 {
		in.Reason, err = strays.OnlyInside(ctx, p.tree)
		return in, err
	}
	o, why := outside.Conclude(forbidden(found), words)
	in.Outcome, in.Reason = string(o), why
	return in, nil
}

// forbidden says what nobody may change.
func forbidden(found []kedge.Finding) string {
	var out []string
	for _, f := range found {
		if f.Level == kedge.LevelError {
			out = append(out, gate.FindingText(f))
		}
	}
	return gate.Clip(strings.Join(out, "\n"))
}

// lookAtPlanning: a session that plans changes nothing at all.
func (x *Executor) lookAtPlanning(ctx context.Context, c run.Command, p place, in kedge.Inspection) (kedge.Inspection, error) {
	now, err := p.tree.Tree(ctx)
	if err != nil {
		return in, err
	}
	changes, err := p.tree.Diff(ctx, c.Base, now)
	if err != nil {
		return in, err
	}
	in.Files, in.Outcome = strays.Stat(changes), string(run.Empty)
	if len(changes) > 0 {
		in.Outcome, in.Reason = string(run.Outside), paths(changes, 20)
	}
	return in, nil
}

// outside are the changed paths that the command's feature, or the plan at its base, does not name.
func (x *Executor) outside(ctx context.Context, c run.Command, changes []git.Change) (strays.Beyond, error) {
	if c.Feature == "" {
		return strays.Beyond{}, nil
	}
	f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
	if err != nil {
		return strays.Beyond{}, err
	}
	return strays.Outside(ctx, x.cfg.Repo, c.Base, f.Definition, changes)
}

// tried is what the session did that is no part of the work: edits of what is
// Kedge's, commits, refs that moved, what is in submodules. Whole is the tree of everything in the slot;
// empty: as it stands.
func (x *Executor) tried(ctx context.Context, c run.Command, p place, whole string) ([]kedge.Finding, error) {
	if whole == "" {
		var err error
		if whole, err = p.tree.Tree(ctx); err != nil {
			return nil, err
		}
	}
	changes, err := p.tree.Diff(ctx, c.Base, whole)
	if err != nil {
		return nil, err
	}
	var out []kedge.Finding
	for _, ch := range changes {
		if kedge.IsOwnPath(ch.Path) {
			out = append(out, kedge.Finding{
				Level: kedge.LevelWarning, What: "tried to edit " + ch.Path, Where: ch.Path,
				Fix: "nothing to do: it is not part of the work",
			})
		}
	}
	link, err := x.astray(c)
	if err != nil {
		return nil, err
	}
	moved, err := x.movedRefs(ctx, c, p)
	if err != nil {
		return nil, err
	}
	inside, err := strays.Inside(ctx, p.tree)
	return slices.Concat(out, link, moved, inside), err
}

// astray says what stood in the place of the link from the job's worktree to the
// repository: whoever put it there could have had git look elsewhere.
func (x *Executor) astray(c run.Command) ([]kedge.Finding, error) {
	j, err := x.job(c)
	if err != nil || j.Mended == "" {
		return nil, err
	}
	return []kedge.Finding{{
		Level: kedge.LevelWarning, What: "replaced the worktree's link to its repository with: " + plain.Line(j.Mended), Where: ".git",
		Fix: "nothing to do: Kedge restored it before any use",
	}}, nil
}

// movedRefs says which refs are not where they were when the slot was prepared.
func (x *Executor) movedRefs(ctx context.Context, c run.Command, p place) ([]kedge.Finding, error) {
	before, err := x.cfg.Slots.Refs(c.Run, c.Job)
	if err != nil {
		return nil, err
	}
	landings, err := x.cfg.Slots.Landings()
	if err != nil {
		return nil, err
	}
	return strays.Moved(ctx, strays.Refs{Repo: x.cfg.Repo, Tree: p.tree, Base: c.Base, Before: before, Landings: landings, Session: p.job.Session})
}

// keepRefs writes down where the refs are before a session starts.
func (x *Executor) keepRefs(ctx context.Context, c run.Command) error {
	refs, err := strays.Watched(ctx, x.cfg.Repo)
	if err != nil {
		return err
	}
	return x.cfg.Slots.KeepRefs(c.Run, c.Job, refs)
}
