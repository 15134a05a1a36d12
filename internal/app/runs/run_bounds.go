package runs

import (
	"context"
	"slices"
	"strconv"
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
func (b runBriefs) bounds(ctx context.Context, c run.Command) (watch.Bounds, error) {
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
	last, err := projects.Latest[kedge.Handoff](ctx, b.p, journal.KindHandoff)
	if err != nil {
		return out, err
	}
	if last != nil {
		out.Rules = append(out.Rules, watch.ConstraintRules(last.Constraints)...)
		for _, r := range last.RuledOut {
			out.Rules = append(out.Rules, watch.RejectedRule("what was ruled out: "+r.What, nil, []string{r.What}))
		}
	}
	rules, _, err := b.rulesAt(ctx, c.Base)
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

// saveLiving has a checkpoint saved of the work under way: of the session that
// asks, or of all when a person does. What goes wrong is logged: the fact that
// made it necessary is written down already.
func (s *Driver) saveLiving(ctx context.Context, who projects.Caller, reason string) {
	if err := s.wantCheckpoints(ctx, who, reason); err != nil {
		s.home.Log.Error("no checkpoint of the work under way is made", "because", reason, "error", err.Error())
	}
}

func (s *Driver) wantCheckpoints(ctx context.Context, who projects.Caller, reason string) error {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return err
	}
	st, found, err := liveRun(ctx, p)
	if err != nil || !found {
		return err
	}
	asks, _ := who.Session()
	for _, c := range st.Outbox {
		if c.Kind != run.StartSession || who.IsAgent() && !worksIn(st, c.Job, asks) {
			continue
		}
		eng, err := s.engineOf(ctx, p)
		if err != nil {
			return err
		}
		err = eng.Deliver(ctx, st.Run, run.Event{
			ID: runEventID(who) + kedge.EventID("-"+strconv.FormatInt(c.Epoch, 10)), Kind: run.Signalled, Epoch: c.Epoch, At: s.home.Now(),
			Actor: who.Actor, Outcome: run.WantCheckpoint, Reason: reason,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// worksIn tells whether the job's session is the one given.
func worksIn(st run.State, job int, id kedge.SessionID) bool {
	return slices.ContainsFunc(st.Jobs, func(j run.Job) bool { return j.ID == job && j.Session == id })
}
