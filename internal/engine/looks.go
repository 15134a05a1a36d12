package engine

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/git/slot"
)

// Refusal answers that your branch stays where it is.
func Refusal(c run.Command, reason string, next ...kedge.NextStep) run.Input {
	ev := c.Reply(run.Refused)
	ev.Reason, ev.Next = reason, next
	return ev
}

// Refused answers why a branch could not be moved. What is not in the way of a person who asks
// needs nothing done about it.
func Refused(c run.Command, err error) run.Input {
	step, ok := kedge.StepOf(err)
	switch hint := kedge.HintOf(err); {
	case ok:
		return Refusal(c, err.Error(), step)
	case c.Actor == "" && hint == "":
		return Refusal(c, err.Error()+"; to land anyway and keep them as they are: kedge land")
	case hint != "":
		return Refusal(c, err.Error()+" (next: "+hint+")")
	default:
		return Refusal(c, err.Error())
	}
}

// IfMoved is the answer ev unless the branch could not be moved: then it says why.
func IfMoved(c run.Command, ev run.Input, err error) (run.Input, error) {
	if kedge.Conflict.Is(err) || kedge.Blocked.Is(err) || kedge.NotFound.Is(err) {
		return Refused(c, err), nil
	}
	return ev, err
}

// Looks is who is asked before your branch moves, whatever the run takes its work for.
type Looks struct {
	Approvals Approvals
	Ledger    Records
	Sneaked   func(ctx context.Context, ref, at string) (kedge.RefMove, bool, error) // may be nil
}

// Refuse says why work may not land; no answer where it may.
func (l Looks) Refuse(ctx context.Context, c run.Command, m slot.Meeting) (run.Input, error) {
	for _, look := range []func(context.Context, run.Command, slot.Meeting) (run.Input, error){l.unaccepted, l.regressed, l.sneaked} {
		if no, err := look(ctx, c, m); err != nil || no.Kind != "" {
			return no, err
		}
	}
	return run.Input{}, nil
}

// unaccepted refuses work that nobody accepted.
func (l Looks) unaccepted(ctx context.Context, c run.Command, m slot.Meeting) (run.Input, error) {
	ids, err := l.Approvals.Unaccepted(ctx, c.Commit, m.At)
	if err != nil || len(ids) == 0 {
		return run.Input{}, err
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return Refusal(c, "you have not accepted the work on "+strings.Join(names, ", ")+"; kedge land shows what to look at"), nil
}

// regressed refuses to land where the ledger knows features that were done and are red
// again, unless you asked for just that. The run may not have heard of them.
func (l Looks) regressed(ctx context.Context, c run.Command, _ slot.Meeting) (run.Input, error) {
	if c.Scope == run.Breaking {
		return run.Input{}, nil
	}
	all, err := l.Ledger.Features(ctx)
	var ids []kedge.FeatureID
	for _, f := range all {
		if f.Status == kedge.Regressed {
			ids = append(ids, f.ID)
		}
	}
	if err != nil || len(ids) == 0 {
		return run.Input{}, err
	}
	return Refusal(c, "red again, though done before: "+strings.Join(plan.Quoted(ids), ", "),
		kedge.Step("kedge", "run").For("repair it first"), kedge.Step("kedge", "land", "--regressed").For("land it as it is")), nil
}

// sneaked refuses to merge a branch with commits that an agent may have put there, with what
// takes them back.
func (l Looks) sneaked(ctx context.Context, c run.Command, m slot.Meeting) (run.Input, error) {
	if l.Sneaked == nil || m.Way == slot.Behind {
		return run.Input{}, nil
	}
	by, is, err := l.Sneaked(ctx, "refs/heads/"+m.Branch, m.At)
	if err != nil || !is {
		return run.Input{}, err
	}
	return Refusal(c, m.Got()+fmt.Sprintf("; commit %s may come from an agent: it appeared while session %s worked, and that session's worktree has it too. No check ran on this commit", by.To, by.Session),
		append([]kedge.NextStep{by.Undo().AndThen(slot.LandAgain())}, m.ByHand()...)...), nil
}

// RefuseRed says which check the merge does not pass. At the same commit it would refuse again.
func RefuseRed(c run.Command, ev run.Input, m slot.Meeting) run.Input {
	why := ev.Failure + ev.Reason
	switch ev.Outcome {
	case run.Void:
		return Refusal(c, "files changed while the checks ran: "+why, slot.LandAgain())
	case run.Drifted:
		why = "the clean worktree cannot be used: " + why
	case run.Red:
		why = "the work is red: " + why
	default:
		why = "the checks cannot run: " + why
	}
	no := Refusal(c, m.Got()+"; merged with that, "+why, m.MendSteps()...)
	no.Commit = m.At
	return no
}
