package sim

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/run"
)

// words are what people said of features, and what has to follow from it: accepted
// work lands with a ledger that says so, a feature that was reopened for a reason has
// a session that was told it, and no feature is done without its work.
type words struct {
	accepted   map[kedge.FeatureID]int    // accepted, and not in the ledger yet: its newest commit
	wanted     map[kedge.FeatureID]string // reopened, and no session was told why yet: the reason
	told       map[kedge.FeatureID]string // what the run has its next session told
	briefs     map[int]string             // by job: the scope of its last brief
	lost       map[int]bool               // by job: whether its last revert set anything aside
	aside      map[kedge.FeatureID]bool   // waits for review, and its work was set aside
	agreed     map[kedge.FeatureID]string // accepted as it is, with no work that waits: the definition that was accepted
	yes        map[kedge.FeatureID]int    // accepted, and not landed yet: its newest commit
	users      int                        // the commit that the run knows to be on the user's branch
	doubts     map[int]doubt              // by job
	denied     map[kedge.FeatureID]int64  // a person denied work on it since it was last done: the newest command of then
	reopenings map[kedge.FeatureID]int    // reopened while its job was ending without it: that job
}

func newWords() words {
	return words{
		accepted: map[kedge.FeatureID]int{}, wanted: map[kedge.FeatureID]string{}, told: map[kedge.FeatureID]string{},
		briefs: map[int]string{}, lost: map[int]bool{}, aside: map[kedge.FeatureID]bool{},
		agreed: map[kedge.FeatureID]string{}, yes: map[kedge.FeatureID]int{}, reopenings: map[kedge.FeatureID]int{}, denied: map[kedge.FeatureID]int64{}, doubts: map[int]doubt{},
	}
}

// hearAgain keeps that a person reopened a feature whose job was just giving it up.
func (w *world) hearAgain(ev run.Input) {
	if ev.Actor != human || ev.Feature == "" {
		return
	}
	delete(w.reopenings, ev.Feature)
	if j := w.s.JobOf(ev.Feature); j != nil && ev.Kind == run.Reopened && (j.Phase == run.Reviewing || j.End != "" && j.End != kedge.Completed) {
		w.reopenings[ev.Feature] = j.ID
	}
}

// checkAgain: what was reopened is pending, or worked on again, as soon as that job is gone.
func (w *world) checkAgain() {
	for id, job := range w.reopenings {
		f, j := w.s.FeatureOf(id), w.s.JobOf(id)
		if j != nil && j.ID == job {
			continue
		}
		delete(w.reopenings, id)
		w.seen.Again++
		if f.Status != kedge.Pending && f.Status != kedge.InProgress {
			w.fail(7, "a feature was reopened and is "+string(f.Status))
		}
	}
}

// hearWord keeps what a person says of a feature that no job has.
func (w *world) hearWord(ev run.Input) {
	i := slices.IndexFunc(w.s.Features, func(f run.Feature) bool { return f.ID == ev.Feature })
	if i < 0 || slices.ContainsFunc(w.s.Jobs, func(j run.Job) bool { return j.Feature == i }) {
		return
	}
	f := &w.s.Features[i]
	open := f.Status == kedge.Pending || f.Status == kedge.InProgress
	waits := f.Status == kedge.NeedsReview || f.Waits()
	landed := w.s.AllLanded()
	switch {
	case ev.Kind == run.Reopened && !open, ev.Kind == run.Denied && waits && f.Work == "":
		w.forgetWord(f.ID)
		if ev.Reason != "" {
			w.wanted[f.ID] = ev.Reason
		}
		if work, ok := w.yes[f.ID]; ok { // what they said yes to is asked again
			w.unseen[f.ID] = work
			delete(w.yes, f.ID)
		}
	case ev.Kind == run.Accepted && waits && ev.Reason != "" && f.Work != "" && !landed:
		w.accepted[f.ID] = number(f.Work[strings.LastIndexByte(f.Work, ',')+1:])
		delete(w.wanted, f.ID)
	case ev.Kind == run.Accepted && waits && ev.Reason != "":
		delete(w.wanted, f.ID)
		w.agreed[f.ID] = f.Hash
	case ev.Kind == run.Amended && ev.Reason != "":
		w.forgetWord(f.ID)
	}
}

