package ledger

import (
	"context"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// PhaseFacts gathers what a phase of the approved plan came to: its features with the
// closing words of their last sessions, what was decided meanwhile, and what is open.
func PhaseFacts(ctx context.Context, p *projects.Project, l Snapshot, ph PlanPhase) (brief.PhaseFacts, error) {
	all, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return brief.PhaseFacts{}, err
	}
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return brief.PhaseFacts{}, err
	}
	last, begun := map[kedge.FeatureID]kedge.Session{}, time.Time{}
	for _, s := range all {
		if s.Run == "" || !slices.Contains(ph.Made, s.Feature) {
			continue
		}
		if begun.IsZero() {
			begun = s.StartedAt
		}
		if s.Closing != "" {
			last[s.Feature] = s
		}
	}
	var out brief.PhaseFacts
	ended, done := time.Time{}, true
	for _, id := range ph.Made {
		d, err := l.Find(id)
		if err != nil {
			continue
		}
		b := brief.BuiltFeature{Name: d.Name, Words: last[id].Closing}
		switch {
		case !d.Status.Over():
			b.Left, done = string(d.Status), false
		case d.CompletedAt == nil:
			b.Left = string(d.Status)
		case d.CompletedAt.After(ended):
			ended = *d.CompletedAt
		}
		out.Built = append(out.Built, b)
	}
	out.Decided = decidedBetween(m.Decisions, begun, ended, done)
	out.Risks = slices.DeleteFunc(slices.Clone(m.Risks), func(r kedge.Risk) bool {
		s := plan.StatementOf(r.Text)
		return r.ClosedAt != nil || !plan.Applies(s, []kedge.Phase{ph.Phase}, kedge.Definition{Phase: ph.ID})
	})
	return out, nil
}

// decidedBetween are the locked decisions of a time; one that is not over ends now.
func decidedBetween(all []kedge.Decision, from, to time.Time, over bool) []kedge.Decision {
	var out []kedge.Decision
	for _, d := range all {
		if d.Status == kedge.DecisionLocked && !from.IsZero() && !d.Date.Before(from) && (!over || !d.Date.After(to)) {
			out = append(out, d)
		}
	}
	return out
}

// PhaseSummary is what a phase came to, in one line.
func PhaseSummary(ctx context.Context, p *projects.Project, l Snapshot, ph PlanPhase) (string, error) {
	facts, err := PhaseFacts(ctx, p, l, ph)
	return facts.Summary(), err
}

// FindPlanPhase is the phase of the approved plan that a number, an id or a title names.
func FindPlanPhase(l Snapshot, name string) (PlanPhase, error) {
	list := Phases(l)
	if len(list) == 0 {
		return PlanPhase{}, kedge.Errorf(kedge.NotFound, "there is no approved plan").WithHint("see whether a plan waits for your approval: kedge status; if none does, make a plan: kedge plan GOAL")
	}
	phases := make([]kedge.Phase, len(list))
	for i := range list {
		phases[i] = list[i].Phase
	}
	i, err := plan.FindPhase(phases, name)
	if err != nil {
		return PlanPhase{}, err
	}
	return list[i], nil
}
