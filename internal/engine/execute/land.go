package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// land moves the user's branch to what was verified, if nothing of the user's is
// in the way; else it refuses and says what to do. People may have brought the work
// in themselves: what their branch has needs no landing. Text is the branch; Commit
// is where it stands when it has the work in commits of its own.
func (x *Executor) land(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	course, err := x.cfg.Slots.Course(ctx, c.Run)
	if err != nil {
		return run.Input{}, err
	}
	if course.Lands == "" {
		return engine.Refused(c, kedge.Errorf(kedge.Blocked, "the run did not start on a branch, so Kedge does not know where to move the work").
			WithStep(kedge.Step("git", "switch", "-c", "NAME").AndThen(kedge.Step("git", "merge", "--ff-only", slot.Branch(c.Run))))), nil
	}
	ev := c.Reply(run.OK)
	ev.Commit, ev.Text = c.Commit, course.Lands
	at, err := x.cfg.Repo.Resolve(ctx, "refs/heads/"+course.Lands)
	switch {
	case kedge.NotFound.Is(err):
		return engine.Refused(c, kedge.Errorf(kedge.NotFound, "Kedge cannot move the work to branch %q, because there is no such branch any more", course.Lands).
			WithStep(kedge.Step("git", "branch", course.Lands, words.Hash(c.Commit)).AndThen(slot.LandAgain()))), nil
	case err != nil:
		return run.Input{}, err
	}
	m, err := slot.Meet(ctx, x.cfg.Repo, slot.Meeting{Run: c.Run, Work: c.Commit, Branch: course.Lands, At: at}, c.At)
	if err != nil {
		return run.Input{}, err
	}
	if m.Has && c.Actor != "" { // by itself nothing is taken for that: nobody says that it was a person
		ev.Commit = at
		return ev, nil
	}
	looks := engine.Looks{Approvals: x.cfg.Approvals, Ledger: x.cfg.Ledger, Sneaked: x.cfg.Sneaked}
	if no, err := looks.Refuse(ctx, c, m); err != nil || no.Kind != "" {
		return no, err
	}
	again := slot.LandAgain()
	move := git.ForwardRequest{
		Again: &again, Branch: course.Lands, To: c.Commit, Unchanged: c.Actor == "",
		Ours: func(path string) bool { return x.projected(ctx, path) },
	}
	if m.Way != slot.Behind {
		no, err := x.mergeIn(ctx, c, m, &move)
		if err != nil || no.Kind != "" {
			return no, err
		}
		ev.Commit, ev.Reason = move.To, "the work merged with "+words.Count(m.Own, "new commit")+" of yours, all checks green"
	}
	if err := x.cfg.Slots.KeepLanding(c.Run, slot.Landing{Ref: "refs/heads/" + course.Lands, From: at, To: move.To}); err != nil {
		return run.Input{}, err
	}
	return engine.IfMoved(c, ev, x.cfg.Repo.Forward(ctx, move))
}

// projected tells whether a file of the user's checkout is as Kedge wrote it.
func (x *Executor) projected(ctx context.Context, path string) bool {
	return x.cfg.Projected != nil && kedge.IsOwnPath(path) && x.cfg.Projected(ctx, path)
}
