package run

import (
	"cmp"
	"strings"

	"kedge"
)

// gated is the verdict in the job's worktree: the baseline's, or the work's.
func (t *stepper) gated(j *Job) {
	switch {
	case j.Phase == Baselining && j.Kind == Verify:
		t.tipChecked(j)
		return
	case j.Phase == Baselining:
		t.baselined(j)
		return
	}
	ev := t.ev
	if t.contradicts(j) {
		t.enter(j, Gating)
		return
	}
	switch ev.Outcome {
	case Green, Partial, Empty:
		j.Tree = ev.Tree
		t.enter(j, Inspecting)
	case CannotRun:
		t.giveUp(j, "environment: "+ev.Reason)
	case Void:
		t.repair(j, "files change while the checks run")
	default:
		t.repair(j, ev.Failure)
	}
}

// contradicts notes the verdict and tells whether it has to be given again: it was void, or the
// same checks said something else about the same tree. Once per attempt.
func (t *stepper) contradicts(j *Job) bool {
	ev, before := t.ev, j.Seen
	red, whole := ev.Outcome == Red, ev.Kind == Integrated
	same := before.Tree != "" && before.Tree == ev.Tree
	if ev.Outcome != Void && (whole || !same || !before.Whole) {
		j.Seen = Seen{Tree: ev.Tree, Outcome: ev.Outcome, Whole: whole}
	}
	flaky := same && (before.Whole == whole || whole && !ev.Unseen) && (before.Outcome == Red) != red &&
		(red || ev.Outcome == Green || ev.Outcome == Partial)
	if flaky {
		j.Flaky = true
	}
	if !flaky && ev.Outcome != Void || j.Reruns > 0 {
		return false
	}
	j.Reruns++
	return true
}

// repair gives the attempt its one repair, told the first failure and nothing
// else; without one left, the attempt has failed.
func (t *stepper) repair(j *Job, failure string) {
	if j.Repairs > 0 {
		t.failAttempt(j, failure)
		return
	}
	j.Repairs++
	j.Failure, j.Wide, j.Doubt = failure, false, ""
	t.enter(j, Briefing)
}

// failAttempt counts the attempt, and begins the next one if there is one.
func (t *stepper) failAttempt(j *Job, why string) {
	j.Reason, j.End = cmp.Or(why, "its checks are not green"), kedge.BlockedWork
	if f := t.feature(j); f != nil {
		if f.Attempts++; f.Attempts < t.s.Rules.Budget(f.Budget).Attempts {
			j.End = ""
		}
	}
	t.enter(j, Reverting)
}

// inspected has looked at what the agent changed.
func (t *stepper) inspected(j *Job) {
	ev := t.ev
	switch {
	case j.Kind == Plan && (ev.Outcome == Empty || ev.Outcome == Clean):
		j.Phase = Done
	case j.Kind == Plan && ev.Outcome == Red: // told its faults once
		t.repair(j, ev.Failure)
	case j.Kind == Plan: // a planning session leaves the tree as it was
		j.Reason = "the planning session changed files: " + ev.Reason
		t.enter(j, Reverting)
	case j.Kind == Fix && ev.Outcome == Empty: // green, and nobody mended it
		t.ev.Tree, t.ev.Environment = t.s.Red.Tree, t.s.Red.Environment
		t.mended(j, Ledgering)
	case ev.Outcome == Clean:
		t.enter(j, Integrating)
	case ev.Outcome == Outside:
		t.beyond(j, "changed files outside its paths: "+ev.Reason)
	case ev.Outcome == Unapproved && j.Feature != unknown: // nobody can be asked about what has no name
		t.beyond(j, ev.Reason)
	case ev.Outcome == Empty:
		t.unchanged(j)
	default:
		t.repair(j, "the work may not change this: "+ev.Reason)
	}
}

