package execute

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
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
		return refused(c, kedge.Errorf(kedge.Blocked, "the run did not start on a branch, so there is no branch to land on").
			WithStep(kedge.Step("git", "switch", "-c", "NAME").AndThen(kedge.Step("git", "merge", "--ff-only", slot.Branch(c.Run))))), nil
	}
	ev := c.Reply(run.OK)
	ev.Commit, ev.Text = c.Commit, course.Lands
	at, err := x.cfg.Repo.Resolve(ctx, "refs/heads/"+course.Lands)
	switch {
	case kedge.NotFound.Is(err):
		return refused(c, kedge.Errorf(kedge.NotFound, "there is no branch %q", course.Lands).
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
	looks := []func(context.Context, run.Command, string) (run.Input, error){x.unaccepted, x.regressed}
	if m.Way != slot.Behind {
		looks = append(looks, x.sneaked(m))
	}
	for _, look := range looks {
		if no, err := look(ctx, c, at); err != nil || no.Kind != "" {
			return no, err
		}
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
	return ifMoved(c, ev, x.cfg.Repo.Forward(ctx, move))
}

// ifMoved is the answer ev unless the branch could not be moved: then it says why.
func ifMoved(c run.Command, ev run.Input, err error) (run.Input, error) {
	if kedge.Conflict.Is(err) || kedge.Blocked.Is(err) || kedge.NotFound.Is(err) {
		return refused(c, err), nil
	}
	return ev, err
}

// sneaked refuses a branch with commits that an agent may have put there, with what takes
// them back.
func (x *Executor) sneaked(m slot.Meeting) func(context.Context, run.Command, string) (run.Input, error) {
	return func(ctx context.Context, c run.Command, at string) (run.Input, error) {
		if x.cfg.Sneaked == nil {
			return run.Input{}, nil
		}
		by, is, err := x.cfg.Sneaked(ctx, "refs/heads/"+m.Branch, at)
		if err != nil || !is {
			return run.Input{}, err
		}
		return refusal(c, m.Got()+fmt.Sprintf("; %s came while %s worked, and that session's worktree has it too; no check ran on it", by.To, by.Session),
			append([]kedge.NextStep{by.Undo().AndThen(slot.LandAgain())}, m.ByHand()...)...), nil
	}
}

// unaccepted is the last look before the user's branch moves: an answer that refuses
// it where work would land that nobody accepted, whatever the run takes it for.
func (x *Executor) unaccepted(ctx context.Context, c run.Command, at string) (run.Input, error) {
	ids, err := x.cfg.Approvals.Unaccepted(ctx, c.Commit, at)
	if err != nil || len(ids) == 0 {
		return run.Input{}, err
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return refusal(c, "you have not accepted the work on "+strings.Join(names, ", ")+"; kedge land shows what to look at"), nil
}

// regressed refuses to land where the ledger knows features that were done and are red
// again, unless you asked for just that. The run may not have heard of them.
func (x *Executor) regressed(ctx context.Context, c run.Command, _ string) (run.Input, error) {
	if c.Scope == run.Breaking {
		return run.Input{}, nil
	}
	all, err := x.cfg.Ledger.Features(ctx)
	var ids []kedge.FeatureID
	for _, f := range all {
		if f.Status == kedge.Regressed {
			ids = append(ids, f.ID)
		}
	}
	if err != nil || len(ids) == 0 {
		return run.Input{}, err
	}
	return refusal(c, "red again, though done before: "+strings.Join(plan.Quoted(ids), ", "),
		kedge.Step("kedge", "run").For("repair it first"), kedge.Step("kedge", "land", "--regressed").For("land it as it is")), nil
}

// refused answers why not. What is not in the way of a person who asks needs
// nothing done about it.
func refused(c run.Command, err error) run.Input {
	switch step, ok := kedge.StepOf(err); {
	case ok:
		return refusal(c, err.Error(), step)
	case c.Actor == "" && kedge.HintOf(err) == "":
		return refusal(c, err.Error()+"; to land anyway and keep them as they are: kedge land")
	default:
		return refusal(c, why(err))
	}
}

// refusal answers that the branch stays where it is.
func refusal(c run.Command, reason string, next ...kedge.NextStep) run.Input {
	ev := c.Reply(run.Refused)
	ev.Reason, ev.Next = reason, next
	return ev
}

// projected tells whether a file of the user's checkout is as Kedge wrote it.
func (x *Executor) projected(ctx context.Context, path string) bool {
	return x.cfg.Projected != nil && kedge.IsOwnPath(path) && x.cfg.Projected(ctx, path)
}
