package sim

import (
	"slices"

	"kedge"
	"kedge/internal/core/run"
)

// second begins another run where the first one left off, as the next `kedge run`
// does, or the next plan: on its tip, with what the ledger says of the features and
// the work that nobody accepted. What landed, and what did not, stays so.
func (w *world) second() bool {
	if w.next || !w.s.Ended() || len(w.s.Features) == 0 || !w.chance(30) {
		return false
	}
	w.next = true
	w.seen.Seconds++
	ev := run.Input{Kind: run.Begun, Run: "run-sim2", Commit: w.s.Tip, Rules: w.rules()}
	if w.unlanded = !w.s.AllLanded(); w.unlanded {
		ev.Head = "c-users"
	}
	specs := w.ledgerSpecs()
	for _, spec := range specs {
		w.book[spec.ID] = spec.Status
	}
	if w.chance(30) {
		ev.Goal, w.planned = "a goal", specs
		for id, status := range w.book {
			if status == kedge.InProgress { // who begins it gives them back
				w.book[id] = kedge.Pending
			}
		}
		specs = slices.DeleteFunc(slices.Clone(specs), func(s run.Spec) bool { return s.Work == "" && s.Broken == 0 && s.Status != kedge.Regressed })
	}
	ev.Specs = specs
	w.redBefore = map[kedge.FeatureID]bool{}
	for _, spec := range specs {
		w.redBefore[spec.ID] = spec.Status == kedge.Regressed || spec.Broken > 0
	}
	if !w.unlanded { // the user has it
		clear(w.red)
		w.users = number(w.s.Tip)
	}
	clear(w.accepted) // before it begins, the ledger is committed as the journal has it
	clear(w.yes)      // of what an earlier run has a yes for, the executor asks that one
	w.forget()
	w.note("another run begins")
	w.deliver(ev)
	return true
}

// ledgerSpecs are the features as the ledger has them after the run.
func (w *world) ledgerSpecs() []run.Spec {
	specs := make([]run.Spec, len(w.s.Features))
	for i := range w.s.Features {
		f := &w.s.Features[i]
		specs[i] = run.Spec{ID: f.ID, Hash: f.Hash, Phase: w.s.Phases[f.Phase].ID, Status: f.Status, Budget: f.Budget}
		for _, n := range f.Needs {
			if n >= 0 {
				specs[i].Needs = append(specs[i].Needs, w.s.Features[n].ID)
			}
		}
		switch {
		case f.Let == run.LetAccepted && f.Status == kedge.NeedsReview:
			specs[i].Status = kedge.Completed
		case f.Waits():
			specs[i].Work = f.Work
			w.seen.Carried++
		case f.Work != "": // landed unseen, or let: nobody has to look any more
		}
		if w.chance(20) && specs[i].Status == kedge.NeedsReview { // between the runs, people change their minds
			specs[i].Status = []kedge.Status{kedge.Skipped, kedge.BlockedWork, kedge.Pending}[w.rng.IntN(3)]
		}
		w.carryWords(f, &specs[i])
	}
	return specs
}

// carryWords puts into a spec what the ledger, and the run before, know of a feature.
func (w *world) carryWords(f *run.Feature, spec *run.Spec) {
	spec.Denied = f.Denied
	if f.Red && spec.Status != kedge.Completed && spec.Status != kedge.Skipped {
		spec.Broken = max(f.Regressions, 1)
	}
	switch spec.Status {
	case kedge.Pending, kedge.InProgress:
		spec.Wanted = w.wanted[f.ID]
		return
	case kedge.NeedsReview:
		spec.Aside = f.Aside
	default:
	}
	delete(w.wanted, f.ID)
}

// forget starts the books of a run anew; the repository stays, and what people let
// land.
func (w *world) forget() {
	kept := w.history
	w.history = newHistory(kept.recording)
	w.entries, w.violation = kept.entries, kept.violation
	w.s, w.queue, w.late, w.done, w.sessions, w.timers = run.State{}, nil, nil, nil, nil, nil
	w.talks, w.repo.worktree, w.over = map[int]talk{}, nil, false
	clear(w.told)
	clear(w.last)
	clear(w.heard)
	for id := range w.denied {
		w.denied[id] = 0
	}
	clear(w.briefs)
	clear(w.lost)
	for i := range w.repo.commits {
		w.repo.commits[i].job = 0
	}
	w.meddling, w.helping = w.meddling+2, 3
}

// staysOver: a run that was over when work of it was refused or accepted starts no
// session by itself.
func (w *world) staysOver(before *run.State, ev run.Input, commands []run.Command) {
	switch ev.Kind {
	case run.Denied, run.Accepted:
		worked := slices.ContainsFunc(before.Features, func(f run.Feature) bool { return f.ID == ev.Feature && f.Work != "" })
		switch {
		case before.Over() && ev.Actor == human && worked:
			w.over = true
		case ev.Kind == run.Accepted && ev.Actor == human && !worked: // it is shown green again, and the run goes on with that
			w.over = false
		}
	case run.Continued, run.LandAsked:
		w.over = false
	default:
	}
	if w.over && slices.ContainsFunc(commands, func(c run.Command) bool { return c.Kind == run.StartSession && c.Adopts == 0 }) {
		w.fail(9, "a run that was over goes on by itself")
	}
}