// unchanged answers a session that changed nothing. Where no check can tell
// whether there was anything to do, that is for a person to say, like everything
// else about such a feature: it is no failure.
func (t *stepper) unchanged(j *Job) {
	why := cmp.Or(t.ev.Reason, "nothing was changed")
	switch {
	case j.Proof == NoChecks && j.Repairs > 0:
		j.Tree = "" // there is no work
		t.review(j, why+", and it has no checks of its own")
	case (j.Proof == Green || j.Proof == Tests) && j.Repairs > 0:
		j.Tree = ""
		t.review(j, why+", and its checks were green before")
	default:
		t.repair(j, why)
	}
}

// hold lets a person decide about the diff.
func (t *stepper) hold(j *Job, why string) {
	j.Phase, j.Reason = Reviewing, why
	if f := t.feature(j); f != nil {
		f.Status = kedge.NeedsReview
		t.mark(f, why)
	}
}

func (t *stepper) mark(f *Feature, why string) {
	t.issue(nil, Command{Kind: Mark, Feature: f.ID, Hash: f.Hash, Status: f.Status, Reason: why, Actor: t.ev.Actor})
}

// integrated is the verdict that can complete something: full, and given where
// no agent ever wrote.
func (t *stepper) integrated(j *Job, c Command) {
	ev := t.ev
	if ev.Outcome != Conflicting && len(ev.Features) == 0 && t.contradicts(j) { // the gate in the slot saw no other features
		t.enter(j, Integrating)
		return
	}
	switch {
	case t.moot(j, c):
	case ev.Outcome == Regressed:
		t.breaks(j, Integrating)
	case t.doubted(j):
	case ev.Outcome == Green && ev.Evidence != "" && ev.Tree != "":
		t.s.Green = Seen{Tree: ev.Tree, Environment: ev.Environment, Outcome: Green}
		j.Merged, j.Evidence, j.Onto = ev.Tree, ev.Evidence, c.Base
		if j.Kind == Confirm {
			j.Commit = c.Base
			t.verified(c.Base)
			t.finishWork(j)
			return
		}
		t.enter(j, Committing)
	case ev.Outcome == Empty && ev.Tree != "" && (j.Kind == Undo || j.Kind == Build && j.Proof == NoChecks):
		j.Merged, j.Evidence, j.Onto = ev.Tree, "", c.Base // nothing can tell: a person does, and before that it does not land
		t.enter(j, Committing)
	case j.Kind == Undo:
		t.cannotUndo(j)
	case ev.Outcome == Conflicting:
		j.Conflicts++
		t.repairOnNewBase(j, ConflictsWith+ev.Failure)
	case ev.Outcome == CannotRun:
		t.giveUp(j, "environment: "+ev.Reason)
	case ev.Outcome == Outside && j.Repairs == 0: // it may have been too eager
		t.repairOnNewBase(j, ev.Failure)
	case ev.Outcome == Outside:
		t.hold(j, strings.TrimPrefix(j.Beyond+"; "+ev.Reason, "; "))
	case ev.Outcome == Empty && j.Kind == Confirm && j.Proof == NoChecks:
		t.taken(j, c)
	case ev.Outcome == Empty:
		t.review(j, "there is no check that could prove it done")
	case ev.Outcome == Partial, ev.Outcome == Green:
		t.review(j, "only some of its checks ran")
	case j.Kind == Confirm:
		t.review(j, "green in its worktree, but not in a clean one: "+ev.Failure)
	default:
		t.repairOnNewBase(j, ev.Failure)
	}
}

// SeenByYou is the scope of an integration of work that you approved as it is: whether it
// is for one feature is not asked again.
const SeenByYou = "seen"

func integrateScope(j *Job) string {
	if j.Wide {
		return SeenByYou
	}
	return "full"
}

// taken completes a feature by a person's word, where nothing is left that could say
// more about it.
func (t *stepper) taken(j *Job, c Command) {
	j.Kind, j.End, j.Commit, j.Reason = Accept, kedge.Completed, c.Base, "you accepted it; neither it nor the project has a check"
	t.enter(j, Ledgering)
}

