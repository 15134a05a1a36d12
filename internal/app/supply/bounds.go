package supply

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/journal"
)

// bounds are what a session's edits and commands must not go against: what
// locked decisions rejected, what was ruled out, and the constraints of the
// rules as they stand at the base.
func (b Writer) bounds(ctx context.Context, c run.Command) (watch.Bounds, error) {
	var out watch.Bounds
	decisions, err := projects.All[kedge.Decision](ctx, b.p, journal.KindDecision)
	if err != nil {
		return out, err
	}
	var locked []string
	for _, d := range decisions {
		if d.Status == kedge.DecisionLocked {
			out.Rules = append(out.Rules, decisionRule(d))
			locked = append(locked, string(d.ID)+" "+d.Title)
		}
	}
	last, err := b.saidHandoff(ctx)
	if err != nil {
		return out, err
	}
	if last != nil {
		out.Rules = append(out.Rules, watch.ConstraintRules(last.Constraints)...)
		for _, r := range last.RuledOut {
			out.Rules = append(out.Rules, watch.RejectedRule("what was ruled out: "+r.What, nil, []string{r.What}))
		}
	}
	rules, _, err := b.RulesAt(ctx, c.Base)
	if err != nil {
		return out, err
	}
	out.Rules = append(out.Rules, watch.ConstraintRules(strings.Split(string(rules), "\n"))...)
	var name string
	if d, ok, err := journal.Get[journal.FeatureDoc](ctx, b.p.Store, journal.KindFeature, string(c.Feature)); err != nil {
		return out, err
	} else if ok {
		name = d.Feature.Name
	}
	out.Focus = focusOf(c, name, locked)
	return out, nil
}

// saidHandoff is the latest handoff in the words of whoever saved it. What Kedge makes of
// a session that ended tells the next one what was tried: it forbids nothing.
func (b Writer) saidHandoff(ctx context.Context) (*kedge.Handoff, error) {
	last, err := projects.Latest[kedge.Handoff](ctx, b.p, journal.KindHandoff)
	if err != nil || last == nil || last.Session == "" {
		return last, err
	}
	ses, _, err := journal.Get[kedge.Session](ctx, b.p.Store, journal.KindSession, string(last.Session))
	if err != nil || last.ID != madeID(ses) {
		return last, err
	}
	return b.ownHandoff(ctx, ses)
}

func decisionRule(d kedge.Decision) watch.Rule {
	var rejected []string
	for _, r := range d.Rejected {
		rejected = append(rejected, r.What)
	}
	return watch.RejectedRule(string(d.ID)+" "+d.Title, d.AppliesTo, rejected)
}

// focusOf is what a session must keep when its context is shortened, and what may go.
func focusOf(c run.Command, name string, locked []string) string {
	parts := []string{"Keep the objective: " + string(c.Purpose)}
	if c.Feature != "" {
		parts[0] += " " + string(c.Feature)
	}
	if name != "" {
		parts[0] += " (" + name + ")"
	}
	for _, title := range locked {
		parts = append(parts, "Keep what is locked: "+title)
	}
	return strings.Join(append(parts,
		"Keep your brief, the names of files that were changed, the step under way and the first failure.",
		"Drop: output of commands, contents of files that were only looked at, attempts that were given up.",
	), "\n")
}
