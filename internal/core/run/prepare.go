package run

import "kedge"

// newAttempt gives the job a fresh start at the tip.
func (t *stepper) newAttempt(j *Job) {
	j.Attempt++
	j.Repairs, j.Crashes, j.Kills, j.Sessions, j.Reruns, j.Wide, j.Doubt = 0, 0, 0, 0, 0, false, ""
	j.Fresh, j.Seen, j.Tree, j.Merged, j.Evidence, j.Carry, j.Failure, j.Reason, j.Question = "", Seen{}, "", "", "", "", "", "", ""
	t.enter(j, Preparing)
}

// prepared asserts the base, then verifies it before anything is built on it.
func (t *stepper) prepared(j *Job) {
	ev := t.ev
	switch {
	case ev.Outcome == CannotRun && j.Kind == Verify:
		t.unlandable(j, "its checks cannot run: "+ev.Reason)
		return
	case ev.Outcome == CannotRun:
		t.cannotRun(j)
		return
	case ev.Outcome != OK || ev.Commit != j.Base:
		t.ev.Outcome, t.ev.Reason = Drifted, "the worktree is not at commit "+quote(j.Base)
		t.stuck(j)
		return
	}
	j.BaseTree, j.Environment = ev.Tree, ev.Environment
	switch {
	case j.Carry != "" && j.Onto != "" && j.Onto != j.Base: // the failure was seen on another merge
		j.Carry, j.Failure, j.Repairs = "", "", 0
		t.enter(j, Gating)
	case j.Kind == Plan || j.Carry != "":
		j.Carry = ""
		t.enter(j, Briefing)
	default:
		t.onBase(j)
	}
}

// onBase goes on by what is known of the job's base; what is not known, its baseline says.
func (t *stepper) onBase(j *Job) {
	switch {
	case j.Kind == Fix: // somebody may have mended it
		t.enter(j, Baselining)
	case t.s.Green.covers(j.BaseTree, j.Environment) && !t.anew(j):
		t.soundBase(j)
	case j.Kind != Verify && t.s.Red.covers(j.BaseTree, j.Environment):
		t.queue(j, Preparing)
	default:
		t.enter(j, Baselining)
	}
}

// baselines tells whether another job waits for the verdict on the very base of this one:
// it has its verdict too when that is there.
func (t *stepper) baselines(j *Job) bool {
	return t.s.has(func(o *Job) bool {
		return o.ID != j.ID && o.Phase == Baselining && o.BaseTree == j.BaseTree && o.Environment == j.Environment
	})
}

// waitsForBaseline tells whether a job waits for the verdict that another one is given.
func (j *Job) waitsForBaseline() bool {
	return j.Phase == Ready && j.Resume == Baselining && j.Reruns == 0
}

// soundBase goes on from a base that is green.
func (t *stepper) soundBase(j *Job) {
	t.verified(j.Base)
	if j.Kind == Verify {
		j.Reason = "checking what is to land"
		t.enter(j, Reverting)
		return
	}
	t.enter(j, Proving)
}

// verified knows that every check of the project is green on a commit.
func (t *stepper) verified(commit string) {
	if commit == t.s.Tip {
		t.s.Verified = commit
	}
}

// unlandable leaves the tip where it is: nobody saw it green.
func (t *stepper) unlandable(j *Job, why string) {
	if j.Base == t.s.Tip {
		t.s.Landed, t.s.LandBy, t.s.LandScope = j.Base, "", ""
		t.s.refuseLanding("with your branch merged in, " + why)
		t.s.LandAt = j.Base
	}
	j.Reason = why
	t.enter(j, Reverting)
}

// dropVerify ends the look at a tip: a person wants nothing to land by itself.
func (t *stepper) dropVerify() {
	t.s.LandScope = ""
	for i := range t.s.Jobs {
		if j := &t.s.Jobs[i]; j.Kind == Verify && j.Phase != Reverting {
			j.Reason = t.s.Why
			t.enter(j, Reverting)
		}
	}
}

// tipChecked answers the gate that ran on what is to land.
func (t *stepper) tipChecked(j *Job) {
	ev := t.ev
	switch {
	case ev.Outcome == Void && j.Reruns == 0:
		j.Reruns++
		t.enter(j, Baselining)
	case (ev.Outcome == Green || ev.Outcome == Empty) && !t.s.Red.covers(j.BaseTree, j.Environment):
		t.s.Green = Seen{Tree: j.BaseTree, Environment: j.Environment, Outcome: ev.Outcome}
		t.soundBase(j)
	case ev.Outcome == Green || ev.Outcome == Empty:
		t.unlandable(j, "its checks were red once, then green without a change")
	case ev.Outcome == Red:
		t.unlandable(j, "its checks are red: "+ev.Failure)
	case ev.Outcome == Regressed:
		t.tipBreaks(j)
	case ev.Outcome == Void:
		t.unlandable(j, "its files change while the checks run")
	case ev.Outcome == Partial:
		t.unlandable(j, "only some of its checks ran")
	default:
		t.unlandable(j, "its checks cannot run: "+ev.Reason)
	}
}

