package run

import (
	"slices"
	"strconv"
	"strings"

	"kedge/internal/text/words"

	"kedge"
)

// settle does what follows from the state alone: jobs that can go on do, free
// slots are filled, and the run says where it stands.
func (t *stepper) settle() {
	t.resume()
	t.sweep()
	t.pick()
	t.sweep()
	t.holdForRegression()
	t.giveBack()
	t.conclude()
}

// giveBack lets go of features that a halted run took up and no session worked on: nobody works
// on them, and nothing of them waits. When the run goes on it takes them up again.
func (t *stepper) giveBack() {
	if t.s.Halt == "" || t.s.Halt == Paused {
		return
	}
	rests := t.s.busy() == 0
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		if j.Phase != Ready || j.Kind != Build || j.Sessions > 0 || !t.s.Halt.holds(j.Resume) && !rests {
			continue
		}
		to := kedge.Pending
		if t.feature(j).Red {
			to = kedge.Regressed
		}
		t.setAside(j, to, "not begun: "+t.s.Why)
	}
}

func (t *stepper) resume() {
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		takesSlot := j.Kind != Accept && j.Kind != Verify
		switch {
		case j.Phase != Ready || t.s.awaits(j.ID, Park) || takesSlot && t.s.busy() >= t.s.Rules.Parallel:
		case j.waitsForBaseline() && t.open(j, Baselining):
			t.onBase(j)
		default:
			t.enter(j, j.Resume)
		}
	}
}

// sweep takes jobs out that are over.
func (t *stepper) sweep() {
	for _, j := range t.s.Jobs {
		if j.Phase == Done {
			t.drop(func(c Command) bool { return c.Job == j.ID })
		}
	}
	t.s.Jobs = slices.DeleteFunc(t.s.Jobs, func(j Job) bool { return j.Phase == Done })
}

// pick starts jobs while there is room: the fix of a red baseline before
// anything else, nothing while a provider's limit or the verdict on a base is waited for.
func (t *stepper) pick() {
	for t.s.Halt == "" && !t.planning() && t.s.busy() < t.s.Rules.Parallel {
		if t.s.Red.Tree != "" {
			if !t.s.has(func(j *Job) bool { return j.Kind == Fix }) {
				t.newJob(Fix, unknown)
			}
			return
		}
		i := t.next()
		if i < 0 || t.s.has(func(j *Job) bool { return j.Phase == Limited || j.waitsForBaseline() }) ||
			t.s.moving() > t.s.Rules.Parallel && t.s.Features[i].Status != kedge.Regressed || !t.room() {
			return // enough wait for their turn; but what regressed comes before all of them
		}
		if !t.affordable(i) {
			return
		}
		t.newJob(Build, i)
	}
}

// affordable halts the run rather than prepare what no session can follow.
func (t *stepper) affordable(i int) bool {
	if over := t.s.OverBudget(&Job{Feature: i}); over != "" {
		t.halt(OverBudget, over)
	}
	if n := t.s.Rules.MaxSessions; n > 0 && t.s.Sessions >= n {
		t.halt(MaxSessions, t.s.Rules.AllSessionsRan())
	}
	return t.s.Halt == ""
}

// next is the feature to work on: what regressed first, with what it needs, and
// nothing else before that is green; then in the order of the plan.
func (t *stepper) next() int {
	found, first := unknown, t.s.first()
	for i := range t.s.Features {
		f := &t.s.Features[i]
		switch {
		case !open(f.Status) || found >= 0 && f.Status != kedge.Regressed || first != nil && !first[i] || t.s.Later(f):
		case !t.needsMet(f) || t.s.has(func(j *Job) bool { return j.Feature == i }):
		case f.Status == kedge.Regressed:
			return i
		default:
			found = i
		}
	}
	return found
}

func open(s kedge.Status) bool {
	return s == kedge.Pending || s == kedge.InProgress || s == kedge.Regressed
}

func (t *stepper) needsMet(f *Feature) bool {
	return !slices.ContainsFunc(f.Needs, func(n int) bool {
		return n < 0 || n >= len(t.s.Features) || t.s.Features[n].Status != kedge.Completed
	})
}

func (t *stepper) newJob(kind JobKind, feature int) {
	t.s.LastJob++
	j := Job{ID: t.s.LastJob, Kind: kind, Phase: Ready, Feature: feature, Away: true}
	if feature >= 0 {
		f := &t.s.Features[feature]
		f.Status, j.Hash = kedge.InProgress, f.Hash
		t.mark(f, "selected")
	}
	t.s.Jobs = append(t.s.Jobs, j)
	t.newAttempt(&t.s.Jobs[len(t.s.Jobs)-1])
}