// cannotUndo leaves work on the integration branch that a person refused: what was
// done after it needs it. The feature waits for the person again.
func (t *stepper) cannotUndo(j *Job) {
	ev := t.ev
	why := map[Outcome]string{
		Conflicting: "later work changed the same places: " + ev.Failure,
		Red:         "without it the checks are red: " + ev.Failure,
	}[ev.Outcome]
	why = cmp.Or(why, "Kedge could not check what is left: "+cmp.Or(ev.Reason, ev.Failure, string(ev.Outcome)))
	t.review(j, j.Reason+"; Kedge cannot revert it: "+why)
}

// ConflictsWith begins the failure of work that cannot be merged; the files follow.
const ConflictsWith = "the work conflicts with other work that was completed in the meantime: "

// repairOnNewBase makes a red merge or a conflict the attempt's one repair, on
// the base that it has to fit. A conflict behind the repair costs no attempt.
func (t *stepper) repairOnNewBase(j *Job, failure string) {
	switch {
	case j.Repairs == 0 && j.Base == t.s.Tip:
		t.repair(j, failure)
	case j.Repairs == 0:
		j.Repairs++
		j.Failure, j.Carry, j.Wide, j.Doubt, j.Onto = failure, j.Tree, false, "", t.s.Tip
		if t.ev.Outcome == Conflicting { // of that no check tells
			j.Onto = ""
		}
		t.enter(j, Preparing)
	case t.ev.Outcome == Conflicting && j.Conflicts <= t.s.Rules.Conflicts:
		j.Reason, j.End = failure, ""
		t.enter(j, Reverting)
	case t.ev.Outcome == Conflicting:
		t.giveUp(j, failure)
	default:
		t.failAttempt(j, failure)
	}
}

// committed holds the commit against what was checked.
func (t *stepper) committed(j *Job) {
	if t.ev.Tree != j.Merged || t.ev.Commit == "" {
		t.ev.Outcome, t.ev.Reason = Drifted, "the commit is not what was checked"
		t.stuck(j)
		return
	}
	t.s.Tip, t.s.Verified, j.Commit = t.ev.Commit, t.ev.Commit, t.ev.Commit
	if j.Kind == Fix {
		t.s.Red = Seen{}
	}
	t.finishWork(j)
}

// finishWork knows that the work is verified and on the integration branch.
func (t *stepper) finishWork(j *Job) {
	f := t.feature(j)
	switch {
	case j.Kind == Undo:
		j.End = cmp.Or(j.End, kedge.Pending)
	case f != nil && j.unproven(f) != "":
		j.End, j.Reason = kedge.NeedsReview, j.unproven(f)
		if f.Let == LetLanded {
			f.Work = ""
		}
		f.Work, f.Let = strings.TrimPrefix(f.Work+","+shortWork(j.Commit), ","), ""
	default:
		j.End, j.Reason = kedge.Completed, ""
	}
	t.record(j)
}

// record goes on to what is written down about the work; of work that was taken
// back that is its status alone.
func (t *stepper) record(j *Job) {
	if j.Kind == Undo {
		t.enter(j, Ledgering)
		return
	}
	t.enter(j, Recording)
}

// recorded goes on when note and checkpoint are both there: the ledger commit
// contains them.
func (t *stepper) recorded(j *Job) {
	if j.Phase == Recording && !t.s.awaits(j.ID, Note) && !t.s.awaits(j.ID, Checkpoint) {
		t.enter(j, Ledgering)
	}
}

func (t *stepper) writeLedger(j *Job) {
	if f := t.feature(j); f != nil && f.Hash != j.Hash && j.End == kedge.Completed {
		j.End, j.Reason = kedge.Pending, "its definition was amended meanwhile"
	}
	c := Command{
		Kind: Ledger, Base: t.s.Tip, Commit: j.Commit, Status: j.End, Reason: j.Reason, Failure: j.Failure,
		Features: j.Regressed, Flaky: j.Flaky, Text: j.Undoes,
	}
	switch {
	case j.Commit != "" && j.Kind != Undo:
		c.Tree, c.Evidence = j.Merged, j.Evidence
	case j.Merged == "": // what was seen of others' work
		c.Evidence = j.Evidence
	}
	t.issue(j, c)
}

