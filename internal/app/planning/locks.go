package planning

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
)

// Locked is what the approval of a plan recorded in memory.
type Locked struct {
	Decisions []kedge.Decision `json:"decisions"` // answers that are decisions now
	Risks     []kedge.Risk     `json:"risks"`     // that are open now
}

// locks are the facts that an approval makes of the plan's answers and risks. Only you
// approve, so they are yours.
func (s *Planner) locks(ctx context.Context, p *projects.Project, who projects.Caller, approved kedge.Plan) ([]kedge.Event, error) {
	m, err := ledger.ReadMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	by := docs.Approval{Plan: approved.ID, By: who.Actor, At: s.home.Now()}
	var out []kedge.Event
	for _, d := range docs.FromAnswers(approved, m.Decisions, by) {
		ev, err := projects.Event(kedge.DecisionSaved, who, kedge.DecisionData{Decision: d, Reason: d.Reason})
		if err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	for _, r := range docs.FromRisks(approved, m.Risks, by) {
		ev, err := projects.Event(kedge.RiskOpened, who, r)
		if err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// lockedBy reads what an approval recorded from its events, so that a retry says the same.
func lockedBy(evs []kedge.Event) (Locked, error) {
	l := Locked{Decisions: []kedge.Decision{}, Risks: []kedge.Risk{}}
	for _, ev := range evs {
		switch ev.Type {
		case kedge.DecisionSaved:
			d, err := projects.Data[kedge.DecisionData](ev)
			if err != nil {
				return l, err
			}
			l.Decisions = append(l.Decisions, d.Decision)
		case kedge.RiskOpened:
			r, err := projects.Data[kedge.Risk](ev)
			if err != nil {
				return l, err
			}
			l.Risks = append(l.Risks, r)
		default:
		}
	}
	return l, nil
}

// stays counts the locked decisions and the open risks of the project.
func (s *Planner) stays(ctx context.Context, p *projects.Project) (decisions, risks int, err error) {
	m, err := ledger.ReadMemory(ctx, p)
	for _, d := range m.Decisions {
		if d.Status == kedge.DecisionLocked {
			decisions++
		}
	}
	for _, r := range m.Risks {
		if r.ClosedAt == nil {
			risks++
		}
	}
	return decisions, risks, err
}
