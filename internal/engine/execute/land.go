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
			WithStep(kedge.Step("git", "branch", course.Lands, words.Hash(c.Commit)))), nil
	case err != nil:
		return run.Input{}, err
	}
	way, err := slot.WayOf(ctx, x.cfg.Repo, slot.Meeting{Work: c.Commit, At: at, Content: c.Actor != "", Date: c.At})
	switch {
	case err != nil:
		return run.Input{}, err
	case way == slot.HasContent:
		ev.Commit = at
		return ev, nil
	case way == slot.Diverged:
		return x.refuseMoved(ctx, c, course.Lands, at)
	}
	for _, look := range []func(context.Context, run.Command, string) (run.Input, error){x.unaccepted, x.regressed} {
		if no, err := look(ctx, c, at); err != nil || no.Kind != "" {
			return no, err
		}
	}
	move := slot.Landing{Ref: "refs/heads/" + course.Lands, From: at, To: c.Commit}
	if err := x.cfg.Slots.KeepLanding(c.Run, move); err != nil {
		return run.Input{}, err
	}
	again := kedge.Step("kedge", "land")
	err = x.cfg.Repo.Forward(ctx, git.ForwardRequest{
		Again:  &again,
		Branch: course.Lands, To: c.Commit, Ours: func(path string) bool { return x.projected(ctx, path) }, Unchanged: c.Actor == "",
	})
	if kedge.Conflict.Is(err) || kedge.Blocked.Is(err) || kedge.NotFound.Is(err) {
		return refused(c, err), nil
	}
	return ev, err
}

// refuseMoved answers that the branch has commits of its own. Where an agent may have
// put them there, that comes first, with what takes them back.
func (x *Executor) refuseMoved(ctx context.Context, c run.Command, branch, at string) (run.Input, error) {
	own, err := x.cfg.Repo.Since(ctx, c.Commit, at)
	if err != nil {
		return run.Input{}, err
	}
	ev := c.Reply(run.Refused)
	ev.Reason = fmt.Sprintf("%s got %s since the run began", branch, words.Count(len(own), "new commit"))
	if x.cfg.Sneaked != nil {
		m, is, err := x.cfg.Sneaked(ctx, "refs/heads/"+branch, at)
		if err != nil {
			return run.Input{}, err
		}
		if is {
			ev.Reason = fmt.Sprintf("%s got %s since the run began; %s came while %s worked, and that session's worktree has it too; no check ran on it",
				branch, words.Count(len(own), "commit"), m.To, m.Session)
			ev.Next = append(ev.Next, m.Undo().AndThen(kedge.Step("kedge", "land")))
		}
	}
	merge := kedge.Step("git", "merge", slot.Branch(c.Run)).For("merge the work of the run into your branch")
	have := kedge.Step("git", "merge", "-s", "ours", slot.Branch(c.Run)).For("or, if your branch already has what you want of that work, record that in git")
	ev.Next = append(ev.Next, x.onBranch(ctx, branch, merge), x.onBranch(ctx, branch, have))
	return ev, nil
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
	ev := c.Reply(run.Refused)
	ev.Reason = "you have not accepted the work on " + strings.Join(names, ", ") + "; kedge land shows what to look at"
	return ev, nil
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
	ev := c.Reply(run.Refused)
	ev.Reason = "red again, though done before: " + strings.Join(plan.Quoted(ids), ", ")
	ev.Next = []kedge.NextStep{kedge.Step("kedge", "run").For("repair it first"), kedge.Step("kedge", "land", "--regressed").For("land it as it is")}
	return ev, nil
}

// refused answers why not. What is not in the way of a person who asks needs
// nothing done about it.
func refused(c run.Command, err error) run.Input {
	ev := c.Reply(run.Refused)
	step, ok := kedge.StepOf(err)
	switch {
	case ok:
		ev.Reason, ev.Next = err.Error(), []kedge.NextStep{step}
	case c.Actor == "" && kedge.HintOf(err) == "":
		ev.Reason = err.Error() + "; to land anyway and keep them as they are: kedge land"
	default:
		ev.Reason = why(err)
	}
	return ev
}

// onBranch is a step that is taken on a branch: it begins with a switch where another
// one is checked out.
func (x *Executor) onBranch(ctx context.Context, branch string, step kedge.NextStep) kedge.NextStep {
	if h, err := x.cfg.Repo.Head(ctx); err == nil && h.Branch == branch {
		return step
	}
	return kedge.Step("git", "switch", branch).For(step.Why).AndThen(step)
}

// projected tells whether a file of the user's checkout is as Kedge wrote it.
func (x *Executor) projected(ctx context.Context, path string) bool {
	return x.cfg.Projected != nil && kedge.IsOwnPath(path) && x.cfg.Projected(ctx, path)
}
