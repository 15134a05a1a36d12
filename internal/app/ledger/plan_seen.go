package ledger

import (
	"context"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/engine/gate"
	"kedge/internal/journal"
)

// approvalTakes is how much older than its plan what the approval tried may be: a plan that
// no session made gets its id after that.
const approvalTakes = 5 * time.Minute

// NotGreen are the commands of the plan that was approved last which are not green although
// the plan is done; none while it is not.
func NotGreen(ctx context.Context, p *projects.Project) ([]plan.NotGreen, error) {
	d, _, err := plansOf(ctx, p)
	if err != nil || d == nil || d.Status != kedge.PlanDone {
		return nil, err
	}
	made := parsed(*d)
	if made == nil {
		return nil, nil
	}
	features, err := featuresOf(ctx, p, *d)
	if err != nil {
		return nil, err
	}
	seen, err := lastSeen(ctx, p, *d, plan.ChecksOf(*made, features), isAccepted)
	return plan.NotGreenOf(*made, features, seen), err
}

// lastSeen tells of commands whether they were green in the newest verdict that counts and
// in which they ran; one that is not in the answer ran in none since the plan was made. It
// looks no further back, so that its cost does not grow with the journal.
func lastSeen(ctx context.Context, p *projects.Project, d kedge.PlanData, checks []kedge.Check, counts func(kedge.Evidence) bool) (map[string]bool, error) {
	green, since := map[string]bool{}, kedge.MomentOf(string(d.ID)).Add(-approvalTakes)
	_, _, err := journal.NewestThat(ctx, p.Store, journal.KindEvidence, func(ev kedge.Evidence) bool {
		if ev.At.Before(since) {
			return true
		}
		if counts(ev) {
			takeIn(green, ev.Verdict)
		}
		return !slices.ContainsFunc(checks, func(c kedge.Check) bool { _, seen := green[check.ShellLine(c)]; return !seen })
	})
	return green, err
}

// takeIn adds the results of an older verdict. A check that was red and not due is red.
func takeIn(green map[string]bool, v kedge.Verdict) {
	for _, r := range v.Checks {
		if _, seen := green[r.Command]; !seen && (r.Skipped == "" || gate.NotDue(r)) {
			green[r.Command] = r.Skipped == "" && r.FirstFailure == nil
		}
	}
}

// isAccepted tells whether a verdict is about accepted files, and from a place where no
// agent of a run wrote: your checkout when you approved the plan, or the clean worktree.
func isAccepted(ev kedge.Evidence) bool {
	tried := isBefore(ev) && ev.For == kedge.StageProve && ev.By != kedge.ActorDaemon
	return tried || ev.Verdict.Green() && (ev.Anchor || ev.For == kedge.StageIntegrate)
}

// isBefore tells whether a verdict is about the files before the work on a feature. In a
// slot, what git ignores may be the work of earlier agents: it excuses nothing.
func isBefore(ev kedge.Evidence) bool {
	return ev.Feature == "" && (ev.For == kedge.StageProve || ev.For == kedge.StageBaseline)
}