// ledgered is the end of a job: what the ledger says is so.
func (t *stepper) ledgered(j *Job, c Command) {
	before := t.s.Tip
	if t.ev.Commit != "" {
		if t.s.Verified == t.s.Tip { // nothing but what is Kedge's is on top
			t.s.Verified = t.ev.Commit
		}
		t.s.Tip = t.ev.Commit
	}
	j.Phase = Done
	for _, id := range c.Features {
		t.regress(t.s.place(id), "")
	}
	f := t.feature(j)
	switch {
	case f == nil && j.Doubt == DoubtAsked:
		t.halt(RedBaseline, "the baseline is red, and you must decide about its fix: "+j.Reason)
	case f == nil && j.End != kedge.Completed:
		t.halt(RedBaseline, "the baseline is red and its fix did not help: "+j.Reason)
	case f == nil:
	case f.Hash != j.Hash && c.Status != kedge.Skipped:
		f.Status = kedge.Pending
		t.mark(f, "its definition was amended meanwhile")
	default:
		f.Status = c.Status
		if c.Status == kedge.Completed {
			f.Claim, f.Attempts, f.Spent, f.Denied = "", 0, kedge.Spend{}, false
		}
		if c.Status == kedge.Completed && j.Kind != Accept {
			f.Work, f.Let = "", "" // by its checks
		}
		f.Red = f.Red && !c.Status.Over()
		f.Aside = c.Status == kedge.NeedsReview && j.setsAside()
	}
	if f != nil && (f.Status == kedge.Completed || f.Status == kedge.NeedsReview) {
		f.Wanted = false
	}
	switch j.Kind {
	case Undo:
		t.undone(f, j)
	case Accept:
		t.takenOn(f, j, before)
	default:
	}
	if f != nil {
		t.heard(f, j)
	}
	if c.Commit != "" && t.s.Rules.Land == "each" && j.Kind != Accept {
		t.land()
	}
}

// undone knows what became of work that was to be taken back.
func (t *stepper) undone(f *Feature, j *Job) {
	if j.Commit != "" { // else nothing was taken back
		f.Claim, f.Attempts, f.Regressions, f.Spent, f.Work, f.Let, f.Red = "", 0, 0, kedge.Spend{}, "", "", false
		f.Wanted = open(f.Status)
	}
	if t.s.LandBy != "" {
		t.land()
	}
}

// overAgain: where a person's word about a run that was over is carried out, and
// nothing would start by itself, it is over as it was.
func (t *stepper) overAgain(f *Feature, j *Job) {
	more := t.s.has(func(o *Job) bool { return o.ID != j.ID && (o.Kind == Undo || o.Kind == Accept) })
	if t.s.Halt == Returned && t.next() < 0 && !open(f.Status) && !more {
		t.setHalt("", "")
	}
}

// setsAside tells whether a job ends with work of its own that is not committed.
func (j *Job) setsAside() bool {
	return j.Kind == Build && j.Commit == "" && j.Tree != "" && j.Tree != j.BaseTree
}

// reverted has put the worktree back; what was there is salvaged.
func (t *stepper) reverted(j *Job) {
	switch {
	case j.Phase != Reverting:
	case j.Kind == Plan:
		j.Phase = Done
	case j.Kind == Verify:
		j.Phase = Done
		if t.s.Verified == t.s.Tip {
			t.land()
		}
	case j.End == "":
		t.newAttempt(j)
	default:
		if j.Kind == Fix && j.Doubt == DoubtAsked {
			j.Reason += ". To take it: kedge salvage restore " + t.ev.Text + ", commit it, kedge run --continue"
		}
		t.enter(j, Ledgering)
	}
}
