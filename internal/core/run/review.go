package run

import (
	"slices"

	"kedge"
)

// decided is a person's word about a diff.
func (t *stepper) decided() {
	t.addFeatures(t.ev.Specs, t.planning())
	j := t.jobOf(t.ev.Feature)
	if j == nil && t.ev.Kind == Denied {
		t.refuse()
	}
	if j == nil || j.Phase != Reviewing && !(t.ev.Kind == Denied && j.Approved()) {
		return
	}
	if t.ev.Kind == Denied {
		if f := t.feature(j); f != nil {
			f.Claim, f.Denied = "", true
		}
		t.giveUp(j, "denied by "+t.who()+": "+t.ev.Reason)
		return
	}
	if f := t.feature(j); f != nil {
		f.Status = kedge.InProgress
		t.mark(f, "approved by "+t.who())
	}
	j.Wide = j.Wide || j.Beyond != "" || j.Doubt != DoubtAsked
	if j.Reason, j.Beyond = "", ""; j.Doubt == DoubtAsked {
		j.Doubt = DoubtLifted
	}
	t.queue(j, Integrating)
}

// refuse reopens a feature that waits for review and no job has. Work of it that
// is on the integration branch is taken back first, whatever the feature is by now;
// its next session is told why. What people skipped or blocked stays so.
func (t *stepper) refuse() {
	i := t.s.place(t.ev.Feature)
	if i >= 0 {
		t.told(&t.s.Features[i])
	}
	if i < 0 || t.s.Features[i].Status != kedge.NeedsReview && !t.s.Features[i].Waits() && !t.s.accepted(i) {
		return
	}
	f := &t.s.Features[i]
	f.Denied = true
	why := "refused by " + t.who() + ": " + t.ev.Reason
	if t.s.Over() || t.s.onlyLands() {
		t.halt(Returned, "the work on "+quote(string(f.ID))+" was "+why)
	}
	told := "The work that was there for this feature was " + why
	if f.Work == "" || f.Let == LetLanded {
		t.reopen(f, "", told)
		return
	}
	if t.ev.Reason != "" || !f.Wanted { // else what you said before holds
		t.want(f, told, t.ev.Actor)
	}
	t.s.LastJob++
	j := Job{ID: t.s.LastJob, Kind: Undo, Feature: i, Hash: f.Hash, Attempt: 1, Reason: why, Undoes: f.Work}
	if f.Status == kedge.Skipped || f.Status == kedge.BlockedWork {
		j.End = f.Status
	}
	f.Status, f.Let = kedge.InProgress, ""
	t.mark(f, why)
	t.s.Jobs = append(t.s.Jobs, j)
	t.queue(&t.s.Jobs[len(t.s.Jobs)-1], Integrating)
}

// onlyLands tells whether a run that was over lands because a person asked for it, and does nothing else.
func (s *State) onlyLands() bool {
	return s.LandBy != "" && !s.has(func(j *Job) bool { return j.Kind != Verify && j.Kind != Undo && j.Kind != Accept })
}

// told takes over which work of a feature waits, as who asks has found it: what has
// landed is not among it, nor is what was taken back.
func (t *stepper) told(f *Feature) {
	for _, spec := range t.ev.Specs {
		if spec.ID == f.ID && spec.Work != "" {
			f.Work, f.Let = spec.Work, ""
			if f.Status == kedge.Completed { // it was reopened since
				f.Status = kedge.Pending
			}
		}
	}
}

func (t *stepper) accept(f *Feature, j *Job) {
	switch {
	case t.ev.Reason == "" || f.Status != kedge.NeedsReview && !f.Waits():
	case j != nil && j.Phase == Reviewing:
		t.decided()
	case j != nil && j.Kind == Undo && j.Acceptable(): // you refused it before, and nothing of it is taken back yet
		t.cancel(j)
		id := j.ID
		t.s.Jobs = slices.DeleteFunc(t.s.Jobs, func(o Job) bool { return o.ID == id })
		t.takeOn(f, id)
	case j != nil || f.Aside: // it is on its way, or there is nothing to accept
	case f.Work != "" || t.ev.Scope == InLedger && t.s.Over():
		t.s.LastJob++
		t.takeOn(f, t.s.LastJob)
	default:
		f.Denied = false
		t.reopen(f, ClaimAccepted, "")
	}
}