// conclude derives the status, lands what is finished, and tells people when
// the run wants something of them or is over.
func (t *stepper) conclude() {
	if t.finished() && t.s.Halt != Paused && t.s.Halt != Stopped && (t.s.Halt != Returned || t.s.AllLanded()) {
		t.setHalt("", "") // it holds nothing back
	}
	if t.s.Halt == "" && len(t.s.Jobs) == 0 && !t.planning() && t.s.Rules.Land != "never" && t.s.Landed != t.s.Tip {
		t.land()
	}
	before := t.s.Status
	t.s.Outcome = ""
	t.s.Status, t.s.Reason = t.standing()
	if t.s.Status == before {
		return
	}
	switch t.s.Status {
	case StatusWaiting, StatusQuota, StatusOverBudget, StatusDone, StatusStopped:
		c := Command{Kind: Notify, Text: string(t.s.Status), Reason: t.s.Reason}
		if t.s.AtPhaseEnd() {
			c.Scope, c.Commit = PhaseEnd, t.s.Tip
		}
		t.issue(nil, c)
	default:
	}
}

// finished tells whether nothing is left to do.
func (t *stepper) finished() bool {
	return len(t.s.Jobs) == 0 && len(t.s.Features) > 0 && !t.planning() &&
		!slices.ContainsFunc(t.s.Features, func(f Feature) bool { return !f.Status.Over() && !t.s.Later(&f) })
}

func (t *stepper) standing() (Status, string) {
	s := &t.s
	active := s.busy() > 0
	switch {
	case s.Halt == Paused:
		return StatusPaused, s.Why
	case s.Halt != "" && !active && s.has(func(j *Job) bool { return s.Live(j.ID) }):
		return StatusWaiting, s.Why + t.wanted()
	case s.Halt == Stopped:
		return StatusStopped, s.Why
	case s.Halt == OverBudget:
		return StatusOverBudget, s.Why
	case active && t.planning():
		return StatusPlanning, ""
	case active:
		return StatusRunning, s.Why
	case s.Halt == Returned:
		return StatusStopped, s.Why + t.wanted()
	case s.Halt != "":
		return StatusStopped, s.Why
	case s.has(func(j *Job) bool { return j.Phase == Limited }):
		return StatusQuota, "waiting for a provider's limit to end"
	case s.awaits(0, Land) && s.has(func(j *Job) bool { return j.Kind == Undo && j.Phase == Ready }): // which waits for that
		return StatusRunning, "landing"
	case len(s.Jobs) > 0:
		return StatusWaiting, strings.TrimPrefix(t.wanted(), "; ")
	case t.planning():
		return StatusWaiting, "the plan waits for answers or approval"
	case s.awaits(0, Land):
		return StatusRunning, "landing"
	}
	status, text := t.outcome()
	s.Outcome = text
	if s.LandRefusal != "" {
		text += "; not landed: " + s.LandRefusal
	}
	return status, text
}

// wanted says what the first of the parked jobs want of a person, each behind a
// semicolon, and how many more there are.
func (t *stepper) wanted() string {
	const shown = 3
	text, n := "", 0
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		if j.Phase != Asking && j.Phase != Reviewing && j.Phase != Stuck {
			continue
		}
		if n++; n > shown {
			continue
		}
		name := "the work"
		if f := t.feature(j); f != nil {
			name = quote(string(f.ID))
		}
		switch j.Phase {
		case Asking:
			text += "; " + name + " asks: " + j.Question
		case Reviewing:
			text += "; " + name + " waits for review: " + j.Reason
		case Stuck:
			text += "; " + name + " could not continue"
		default:
		}
	}
	if n > shown {
		text += "; and " + strconv.Itoa(n-shown) + " more"
	}
	return text
}

// outcome is how a run ends by itself.
func (t *stepper) outcome() (Status, string) {
	left := 0
	counts := []struct {
		status kedge.Status
		what   string
		n      int
	}{
		{kedge.BlockedWork, "blocked", 0},
		{kedge.NeedsReview, "waiting for review", 0},
		{kedge.Pending, "waiting for another feature", 0},
		{"", "accepted since", 0},
	}
	held := 0
	for _, f := range t.s.Features {
		if t.s.Later(&f) {
			held++
			continue
		}
		if f.Status.Over() {
			continue
		}
		left++
		status := f.Status
		switch {
		case open(status):
			status = kedge.Pending
		case f.Let == LetAccepted:
			status = ""
		}
		for i := range counts {
			if counts[i].status == status {
				counts[i].n++
			}
		}
	}
	switch {
	case left == 0 && held > 0:
		return StatusDone, t.s.phaseDone(held)
	case left == 0:
		return StatusDone, t.allDone()
	}
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, strconv.Itoa(c.n)+" "+c.what)
		}
	}
	return StatusStopped, "no feature can continue: " + strings.Join(parts, ", ")
}

