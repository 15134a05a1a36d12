package sim

import (
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/run"
)

// words are what people said of features, and what has to follow from it: accepted
// work lands with a ledger that says so, a feature that was reopened for a reason has
// a session that was told it, and no feature is done without its work.
type words struct {
	accepted map[kedge.FeatureID]int          // accepted, and not in the ledger yet: its newest commit
	wanted   map[kedge.FeatureID]string       // reopened, and no session was told why yet: the reason
	told     map[kedge.FeatureID]string       // what the run has its next session told
	briefs   map[int]string                   // by job: the scope of its last brief
	lost     map[int]bool                     // by job: whether its last revert set anything aside
	aside    map[kedge.FeatureID]bool         // waits for review, and its work was set aside
	agreed   map[kedge.FeatureID]string       // accepted as it is, with no work that waits: the definition that was accepted
	yes      map[kedge.FeatureID]int          // accepted, and not landed yet: its newest commit
	users    int                              // the commit that the run knows to be on the user's branch
	doubts   map[int]doubt                    // by job
	denied   map[kedge.FeatureID]int64        // a person denied work on it since it was last done: the newest command of then
	heard    map[kedge.FeatureID]word         // what they had said last when the job was over
	last     map[kedge.FeatureID]word         // what a person said last of a feature that a job has
	book     map[kedge.FeatureID]kedge.Status // what the ledger says
}

// word is what a person said of a feature while a job had it.
type word struct {
	kind run.InputKind
	job  int
}

func newWords() words {
	return words{
		accepted: map[kedge.FeatureID]int{}, wanted: map[kedge.FeatureID]string{}, told: map[kedge.FeatureID]string{},
		briefs: map[int]string{}, lost: map[int]bool{}, aside: map[kedge.FeatureID]bool{},
		agreed: map[kedge.FeatureID]string{}, yes: map[kedge.FeatureID]int{}, last: map[kedge.FeatureID]word{}, heard: map[kedge.FeatureID]word{}, book: map[kedge.FeatureID]kedge.Status{}, denied: map[kedge.FeatureID]int64{}, doubts: map[int]doubt{},
	}
}

// become is what a feature is once a job is over during which a person said so.
var become = map[run.InputKind][]kedge.Status{
	run.Reopened: {kedge.Pending, kedge.InProgress}, run.Skipped: {kedge.Skipped}, run.Barred: {kedge.BlockedWork},
}

// hearLast keeps what a person says of a feature that a job has. The ledger has it at once.
func (w *world) hearLast(ev run.Input) {
	f, j := w.s.FeatureOf(ev.Feature), w.s.JobOf(ev.Feature)
	if ev.Actor != human || f == nil || f.Early {
		return
	}
	if ev.Kind == run.Accepted && ev.Reason != "" && !f.Aside && (f.Status == kedge.NeedsReview || f.Waits()) && (j == nil || j.Acceptable()) {
		w.book[ev.Feature] = kedge.Completed
	}
	was := w.last[ev.Feature]
	delete(w.last, ev.Feature)
	delete(w.heard, ev.Feature)
	switch to := become[ev.Kind]; {
	case ev.Kind == run.Accepted && ev.Reason != "" && j != nil && j.Kind == run.Undo && j.Acceptable() && f.Waits():
		w.accepted[f.ID] = number(f.Work[strings.LastIndexByte(f.Work, ',')+1:])
		delete(w.wanted, f.ID)
	case to == nil:
		if ev.Kind == run.Accepted && ev.Reason != "" && j != nil && j.Phase == run.Ledgering && j.Acceptable() {
			w.last[ev.Feature] = word{ev.Kind, j.ID}
			w.agreed[ev.Feature] = f.Hash
		} else if ev.Kind != run.Amended && ev.Kind != run.Denied && ev.Kind != run.Approved {
			w.last[ev.Feature] = was // it says nothing about what becomes of it
		}
	default:
		if w.book[ev.Feature] = to[0]; j != nil && j.Kind != run.Undo { // whose work is taken back all the same
			w.last[ev.Feature] = word{ev.Kind, j.ID}
		}
	}
}

// checkLast: what a person said last of a feature holds as soon as the job is gone that had it.
func (w *world) checkLast() {
	for id, said := range w.last {
		f, j := w.s.FeatureOf(id), w.s.JobOf(id)
		if j != nil && j.ID == said.job {
			continue
		}
		delete(w.last, id)
		w.heard[id] = said
		w.seen.Again++
		if to := become[said.kind]; to != nil && !slices.Contains(to, f.Status) {
			w.fail(19, fmt.Sprintf("a person said %s, and %s is %s", said.kind, id, f.Status))
		}
	}
}

// writeBook is the ledger: a definition that was replaced since has a status of its own.
func (w *world) writeBook(c run.Command) {
	if f := w.s.FeatureOf(c.Feature); f != nil && c.Status != "" && c.Hash == f.Hash && (c.Kind == run.Mark || c.Kind == run.Ledger) {
		w.book[c.Feature] = c.Status
	}
}

// checkBook holds a run that rests to what its ledger says: it is what the run knows, and nothing
// is in progress that nobody works on and that does not wait for a person.
func (w *world) checkBook() {
	for _, f := range w.s.Features {
		j := w.s.JobOf(f.ID)
		if j == nil && f.Status != kedge.NeedsReview && !f.Early && w.book[f.ID] != f.Status {
			w.fail(19, fmt.Sprintf("%s is %s, and the ledger says %q", f.ID, f.Status, w.book[f.ID]))
		}
		if w.book[f.ID] == kedge.InProgress && (j == nil || w.s.Halt != "" && w.s.Halt != run.Paused && j.Kind == run.Build && j.Phase == run.Ready && j.Sessions == 0) {
			w.fail(19, fmt.Sprintf("the run rests, and %s is in progress", f.ID))
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

// said is what a person said last of a feature while the job had it that is just over.
func (w *world) said(id kedge.FeatureID) run.InputKind { return w.heard[id].kind }

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
		if _, said := w.accepted[c.Feature]; !said && w.agreed[c.Feature] != c.Hash && w.said(c.Feature) != run.Accepted {
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