func (w *world) forgetWord(id kedge.FeatureID) {
	delete(w.wanted, id)
	delete(w.aside, id)
	delete(w.agreed, id)
}

// keepWord keeps what the run has sessions told.
func (w *world) keepWord(c run.Command) {
	switch {
	case c.Kind == run.Tell && c.Scope == run.Wanted:
		w.told[c.Feature] = c.Text
	case c.Kind == run.Brief:
		w.briefs[c.Job] = c.Scope
	}
}

// checkWanted holds a session to the reason for which a person reopened its feature.
func (w *world) checkWanted(c run.Command) {
	why, ok := w.wanted[c.Feature]
	if !ok {
		return
	}
	delete(w.wanted, c.Feature)
	w.seen.Wanted++
	if !strings.Contains(w.told[c.Feature], why) || w.briefs[c.Job] != run.Wanted {
		w.fail(7, "the session of a feature that was reopened is not told why")
	}
}

// setsAside keeps whether a revert takes anything away.
func (w *world) setsAside(c run.Command) {
	at := w.repo.checkout(c.Job)
	w.lost[c.Job] = at.tree != w.repo.commits[at.base].tree
}

// ledgerWord holds what the ledger says from now on to what people said.
func (w *world) ledgerWord(c run.Command) {
	if c.Feature == "" {
		return
	}
	w.provedAnew(c)
	f := w.featureOf(c.Feature)
	if c.Purpose == run.TakeOn {
		if _, said := w.accepted[c.Feature]; !said && w.agreed[c.Feature] != c.Hash {
			w.fail(1, "completed by the word of nobody")
		}
		w.seen.TakenOn++
		if work, said := w.accepted[c.Feature]; said && work > w.users {
			w.yes[c.Feature] = work
		}
		delete(w.accepted, c.Feature)
		return
	}
	switch c.Status {
	case kedge.Completed:
		delete(w.yes, c.Feature)
		if _, waits := w.wanted[c.Feature]; waits {
			w.fail(7, "done, and no session was told why it was reopened")
		}
		if f.checks == noChecks && w.agreed[c.Feature] != c.Hash {
			w.fail(1, "done without a check, and nobody accepted this definition of it")
		}
		if w.aside[c.Feature] && f.checks == noChecks {
			w.fail(1, "done without its work, which was set aside")
		}
		delete(w.aside, c.Feature)
	case kedge.NeedsReview:
		w.aside[c.Feature] = c.Commit == "" && w.lost[c.Job] && !w.job(c.Job).moot
		if w.aside[c.Feature] {
			w.seen.Aside++
		}
	default:
		delete(w.aside, c.Feature)
	}
}

// hearLanded keeps what the user's branch has, as the run is told it.
func (w *world) hearLanded(ev run.Input) {
	c, ok := w.s.Outstanding(ev.Epoch)
	if !ok || c.Kind != run.Land || ev.Outcome != run.OK {
		return
	}
	w.users = max(w.users, number(c.Commit))
	for id, work := range w.yes {
		if work <= w.users {
			delete(w.yes, id)
		}
	}
}

// checkUsers: on the user's own branch only the user takes work back.
func (w *world) checkUsers(c run.Command) {
	if c.Purpose != run.TakeBack || c.Kind != run.Integrate && c.Kind != run.Commit {
		return
	}
	for sha := range strings.SplitSeq(c.Commit, ",") {
		if number(sha) <= w.users {
			w.fail(8, "work is taken back that is on the user's branch")
		}
	}
}