// allDone says what the features came to when nothing is left.
func (t *stepper) allDone() string {
	n, skipped := len(t.s.Features), 0
	for _, f := range t.s.Features {
		if f.Status == kedge.Skipped {
			skipped++
		}
	}
	switch {
	case skipped > 0:
		return strconv.Itoa(n-skipped) + " verified, " + strconv.Itoa(skipped) + " skipped"
	case n == 1:
		return "the feature is done"
	default:
		return "all " + strconv.Itoa(n) + " features are done"
	}
}

// land asks for the user's branch to be moved to the tip. A tip that no gate
// saw, a merge of what people committed for example, is looked at first. Work that
// nobody accepted does not land, nor does what is on top of it; and what is known to
// break a feature that was done lands only when a person asks for just that.
func (t *stepper) land() {
	waiting, broken := t.s.Unaccepted(), t.s.Broken()
	switch {
	case t.s.awaits(0, Land):
	case t.s.has(func(j *Job) bool { return j.Kind == Accept && j.Phase != Done || j.Kind == Undo && j.Phase.OnTrunk() }): // they first
	case len(waiting) > 0:
		t.s.Landed, t.s.LandBy, t.s.LandScope = t.s.Tip, "", ""
		t.s.refuseLanding(awaitsReview(waiting))
	case len(broken) > 0 && t.s.LandScope != Breaking:
		t.s.Landed, t.s.LandBy = t.s.Tip, ""
		t.s.refuseLanding(IsBroken(broken))
	case t.s.Verified == t.s.Tip:
		t.issue(nil, Command{Kind: Land, Commit: t.s.Tip, Actor: t.s.LandBy, Text: t.s.unchecked(), Scope: t.s.LandScope})
	case !t.s.has(func(j *Job) bool { return j.Kind == Verify }):
		t.newJob(Verify, unknown)
	}
}

// awaitsReview says why nothing lands.
func awaitsReview(ids []kedge.FeatureID) string {
	return words.Listed(ids, " waits for review", " wait for review")
}

// IsBroken says of features that they were done and are red again.
func IsBroken(ids []kedge.FeatureID) string {
	return words.Listed(ids, " was done and is red again", " were done and are red again")
}

// landed remembers the tip even where landing was refused: a person lands then.
// A branch that has the work in commits of its own is what a next run stands on.
func (t *stepper) landed(c Command) {
	t.s.Landed, t.s.LandBy, t.s.LandScope = c.Commit, "", ""
	t.s.refuseLanding("")
	if t.ev.Outcome == OK && c.Text != "" {
		t.landedWork(c.Text)
	}
	switch {
	case t.ev.Outcome != OK:
		t.s.refuseLanding(t.ev.Reason, t.ev.Next...)
		t.s.LandAt = t.ev.Commit
	case t.ev.Commit != "" && c.Commit == t.s.Tip && len(t.s.Jobs) == 0:
		t.s.Tip, t.s.Verified, t.s.Landed = t.ev.Commit, t.ev.Commit, t.ev.Commit
	}
}

// unchecked is the work on the integration branch that no check verified, accepted or
// let land.
func (s *State) unchecked() string {
	var all []string
	for i := range s.Features {
		if f := &s.Features[i]; f.Work != "" && f.Let != LetLanded {
			all = append(all, f.Work)
		}
	}
	return strings.Join(all, ",")
}

// landedWork knows that the user's branch has work: from now on only the user takes it
// back. What was made meanwhile has not landed.
func (t *stepper) landedWork(landed string) {
	for i := range t.s.Features {
		f := &t.s.Features[i]
		if f.Work == "" || f.Let == LetLanded {
			continue
		}
		switch left := without(f.Work, landed); {
		case left != "":
			f.Work = left
		case f.Status == kedge.Completed:
			f.Work, f.Let = "", ""
		default:
			f.Let = LetLanded
		}
	}
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		if j.Kind != Undo || j.Phase != Ready || j.Resume != Integrating {
			continue
		}
		if j.Undoes = without(j.Undoes, landed); j.Undoes == "" {
			t.review(j, j.Reason+"; Kedge cannot revert it, because it is on your branch")
		}
	}
}
