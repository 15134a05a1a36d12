package sim

import (
	"slices"
	"strconv"

	"kedge"
	"kedge/internal/core/run"
)

// execute carries a command out once, and answers as often as it is asked.
func (w *world) execute(c run.Command) {
	for int64(len(w.done)) <= c.Epoch {
		w.done = append(w.done, nil)
	}
	if e := w.done[c.Epoch]; e != nil {
		w.answerAgain(c, e)
		return
	}
	if c.Adopts > 0 && c.Adopts < int64(len(w.done)) && w.done[c.Adopts] != nil {
		w.adopt(c)
		return
	}
	w.writeBook(c)
	e := &effect{answer: run.Input{Kind: c.Kind.Answer(), Epoch: c.Epoch, Outcome: run.OK}}
	w.done[c.Epoch] = e
	e.answered = w.effectOf(c, &e.answer)
	if e.answered {
		w.queue = append(w.queue, e.answer)
	}
}

func (w *world) answerAgain(c run.Command, e *effect) {
	switch {
	case e.answered:
		w.queue = append(w.queue, e.answer)
	case c.Kind == run.Timer:
		w.timers = append(w.timers, c)
	case c.Kind == run.StartSession || c.Kind == run.NextTurn:
		if s := w.session(c.Job); s != nil && s.turn == 0 && s.last.Epoch == c.Epoch {
			w.queue = append(w.queue, s.last)
		}
	}
}

// adopt does what an earlier owner began, under its new number.
func (w *world) adopt(c run.Command) {
	e := *w.done[c.Adopts]
	e.answer.Epoch = c.Epoch
	w.done[c.Epoch] = &e
	for _, s := range w.sessions {
		if s.epoch == c.Adopts {
			s.epoch = c.Epoch
		}
		if s.turn == c.Adopts {
			s.turn = c.Epoch
		}
		if s.last.Epoch == c.Adopts {
			s.last.Epoch = c.Epoch
		}
	}
	w.answerAgain(c, &e)
}

// effectOf does the work; false when the answer comes later.
func (w *world) effectOf(c run.Command, ev *run.Input) bool {
	if c.Kind != run.StartSession && c.Kind != run.NextTurn && c.Kind != run.Timer && w.trip(2) {
		if c.Kind != run.Park { // a step that fails may have taken the worktree before
			w.house(c)
		}
		ev.Outcome, ev.Reason = run.Failed, "a disk is full"
		if w.chance(40) {
			ev.Outcome, ev.Reason = run.Drifted, "somebody moved a branch"
		}
		return true
	}
	w.house(c)
	f := w.featureOf(c.Feature)
	switch c.Kind {
	case run.Prepare:
		w.prepare(c, ev)
	case run.Gate:
		w.gate(c, ev, f)
	case run.Prove:
		w.prove(c, ev, f)
	case run.StartSession:
		w.startSession(c)
		return false
	case run.NextTurn:
		w.nextTurn(c)
		return false
	case run.Tell:
		if c.Scope != run.Held && c.Scope != run.Going {
			w.wake(c.Job)
		}
	case run.EndSession:
		w.endSession(c.Job)
	case run.Timer:
		w.timers = append(w.timers, c)
		return false
	case run.Inspect:
		w.inspect(c, ev)
	case run.Integrate:
		w.integrate(c, ev, f)
	case run.Commit:
		w.commit(c, ev)
	case run.Ledger:
		w.ledger(c, ev)
	case run.Revert:
		w.setsAside(c)
		if n := number(c.Base); n >= 0 {
			w.repo.reset(c.Job, n, c.Salvage)
		}
	case run.Land:
		w.land(c, ev)
	case run.Checkpoint:
		w.repo.salvaged = append(w.repo.salvaged, w.repo.checkout(c.Job).tree)
	case run.Brief:
		w.briefTalk(c, ev)
	case run.Note, run.Mark, run.Notify, run.Recheck, run.Park:
	}
	if w.repo.lost > 0 {
		w.fail(8, "work was thrown away by "+string(c.Kind))
	}
	return true
}

