package ledger

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
)

// NotReady makes the error for a feature that cannot be worked on yet.
func NotReady(at plan.Readiness) error {
	e := kedge.Errorf(kedge.Blocked, "%s", at.Why)
	if len(at.Blockers) > 0 {
		return e.WithHint("see the feature that must be done first: kedge feature show %s", at.Blockers[0].ID)
	}
	return e.WithHint("see the feature: kedge feature show %s", at.Feature.ID)
}

// Next gives the feature to work on now, the reason, and the first command. Branch and
// commit are those of the caller's checkout, or empty where unknown; the rest depends on
// the snapshot alone.
func (s *Ledger) Next(ctx context.Context, p *projects.Project, l Snapshot) kedge.Next {
	n := kedge.Next{Why: plan.WhyNothing(l.Features())}
	n.Branch, n.Commit = s.home.Head(ctx, p)
	f, ok := plan.Next(l.Features())
	if !ok {
		return n
	}
	n.Feature, n.Phase, n.Item, n.Command = &f, f.Phase, l.PlanItem(f.ID), FirstCommand(f)
	switch k := len(f.Dependencies); k {
	case 0:
		n.Why = fmt.Sprintf("priority %d, depends on no other feature", f.Priority)
	case 1:
		n.Why = fmt.Sprintf("priority %d, the feature that it depends on is completed", f.Priority)
	default:
		n.Why = fmt.Sprintf("priority %d, all %d features that it depends on are completed", f.Priority, k)
	}
	return n
}

// FirstCommand gives the command to start with: the feature's check, which should be red
// before the work and must be green after it, else the feature's first step.
func FirstCommand(f kedge.Feature) string {
	for _, c := range f.Checks {
		if line := check.ShellLine(c); line != "" {
			return line
		}
	}
	if len(f.Checks) > 0 {
		return "kedge feature submit " + string(f.ID) // a request needs the gate's service
	}
	for _, step := range f.Steps {
		if step = strings.TrimSpace(step); step != "" {
			return step
		}
	}
	return "do the work, then: kedge feature submit " + string(f.ID)
}
