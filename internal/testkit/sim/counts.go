package sim

import (
	"slices"

	"kedge"
	"kedge/internal/core/run"
)

// nothingNew tells whether a job's work adds nothing to the tip, and takes nothing away:
// others have made the same since it began.
func (w *world) nothingNew(c run.Command, tip int) bool {
	from := w.repo.trees[w.repo.commits[w.repo.checkout(c.Job).base].tree]
	work, has := w.repo.trees[number(c.Tree)], w.repo.trees[tip]
	if c.Purpose != run.Implement && c.Purpose != run.Repair && c.Purpose != run.FixFirst || from == work {
		return false
	}
	same := work.done&^has.done == 0 && from.done&^work.done == 0 && work.broken == has.broken && !work.weak && !work.outside
	return same && (work.done != from.done || work.broken != from.broken)
}

// hearDenied keeps that a person denied work on a feature: what was seen before that
// proves nothing any more.
func (w *world) hearDenied(ev run.Input) {
	f := w.s.FeatureOf(ev.Feature)
	if ev.Actor != human || f == nil {
		return
	}
	j := w.s.JobOf(ev.Feature)
	switch waits := f.Status == kedge.NeedsReview || f.Waits(); {
	case ev.Kind == run.Denied && (j == nil && waits || j != nil && j.Phase == run.Reviewing):
		w.denied[ev.Feature] = w.s.Epoch
	case ev.Kind == run.Amended && ev.Reason != "", ev.Kind == run.Accepted && waits:
		delete(w.denied, ev.Feature)
	}
}

// provedAnew holds a completion to invariant 15 after a no: its proof is younger, and was
// red before the work.
func (w *world) provedAnew(c run.Command) {
	since, denied := w.denied[c.Feature]
	if !denied || c.Status != kedge.Completed {
		return
	}
	delete(w.denied, c.Feature)
	if c.Purpose == run.TakeOn {
		return
	}
	w.seen.Anew++
	facts := w.job(c.Job)
	if facts.provedAt <= since || !w.proves(c.Job, facts.proved) {
		w.fail(15, "done after a no, and not proved anew")
	}
}

// nothingForNothing: what is completed has a commit of its own, or is known to have been
// done before. What is left of nothing completes nothing else.
func nothingForNothing(m *moment) string {
	for _, c := range m.commands {
		f := m.job(c.Job)
		if c.Kind != run.Ledger || c.Status != kedge.Completed || c.Feature == "" || c.Purpose == run.TakeOn || c.Commit == f.commit && f.commit != "" {
			continue
		}
		claimed := slices.ContainsFunc(m.before.Features, func(k run.Feature) bool { return k.ID == c.Feature && k.Claim != "" })
		if !claimed {
			return "done without a commit, and nobody said that it is done"
		}
	}
	return ""
}

// nothingToMend: the first session that mends a baseline, or a feature that is red again,
// starts where that was just seen red.
func nothingToMend(m *moment) string {
	for _, c := range m.commands {
		f := m.job(c.Job)
		if c.Kind != run.StartSession || c.Adopts != 0 || f.begun {
			continue
		}
		again := slices.ContainsFunc(m.after.Features, func(k run.Feature) bool { return k.ID == c.Feature && k.Red && !k.Wanted })
		switch {
		case c.Purpose == run.FixFirst && f.baseline != run.Red:
			return "a session mends a baseline that is green"
		case c.Purpose == run.Implement && again && (f.proved == run.Green || f.proved == run.Tests):
			return "a session mends a feature that is green"
		}
	}
	return ""
}