func (w *world) ledger(c run.Command, ev *run.Input) {
	w.ledgerWord(c)
	if c.Status == kedge.Completed {
		delete(w.unseen, c.Feature)
	}
	w.repo.tip = w.repo.commit(commit{tree: w.repo.commits[w.repo.tip].tree, parent: w.repo.tip, ledger: true})
	ev.Commit = commitName(w.repo.tip)
	if c.Status == kedge.Completed {
		delete(w.red, c.Feature)
	}
}

func (w *world) prepare(c run.Command, ev *run.Input) {
	base := number(c.Base)
	if w.trip(3) {
		ev.Outcome, ev.Reason = run.CannotRun, "setup ended with 1"
		return
	}
	carried := 0
	if c.Carry != "" {
		carried = w.repo.merge(c.Job, base, number(c.Carry))
	}
	w.repo.reset(c.Job, base, c.Salvage)
	w.talks[c.Job] = talk{lost: w.talks[c.Job].lost, attempt: w.talks[c.Job].attempt}
	if c.Carry != "" {
		w.repo.checkout(c.Job).tree = carried
	}
	ev.Commit, ev.Tree, ev.Environment = c.Base, treeName(w.repo.commits[base].tree), "e"
	if w.trip(1) {
		ev.Commit = "c999"
	}
}

func (w *world) gate(c run.Command, ev *run.Input, f *feature) {
	if w.trip(2) {
		ev.Outcome, ev.Reason = run.CannotRun, "a tool is missing"
		return
	}
	if c.Tree != "" { // the baseline
		f = nil
	}
	t := w.repo.checkout(c.Job).tree
	w.verdict(ev, t, f)
	if c.Tree != "" && (ev.Outcome == run.Green || ev.Outcome == run.Empty) {
		w.regressions(c, ev, t, w.chance(70))
	}
}

func (w *world) prove(c run.Command, ev *run.Input, f *feature) {
	switch {
	case f.checks == noChecks:
		ev.Outcome = run.NoChecks
	case f.checks == brokenChecks:
		ev.Outcome, ev.Reason = run.Broken, "exit 127"
	case w.green(w.repo.checkout(c.Job).tree, f) && w.chance(50):
		ev.Outcome = run.Tests
	case w.green(w.repo.checkout(c.Job).tree, f):
		ev.Outcome = run.Green
	case w.trip(2):
		ev.Outcome, ev.Reason = run.CannotRun, "a port is taken"
	default:
		ev.Outcome = run.Fails
	}
}

func (w *world) inspect(c run.Command, ev *run.Input) {
	at := w.repo.checkout(c.Job)
	x, base := w.repo.trees[at.tree], w.repo.trees[w.repo.commits[at.base].tree]
	switch {
	case c.Purpose == run.MakePlan && x == base && w.chance(15):
		ev.Outcome, ev.Failure = run.Red, "the plan has no risks"
	case x == base:
		ev.Outcome = run.Empty
	case (x.weak && c.Feature == "") || x.broken: // nobody can be asked about what is for no feature
		ev.Outcome, ev.Reason = run.Forbidden, "a test was weakened"
	case x.outside && !base.outside && c.Purpose != run.MakePlan && w.chance(30):
		ev.Outcome, ev.Reason = run.Unapproved, "it brings along what runs by itself"
	case x.outside && !base.outside || c.Purpose == run.MakePlan:
		ev.Outcome, ev.Reason = run.Outside, "elsewhere"
	default:
		ev.Outcome = run.Clean
	}
	if x.weak {
		ev.Altered = "it touches existing tests"
	}
}

