package run

import (
	"slices"

	"kedge"
)

// Cause is why a feature that was done is red again: its check, the first failure, and
// since when.
type Cause struct {
	Feature kedge.FeatureID `json:"feature"`
	Why     string          `json:"why"`
}

// cause is why a feature is red again; empty: it is not, or that is unknown.
func (s *State) cause(id kedge.FeatureID) string {
	for _, c := range s.Causes {
		if c.Feature == id {
			return c.Why
		}
	}
	return ""
}

// breaks knows of completed features that are red on the base, without the work of the
// job. They are repaired first: the job goes on behind that. A base whose red features
// the run does not know is a red baseline that no session of it can mend.
func (t *stepper) breaks(j *Job, again Phase) {
	known := false
	for _, id := range t.ev.Features {
		known = t.regress(t.s.place(id), t.ev.Reason) || known
	}
	t.queue(j, again)
	if !known {
		t.halt(RedBaseline, "features that were done are red again: "+t.ev.Reason)
		j.Phase = Stuck // a person's continue tries again
	}
}

// tipBreaks knows that what is to land breaks features that were done. It lands where a
// person wants just that. A run that was over works on them when a person wants it.
func (t *stepper) tipBreaks(j *Job) {
	scope := t.s.LandScope
	if t.s.LandBy != "" {
		t.halt(Returned, "features that were done are red again")
	}
	t.breaks(j, Preparing)
	if scope == Breaking {
		t.soundBase(j)
		return
	}
	t.unlandable(j, IsBroken(t.s.Broken()))
}

// regress reopens a feature that is red again, a bounded number of times. It tells
// whether the run knows the feature.
func (t *stepper) regress(i int, cause string) bool {
	if i < 0 || t.s.Features[i].Status == kedge.Skipped {
		return false
	}
	f := &t.s.Features[i]
	f.Regressions++
	f.Red = true
	t.s.Causes = slices.DeleteFunc(t.s.Causes, func(c Cause) bool { return c.Feature == f.ID })
	why := "red again: " + quote(string(f.ID))
	if cause != "" {
		t.s.Causes = append(t.s.Causes, Cause{f.ID, cause})
		why = "red again: " + cause
	}
	if f.Status != kedge.Completed {
		return true // somebody has taken it up, or blocked it, meanwhile
	}
	f.Status, f.Claim = kedge.Regressed, ClaimDone
	if f.Regressions > t.s.Rules.Regressions {
		f.Status, why = kedge.BlockedWork, "it was done and is red again, more than once"
	}
	t.mark(f, why)
	return true
}

// waits tells whether work on a feature waits until others are green again that were
// done: all does that they do not need.
func (s *State) waits(i int) bool {
	first := s.first()
	return first != nil && i >= 0 && !first[i]
}

// first are the places of the features that come before all others: those that were
// done and are red again, and what these need. Nil: none does.
func (s *State) first() map[int]bool {
	var todo []int
	for _, id := range s.Broken() {
		todo = append(todo, s.place(id))
	}
	if todo == nil {
		return nil
	}
	out := map[int]bool{}
	for ; len(todo) > 0; todo = todo[1:] {
		if i := todo[0]; i >= 0 && i < len(s.Features) && !out[i] {
			out[i] = true
			todo = append(todo, s.Features[i].Needs...)
		}
	}
	return out
}

// holdForRegression halts a run in which something waits for a feature to be green
// again that nobody works on any more: no new feature starts on what is broken.
func (t *stepper) holdForRegression() {
	broken := t.s.Broken()
	t.s.Causes = slices.DeleteFunc(t.s.Causes, func(c Cause) bool { return !slices.Contains(broken, c.Feature) })
	if t.s.Halt != "" || len(broken) == 0 || t.planning() || t.next() >= 0 || t.s.awaits(0, Land) ||
		t.s.has(func(j *Job) bool { return j.Phase != Ready }) {
		return
	}
	waiting := len(t.s.Jobs) > 0
	for i := range t.s.Features {
		waiting = waiting || open(t.s.Features[i].Status) && t.s.waits(i)
	}
	if waiting {
		t.halt(RedBaseline, IsBroken(broken)+": nothing new starts until that is repaired")
	}
}

// lookAgain takes up what is red again and was given up, because a person continues the
// run: somebody may have mended it.
func (t *stepper) lookAgain() {
	for i := range t.s.Features {
		f := &t.s.Features[i]
		if f.Red && f.Status == kedge.BlockedWork && t.jobOf(f.ID) == nil {
			f.Status, f.Claim, f.Attempts, f.Regressions, f.Spent = kedge.Regressed, ClaimDone, 0, 0, kedge.Spend{}
			if f.Denied {
				f.Claim = ""
			}
			t.mark(f, "continued by "+t.who())
		}
	}
}
