package ledger

import (
	"context"
	"slices"
	"strconv"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/core/delta"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// PlanOf is the plan that the sessions of a run make; false when it makes none.
func PlanOf(ctx context.Context, p *projects.Project, id kedge.RunID) (kedge.PlanData, bool, error) {
	list, err := journal.About[kedge.PlanData](ctx, p.Store, journal.KindPlan, string(id))
	if err != nil || len(list) == 0 {
		return kedge.PlanData{}, false, err
	}
	return list[len(list)-1], true, nil
}

// PlanPhase is a phase of the approved plan with the features that were made of
// its items.
type PlanPhase struct {
	kedge.Phase
	Made []kedge.FeatureID
}

// Phases are those of the approved plan; none where there is no plan.
func Phases(l Snapshot) []PlanPhase {
	if l.Plan == nil {
		return nil
	}
	d, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return nil // frozen by another version: its features still tell
	}
	var out []PlanPhase
	n := 0
	for _, ph := range d.Plan.Phases {
		end := n + len(ph.Items)
		out = append(out, PlanPhase{ph, l.Plan.Features[min(n, len(l.Plan.Features)):min(end, len(l.Plan.Features))]})
		n = end
	}
	return out
}

// PhaseLimits are the budgets that the plan gives its phases.
func PhaseLimits(l Snapshot) []config.PhaseLimit {
	var out []config.PhaseLimit
	for _, ph := range Phases(l) {
		if b := plan.PhaseBudget(ph.Phase); b.Tokens > 0 || b.USD > 0 {
			out = append(out, config.PhaseLimit{ID: ph.ID, Tokens: b.Tokens, USD: b.USD})
		}
	}
	return out
}

// PlanDropped tells whether a run planned, and its plan was abandoned: it never
// goes on.
func PlanDropped(ctx context.Context, p *projects.Project, st run.State) (bool, error) {
	if !st.Planning() {
		return false, nil
	}
	d, ok, err := PlanOf(ctx, p, st.Run)
	return ok && d.Status == kedge.PlanAbandoned, err
}

// LastRun is the newest run of a project.
func LastRun(ctx context.Context, p *projects.Project) (run.State, bool, error) {
	doc, err := FindRun(ctx, p, "")
	if kedge.NotFound.Is(err) {
		return run.State{}, false, nil
	}
	return doc.State, err == nil, err
}

// Specs are the features of the ledger in the order of the plan.
func Specs(ctx context.Context, p *projects.Project) ([]run.Spec, error) {
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(l.Docs) == 0 {
		return nil, kedge.Errorf(kedge.Blocked, "there are no features to work on").
			WithHint("let an agent plan features: kedge plan GOAL; or import your own list: kedge features import FILE")
	}
	docs := make(map[kedge.FeatureID]journal.FeatureDoc, len(l.Docs))
	for _, d := range l.Docs {
		docs[d.ID] = d
	}
	var out []run.Spec
	for _, f := range plan.Order(l.Features()) {
		d := docs[f.ID]
		spec := run.SpecOf(f, d.Hash)
		spec.Claim = d.Claim == kedge.Completed && f.Status == kedge.Pending
		if f.Status == kedge.Pending || f.Status == kedge.InProgress {
			spec.Wanted = d.Wanted
		}
		out = append(out, spec)
	}
	return out, nil
}

// RunEventID makes a request that is made again the same event.
func RunEventID(who projects.Caller) kedge.EventID { return kedge.EventID("run-" + who.Key) }

// WordID names a word about a feature that a request says to a run. A request may say
// several, and each is an event of its own; made again, it is the same one.
func WordID(who projects.Caller, ev run.Input) kedge.EventID {
	id := RunEventID(who) + kedge.EventID("-"+ev.Kind)
	if ev.Kind != run.Planned { // which is about all features
		id += kedge.EventID("-" + ev.Feature)
	}
	return id
}

// WasTold tells whether a run received a word of the caller's request before, under its
// name, or under those that earlier versions of Kedge gave: one for the whole request, and
// numbers for an amendment of the plan.
func WasTold(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.RunID, ev run.Input) (bool, error) {
	if who.Key == "" {
		return false, nil
	}
	step := func(name kedge.EventID) ([]kedge.Event, bool, error) {
		return p.Store.Seen(ctx, "run/"+string(id)+"/"+string(name))
	}
	if _, seen, err := step(WordID(who, ev)); err != nil || seen {
		return seen, err
	}
	evs, seen, err := step(RunEventID(who))
	if err != nil || seen && saysWord(evs, ev) {
		return err == nil, err
	}
	for n := 0; ; n++ {
		evs, seen, err := step(RunEventID(who) + kedge.EventID("-amend-"+strconv.Itoa(n)))
		if err != nil || !seen || saysWord(evs, ev) {
			return err == nil && seen, err
		}
	}
}

// saysWord tells whether a step of a run was the word.
func saysWord(evs []kedge.Event, ev run.Input) bool {
	return slices.ContainsFunc(evs, func(e kedge.Event) bool {
		d, err := projects.Data[delta.Stepped](e)
		return err == nil && d.Event.Kind == ev.Kind && (ev.Kind == run.Planned || d.Event.Feature == ev.Feature)
	})
}

// LastWorkRun is the newest run that has more than a plan to make; a zero state where
// there is none.
func LastWorkRun(ctx context.Context, p *projects.Project) (run.State, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil {
		return run.State{}, err
	}
	for _, d := range slices.Backward(docs) {
		doc, err := FindRun(ctx, p, d.State.Run)
		if err != nil || !doc.State.Planning() {
			return doc.State, err
		}
	}
	return run.State{}, nil
}

// FindRun is the run of an id, or the newest.
func FindRun(ctx context.Context, p *projects.Project, id kedge.RunID) (journal.RunDoc, error) {
	if id == "" {
		heads, err := p.Store.Runs(ctx)
		if err != nil {
			return journal.RunDoc{}, err
		}
		if len(heads) == 0 {
			return journal.RunDoc{}, kedge.Errorf(kedge.NotFound, "no run has started in this project yet").WithHint("see what is next: kedge status")
		}
		id = heads[len(heads)-1].State.Run
	}
	doc, found, err := p.Store.Run(ctx, id)
	if err == nil && !found {
		err = kedge.Errorf(kedge.NotFound, "this project has no run %q", id).WithHint("see the newest run and its id: kedge status")
	}
	return doc, err
}

// WasDelivered tells whether the caller's request was delivered before.
func WasDelivered(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.RunID) (bool, error) {
	_, seen, err := p.Store.Seen(ctx, "run/"+string(id)+"/"+string(RunEventID(who)))
	return seen, err
}

// LiveRun is the newest run, if it can still do something.
func LiveRun(ctx context.Context, p *projects.Project) (run.State, bool, error) {
	st, found, err := LastRun(ctx, p)
	return st, found && err == nil && (!st.Ended() || st.Halt != ""), err
}