func (w *world) integrate(c run.Command, ev *run.Input, f *feature) {
	base := number(c.Base)
	if base != w.repo.tip {
		w.fail(2, "integrates onto something else than the tip")
	}
	if w.repo.checkout(c.Job).base != base && w.chance(25) || w.trip(2) {
		ev.Outcome, ev.Failure = run.Conflicting, "both changed a file"
		return
	}
	t := 0
	if c.Purpose == run.TakeBack {
		t = w.repo.without(base, f.bit)
		w.verdict(ev, t, nil)
	} else {
		t = w.repo.merge(c.Job, base, number(c.Tree))
		tip := w.repo.commits[base].tree
		if w.nothingNew(c, tip) {
			t = tip
			w.seen.Moot++
		}
		if t == tip {
			ev.Moot, ev.Text = true, "done by another"
		}
		w.verdict(ev, t, f)
	}
	if ev.Outcome == run.Green || ev.Outcome == run.Empty {
		w.holdAgainst(c, ev, t)
	}
	w.shows(c, ev, f)
	ev.Evidence = kedge.EvidenceID("evd-" + strconv.FormatInt(c.Epoch, 10))
}

// commit makes the work commit and holds it against the truth.
func (w *world) commit(c run.Command, ev *run.Input) {
	t := number(c.Tree)
	f := w.featureOf(c.Feature)
	if c.Purpose == run.TakeBack {
		f = nil
	}
	if !w.green(t, f) {
		w.fail(1, "a commit of a tree that is not green")
	}
	w.settledDoubts(c)
	if c.Purpose != run.TakeBack && t == w.repo.commits[w.repo.tip].tree {
		w.fail(15, "a commit of nothing")
	}
	if len(w.brokenBy(c, t)) > 0 {
		w.fail(11, "a commit breaks a completed feature")
	}
	if w.trip(1) { // somebody wrote at the same time
		ev.Commit, ev.Tree = "c999", "t999"
		return
	}
	for _, have := range w.repo.commits {
		if have.job == c.Job && !have.ledger {
			w.fail(10, "one job commits its work twice")
		}
	}
	w.repo.tip = w.repo.commit(commit{tree: t, parent: w.repo.tip, job: c.Job})
	ev.Commit, ev.Tree = commitName(w.repo.tip), c.Tree
	switch {
	case c.Purpose == run.TakeBack:
		delete(w.unseen, c.Feature)
		delete(w.red, c.Feature)
		delete(w.yes, c.Feature)
		w.seen.Undone++
	case f != nil && f.checks == noChecks: // no verdict is about it
		w.unseen[c.Feature] = w.repo.tip
	}
}

// land holds what is to land against the truth. What the user's own branch has
// already may be red: nothing but the ledger's commits are on top of that.
func (w *world) land(c run.Command, ev *run.Input) {
	x := w.repo.commits[number(c.Commit)]
	if w.unlanded && w.repo.trees[x.tree].broken {
		w.fail(1, "a tree lands that is not green")
	}
	for _, work := range w.unseen {
		if work <= number(c.Commit) {
			w.fail(1, "work lands that nobody accepted")
		}
	}
	for _, work := range w.accepted {
		if work <= number(c.Commit) {
			w.fail(1, "accepted work lands before the ledger says so")
		}
	}
	for id, since := range w.red {
		if !w.letRed && since <= number(c.Commit) && !w.skipped(id) {
			w.fail(12, "work lands unasked that breaks "+string(id))
		}
	}
	if w.chance(20) {
		ev.Outcome, ev.Reason = run.Refused, "the checkout has changes"
	}
}

// skipped tells whether people want a feature no more.
func (w *world) skipped(id kedge.FeatureID) bool {
	return slices.ContainsFunc(w.s.Features, func(f run.Feature) bool { return f.ID == id && f.Status == kedge.Skipped })
}

// fireTimer lets the oldest timer that is still wanted fire.
func (w *world) fireTimer() bool {
	for len(w.timers) > 0 {
		c := w.timers[0]
		w.timers = w.timers[1:]
		e := w.done[c.Epoch]
		if _, wanted := w.s.Outstanding(c.Epoch); !wanted || e.answered {
			continue
		}
		e.answered = true
		w.clock = w.clock.Add(c.Wait)
		w.queue = append(w.queue, e.answer)
		return true
	}
	return false
}
