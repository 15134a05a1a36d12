package planning

import (
	"context"
	"fmt"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"

	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// planAgain lets a run that waits plan once more, for the goal as it is now, on the
// commit where your branch is now. The answers that were given stay; what people changed
// is kept, and said to be.
func (s *Planner) planAgain(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, in PlanGoalRequest) (PlanGoalReply, error) {
	ruled, err := s.standAnew(ctx, p, who, last, in)
	if err != nil {
		return PlanGoalReply{}, err
	}
	said, err := s.draftAnew(ctx, p, who, last.Run, in.Goal)
	if err != nil {
		return PlanGoalReply{}, err
	}
	if err := s.showPlan(ctx, p, last.Run); err != nil {
		return PlanGoalReply{}, err
	}
	s.runs.KeepEnv(last.Run, in.Env)
	reply, err := s.planOn(ctx, p, who, last.Run, reports.PlansAgain)
	reply.Steps = ruled.Steps // nobody has seen what came after these
	reply.Notes = append(append(reply.Notes, ruled.Notes...), said...)
	return reply, err
}

// standAnew moves a run that waits to the commit where your branch is now, with the rules
// of that commit: its agent or its settings may have been corrected since. A run that is
// there already only gets the rules that the flags make.
func (s *Planner) standAnew(ctx context.Context, p *projects.Project, who projects.Caller, last run.State, in PlanGoalRequest) (runs.RunReply, error) {
	who.Key += "-rules"
	repo, head, err := s.runs.Branch(ctx, p)
	if err != nil {
		return runs.RunReply{}, err
	}
	uncommitted := s.runs.NotesOnUncommitted(ctx, repo, head)
	base, notes, err := s.landing.Base(ctx, p, repo, head, last)
	if err != nil {
		return runs.RunReply{}, err
	}
	if base == last.Tip || !last.Movable() {
		reply, err := s.runs.AttachWith(ctx, p, who, last, runs.RunStartRequest{Flags: in.Flags, Env: in.Env})
		reply.Notes = append(reply.Notes, uncommitted...)
		return reply, err
	}
	rules, versions, err := s.supply.Rules(ctx, p, repo, head.Commit, in.Flags.Over(last.Rules.Given), in.Env, true)
	if err != nil {
		return runs.RunReply{}, err
	}
	if rules.MaxSessions = last.Rules.MaxSessions; in.Flags.MaxSessions > 0 {
		rules.MaxSessions = last.Sessions + in.Flags.MaxSessions // so many more
	}
	if err := maintenance.RefuseUntrusted(ctx, p, repo, head.Commit); err != nil {
		return runs.RunReply{}, err
	}
	if err := s.landing.KeepBase(ctx, p, repo, head, last.Run, base); err != nil {
		return runs.RunReply{}, err
	}
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return runs.RunReply{}, err
	}
	reply, err := s.runs.Say(ctx, p, eng, who, last.Run, run.Input{Kind: run.Continued, Rules: &rules, Commit: base, Head: head.Commit})
	moved := fmt.Sprintf("your branch has new commits, so planning now starts from commit %s instead of commit %s", words.Hash(base), words.Hash(last.Tip))
	reply.Notes = append(append(append(append(reply.Notes, moved), versions...), notes...), uncommitted...)
	return reply, err
}

// draftAnew writes down that a plan is made once more, and says what becomes of the one
// that was there.
func (s *Planner) draftAnew(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.RunID, goal string) (notes []string, err error) {
	who.Key += "-plan"
	_, err = s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		d, ok, err := ledger.PlanOf(ctx, p, id)
		if err != nil || !ok || !ledger.IsOpenPlan(d) {
			return nil, err
		}
		var asked []kedge.Question
		if goal == d.Goal { // another goal has questions of its own
			asked = s.askedNow(p, d)
		} else {
			notes = append(notes, fmt.Sprintf("the plan for your new goal replaces the plan %q, which had no items and no open questions", d.Title))
		}
		kept, err := s.keepEdited(ctx, p, d, &d)
		if err != nil {
			return nil, err
		}
		if kept != "" {
			notes = append(notes, "your text of "+ledger.PlanFile+" is kept as "+kept)
		}
		d.Goal, d.Title, d.Faults, d.Status = goal, titleOfGoal(goal), "", kedge.PlanDrafting
		d.Text = string(plan.Draft(d.ID, d.Title, d.Status, asked))
		d.Hash = projects.Sum([]byte(d.Text))
		return projects.One(projects.Event(kedge.PlanSaved, who, d))
	})
	return notes, err
}

// planOn lets the next planning session start; why is empty where you answered.
func (s *Planner) planOn(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.RunID, why string) (PlanGoalReply, error) {
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return PlanGoalReply{}, err
	}
	if _, err := s.runs.Say(ctx, p, eng, who, id, run.Input{Kind: run.Answered, Reason: why}); err != nil {
		return PlanGoalReply{}, err
	}
	return s.goalReply(ctx, p, id, nil)
}