// Acceptable tells whether you can accept the work of a job now.
func (j *Job) Acceptable() bool {
	if j.Kind == Undo {
		return !committing(j.Phase)
	}
	return j.Phase == Reviewing || j.Phase == Ledgering && j.End == kedge.NeedsReview
}

// reopen gives a feature its whole budget again. With a claim it is completed
// as soon as a clean worktree shows it green. Wanted is what its next session is
// for; empty: its checks say it.
func (t *stepper) reopen(f *Feature, claim Claim, wanted string) {
	f.Status, f.Claim, f.Attempts, f.Regressions, f.Spent = kedge.Pending, claim, 0, 0, kedge.Spend{}
	f.Wanted, f.Aside = false, false
	if f.Let == LetAccepted {
		f.Let = ""
	}
	c := Command{Kind: Mark, Feature: f.ID, Hash: f.Hash, Status: f.Status, Reason: t.word(), Actor: t.ev.Actor}
	if wanted != "" {
		c.Scope, c.Text = Wanted, wanted
	}
	t.issue(nil, c)
	t.want(f, wanted, t.ev.Actor)
}

// want keeps that a person wants something of a feature which its checks need not
// show, and has its next session told what.
func (t *stepper) want(f *Feature, what string, by kedge.Actor) {
	if what == "" {
		return
	}
	f.Wanted = true
	t.issue(nil, Command{Kind: Tell, Scope: Wanted, Feature: f.ID, Text: what, Actor: by})
}

// takeOn completes a feature whose work is on the integration branch by a person's
// word. The ledger there says so before it lands: a job writes it down. What the user's
// own branch has needs none, for its ledger is the user's too, nor does a feature without
// work there. A run that was over stays so.
func (t *stepper) takeOn(f *Feature, id int) {
	why := "accepted by " + t.who() + ": " + t.ev.Reason
	if t.s.Over() {
		t.halt(Returned, "the work on "+quote(string(f.ID))+" was "+why)
	}
	j := Job{
		ID: id, Kind: Accept, Feature: t.s.place(f.ID), Hash: f.Hash, Attempt: 1, Reason: why,
		End: kedge.Completed, Commit: newest(f.Work),
	}
	landed := t.s.AllLanded() || f.Work == ""
	if landed || f.Let == LetLanded {
		f.Work, f.Let = "", ""
	} else {
		f.Let = LetAccepted
	}
	if landed {
		f.Status = kedge.Completed
		t.takenOn(f, &j, "")
		t.overAgain(f, &j)
		return
	}
	t.s.Jobs = append(t.s.Jobs, j)
	t.queue(&t.s.Jobs[len(t.s.Jobs)-1], Ledgering)
}

// takenOn knows that the ledger has the person's word. The work can still be taken back
// until it lands, where it is reopened first. What was not to land by itself
// before does not do so now: nothing but that word is on top of it.
func (t *stepper) takenOn(f *Feature, j *Job, before string) {
	f.Claim, f.Attempts, f.Spent, f.Red, f.Denied = "", 0, kedge.Spend{}, false, false // its work it keeps: reopened before it lands, that waits again
	if t.s.Landed == before && t.s.LandRefusal != "" {
		t.s.Landed = t.s.Tip
		t.s.refuseLanding("accepted when the run was over")
		if waiting := t.s.Unaccepted(); len(waiting) > 0 {
			t.s.refuseLanding(awaitsReview(waiting))
		}
	}
	if t.s.LandBy != "" {
		t.land()
	}
}

// accepted tells whether a feature has work that was accepted and has not landed: who
// reopened it since can refuse it, though a run that was over was not told.
func (s *State) accepted(i int) bool {
	return s.Features[i].Work != "" && s.Features[i].Let == LetAccepted && !s.AllLanded()
}
