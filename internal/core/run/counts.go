package run

import "kedge"

// moot ends a job of whose work the merge leaves nothing, because others have made the same
// since it began. Nothing is committed, and nothing is done by it: its feature, whose checks
// are green without it, is for a person to accept, as any is whose checks are green without
// work, or was said to be done before. It tells whether that is so.
func (t *stepper) moot(j *Job, c Command) bool {
	ev, f := t.ev, t.feature(j)
	sound := ev.Outcome == Green && ev.Evidence != "" && ev.Tree != ""
	switch {
	case !ev.Moot || !sound && ev.Outcome != Empty:
		return false
	case j.Kind == Fix && sound:
		t.mended(j, Reverting)
	case j.Kind != Build:
		return false
	case sound && f.Claim != "" && j.Proof == Fails:
		j.Kind, j.Merged, j.Evidence, j.Onto, j.Commit = Confirm, ev.Tree, ev.Evidence, c.Base, c.Base
		t.verified(c.Base)
		t.finishWork(j)
	default:
		j.Tree, j.Merged, j.Evidence = "", "", ev.Evidence // there is no work
		t.review(j, "nothing is left of its work after the merge: "+ev.Text)
	}
	return true
}

// mended ends the fix of a baseline that is green without it. Unchanged, it is one that
// no session can mend.
func (t *stepper) mended(j *Job, then Phase) {
	j.End, j.Reason = kedge.Completed, "the baseline is green now: it needs no session"
	if t.s.Red.covers(t.ev.Tree, t.ev.Environment) {
		t.s.Doubt, j.Flaky = t.s.Red, true
		j.Reason = "the baseline was red and is now green without a change"
	}
	t.s.Red = Seen{}
	t.enter(j, then)
}

// stale tells whether what a job's first session is to mend was seen on a base that is not
// the tip any more: somebody may have mended it there.
func (t *stepper) stale(j *Job) bool {
	f := t.feature(j)
	return j.Sessions == 0 && j.Base != t.s.Tip && (j.Kind == Fix || j.Kind == Build && f.Red)
}

// anew tells whether nothing that was seen before counts for a feature: its work was denied,
// or its checks were seen red and green.
func (t *stepper) anew(j *Job) bool {
	f := t.feature(j)
	return f != nil && (f.Denied || f.Red)
}

// unproven tells whether what is green says nothing about the work of a job: there is no
// check of the feature, or none that was red before, and a person denied such work before.
func (j *Job) unproven(f *Feature) string {
	switch {
	case f.Denied && j.Kind == Build && j.Proof == Green:
		return "its checks were green before the work, and you denied such work before: they prove nothing"
	case j.Proof == NoChecks && !(j.Kind == Confirm && f.Claim == ClaimAccepted && j.Evidence != "") && j.Evidence == "":
		return "it has no checks of its own, and the project has none"
	case j.Proof == NoChecks && !(j.Kind == Confirm && f.Claim == ClaimAccepted):
		return "it has no checks of its own"
	default:
		return ""
	}
}