// cannotRun blocks a job because of its surroundings, which every other
// feature shares: nothing new starts, and no agent is paid.
func (t *stepper) cannotRun(j *Job) {
	why := "environment: " + t.ev.Reason
	if j.Feature >= 0 {
		t.s.Barred = append(t.s.Barred, j.Feature)
	}
	t.halt(Environment, why)
	t.giveUp(j, why)
}

// baselined answers the gate that ran before any work.
func (t *stepper) baselined(j *Job) {
	ev := t.ev
	switch ev.Outcome {
	case Green, Empty:
		if j.Kind == Fix {
			t.mended(j, Ledgering)
			return
		}
		if t.s.Red.covers(j.BaseTree, j.Environment) { // somebody saw it red: that is looked into first
			t.queue(j, Preparing)
			return
		}
		t.s.Green = Seen{Tree: j.BaseTree, Environment: j.Environment, Outcome: ev.Outcome}
		t.soundBase(j)
	case Red:
		if t.s.Green.covers(j.BaseTree, j.Environment) && j.Reruns == 0 && j.Kind != Fix {
			j.Reruns++
			t.enter(j, Baselining)
			return
		}
		t.s.Red = Seen{Tree: j.BaseTree, Environment: j.Environment, Outcome: Red, Failure: ev.Failure}
		switch {
		case t.s.Doubt.covers(j.BaseTree, j.Environment): // no session can fix that
			t.halt(RedBaseline, "the baseline is flaky: "+ev.Failure)
			t.queue(j, Preparing)
		case j.Kind == Fix:
			t.enter(j, Briefing)
		default:
			t.queue(j, Preparing)
		}
	case Regressed:
		t.breaks(j, Preparing)
	case Void:
		if j.Reruns == 0 {
			j.Reruns++
			t.enter(j, Baselining)
			return
		}
		t.ev.Reason = "files change while the checks run"
		t.cannotRun(j)
	case Partial:
		t.ev.Reason = "only some checks of the baseline ran"
		t.cannotRun(j)
	default:
		t.cannotRun(j)
	}
}

// proved knows what the feature's checks say before any work.
func (t *stepper) proved(j *Job) {
	f := t.feature(j)
	j.Proof = t.ev.Outcome
	switch t.ev.Outcome {
	case Fails:
		t.enter(j, Briefing)
	case NoChecks:
		switch f.Claim {
		case ClaimAccepted:
			t.confirm(j)
		case ClaimSaid:
			t.review(j, "its list or plan marks it as done, and it has no checks of its own")
		default:
			t.enter(j, Briefing)
		}
	case Green, Tests:
		switch {
		case f.Claim != "":
			t.confirm(j)
		case f.Wanted || t.ev.Outcome == Tests && !f.Red: // checks do not show what a person misses; and new tests can show what the work does
			t.enter(j, Briefing)
		default:
			t.review(j, "its checks are green before any work")
		}
	case CannotRun:
		t.giveUp(j, "environment: "+t.ev.Reason)
	default:
		t.giveUp(j, "a check is broken: "+t.ev.Reason)
	}
}

// confirm shows in the clean worktree that a feature is done already.
func (t *stepper) confirm(j *Job) {
	j.Kind, j.Tree = Confirm, j.BaseTree
	t.enter(j, Integrating)
}

// giveUp blocks the job's feature with an explanation.
func (t *stepper) giveUp(j *Job, why string) { t.setAside(j, kedge.BlockedWork, why) }

// review leaves the job's feature to a person.
func (t *stepper) review(j *Job, why string) { t.setAside(j, kedge.NeedsReview, why) }

// setAside ends the job without completing its feature: a session is saved and
// ended, the work is salvaged, the worktree reverted, the ledger written.
func (t *stepper) setAside(j *Job, end kedge.Status, why string) {
	j.End, j.Reason = end, why
	if j.Kind == Accept && t.feature(j).Let == LetAccepted { // it is not written down: you have not accepted it
		t.feature(j).Let = ""
	}
	saving := func(p Phase) bool { return p == Saving || p == Ending }
	switch {
	case saving(j.Phase) || j.Phase.Parked() && saving(j.Resume):
		j.Then = Reverting
	case t.s.Live(j.ID):
		t.endSession(j, Reverting)
	default:
		t.enter(j, Reverting)
	}
}
