package planning

import (
	"bytes"
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
	"kedge/internal/core/plan"
)

// Before is what a command of the plan says before the work, and when it must be green.
type Before struct {
	verify.Tried
	Due string `json:"due,omitempty"` // of one that is not green
}

// before runs the commands of a plan that is to be approved, those that the project's
// checks do not run: the approval tells which are red, before a session is paid for. A
// draft that cannot be approved is refused first. It gives the draft whose commands ran;
// nil: none ran.
func (s *Planner) before(ctx context.Context, who projects.Caller, in PlanApproveRequest) ([]Before, *plan.Doc, error) {
	out := []Before{}
	if !in.Try {
		return out, nil, nil
	}
	l, p, err := s.book.ReadFeatures(ctx, who)
	if err != nil {
		return out, nil, err
	}
	if who.Key != "" {
		if _, seen, err := p.Store.Seen(ctx, who.Key); err != nil || seen {
			return out, nil, err // the same request again: it is approved
		}
	}
	d, err := s.approvable(ctx, p, l, in)
	if err != nil {
		return out, nil, err
	}
	tried, err := s.try(ctx, p, who, d.Plan, in.Env)
	return append(out, tried...), d, err
}

// approvable is the plan that can be approved now, by its text and by what stands around it.
func (s *Planner) approvable(ctx context.Context, p *projects.Project, l ledger.Snapshot, in PlanApproveRequest) (*plan.Doc, error) {
	if err := ledger.RefuseUnknownList(p, l); err != nil {
		return nil, err
	}
	if err := s.planMayGo(ctx, p); err != nil {
		return nil, err
	}
	return s.wholeDraft(ctx, p, l, in)
}

// unchangedSince refuses a draft that is not the one whose commands ran: what you approve
// is the text that you read. The commands take up to a minute, and may write files.
func unchangedSince(tried, now *plan.Doc) error {
	if tried == nil || bytes.Equal(tried.Source(), now.Source()) {
		return nil
	}
	return kedge.Errorf(kedge.Conflict, "%s changed while Kedge tried the plan's commands, so the plan is not approved", ledger.PlanFile).
		WithHint("read the plan again: kedge plan show; then approve the plan: kedge plan approve; or, if its commands change the file: kedge plan approve --no-try")
}

// try runs the commands of a plan that neither gate.toml nor a later phase alone has.
func (s *Planner) try(ctx context.Context, p *projects.Project, who projects.Caller, of kedge.Plan, env []string) ([]Before, error) {
	g, err := projects.Source{Project: p}.Gate(ctx)
	if err != nil || len(of.Phases) == 0 {
		return nil, err
	}
	tried, err := s.verify.Try(ctx, p, who, plan.ChecksFor(of, kedge.Definition{Phase: of.Phases[0].ID}, g.Checks), env)
	var out []Before
	for _, t := range tried {
		b := Before{Tried: t}
		if t.State != verify.TryGreen {
			b.Due = plan.DueText(of, t.Command)
		}
		out = append(out, b)
	}
	return out, err
}

// wholeDraft is the plan that is to be approved: without an error, and with its questions
// answered.
func (s *Planner) wholeDraft(ctx context.Context, p *projects.Project, l ledger.Snapshot, in PlanApproveRequest) (*plan.Doc, error) {
	d, err := s.draft(p, l)
	if err != nil {
		return nil, err
	}
	if err := s.notApprovable(ctx, p, l, d.Plan); err != nil {
		return nil, err
	}
	findings := checkPlan(p, d, in.Path)
	if d.Plan.Status != kedge.PlanWaiting { // else there is no more to check yet
		if err := planErrors(findings); err != nil {
			return nil, err
		}
	}
	if open := plan.OpenQuestions(d.Plan); len(open) > 0 {
		return nil, kedge.Errorf(kedge.Blocked, "%s:%d: question %d of the plan has no answer yet: %s", ledger.PlanFile, open[0].Line, open[0].N, open[0].Text).
			WithHint("answer the question: kedge answer %d TEXT", open[0].N)
	}
	return d, planErrors(findings)
}
