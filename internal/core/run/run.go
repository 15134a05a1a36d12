// Package run decides what an autonomous run does next. It owns the phases of a feature
// from prepare to done, the budgets, the one repair, the effects of a crash and of a
// provider's limit, and the end of a run. Step is a pure function: it gets what happened
// and when, and returns the next state and the next commands. It promises the nineteen
// invariants that package sim checks. It never blocks, fails, reads a clock, starts a
// goroutine or ranges over a map.
package run

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"kedge"
)

// Step applies one event. An event that means nothing here (unknown, late, a
// second time, an answer to a command that is not outstanding) changes nothing
// and asks for nothing. The state that is passed in is not changed.
func Step(s State, ev Input) (State, []Command) {
	if !s.Concerns(ev) {
		return s, nil
	}
	t := &stepper{s: s.clone(), ev: ev}
	t.apply()
	t.settle()
	return t.s, t.out
}

// Concerns tells whether the event can mean anything to the state. One that does
// not changes nothing: it is late, unknown, or not for whoever sent it to say.
func (s *State) Concerns(ev Input) bool {
	if s.Version > Version || (s.Run == "") != (ev.Kind == Begun) {
		return false
	}
	switch ev.Kind {
	case Begun:
		return ev.Run != ""
	case Used, Signalled:
		c, ok := s.Outstanding(ev.Epoch)
		return ok && c.Kind == StartSession
	case TurnEnded:
		return ev.Epoch != 0 && s.has(func(j *Job) bool { return j.Turn == ev.Epoch && s.Live(j.ID) })
	case TakenOver, PauseAsked, StopAsked, Continued, LandAsked, Planned:
		return true
	case Said, Answered, Approved, Denied, Amended, Accepted, Reopened, Skipped, Barred:
		return ev.human()
	default:
		c, ok := s.Outstanding(ev.Epoch)
		return ok && c.Kind.Answer() == ev.Kind
	}
}

// stepper is one step under way: the new state, and what it asks for.
type stepper struct {
	s   State
	ev  Input
	out []Command
}

func (t *stepper) apply() {
	t.newDay()
	switch t.ev.Kind {
	case Begun:
		t.begin()
	case Used, Signalled, TurnEnded:
		t.duringSession()
	case TakenOver:
		t.takeOver()
	case PauseAsked, StopAsked, Continued, LandAsked, Planned, Said, Answered, Approved, Denied, Amended, Accepted,
		Reopened, Skipped, Barred:
		t.operator()
	default:
		t.answer()
	}
}

// answer takes the command off the outbox and hands the event to the phase of
// its job.
func (t *stepper) answer() {
	i := slices.IndexFunc(t.s.Outbox, func(c Command) bool { return c.Epoch == t.ev.Epoch })
	c := t.s.Outbox[i]
	t.s.Outbox = slices.Delete(t.s.Outbox, i, i+1)
	j := t.job(c.Job)
	if !understood(t.ev.Kind, t.ev.Outcome) {
		t.ev.Reason = "Kedge got no valid answer to " + quote(string(c.Kind)) + ": " + quote(string(t.ev.Outcome))
		t.ev.Outcome = Failed
	}
	switch {
	case c.Kind == Land:
		t.landed(c)
	case j == nil || c.Kind == Mark || c.Kind == Notify || c.Kind == Tell:
	case c.Kind != StartSession && (t.ev.Outcome == Drifted || t.ev.Outcome == Failed):
		t.stuck(j)
	default:
		t.advance(j, c)
	}
}

// advance is the table of the run: which answer moves a job on from where.
func (t *stepper) advance(j *Job, c Command) {
	switch c.Kind {
	case Prepare:
		t.prepared(j)
	case Gate:
		t.gated(j)
	case Prove:
		t.proved(j)
	case Brief:
		t.briefed(j)
	case StartSession:
		t.exited(j)
	case EndSession:
		t.ended(j)
	case Checkpoint:
		t.checkpointed(j)
	case Timer:
		t.fired(j)
	case Park:
		j.Away = true
	case Inspect:
		t.inspected(j)
	case Integrate:
		t.integrated(j, c)
	case Commit:
		t.committed(j)
	case Recheck:
		t.record(j)
	case Note:
		t.recorded(j)
	case Ledger:
		t.ledgered(j, c)
	case Revert:
		t.reverted(j)
	case Land, Mark, Notify, NextTurn, Tell: // not of a job's way
	}
}

// enter moves a job to a phase and asks for what the phase does; or lets it
// wait in Ready when it may not go there now.
func (t *stepper) enter(j *Job, p Phase) {
	if p == Briefing && !t.mayBrief(j) {
		return
	}
	if !t.open(j, p) || j.Away && p.inTree() && !t.room() {
		j.Phase, j.Resume = Ready, p
		return
	}
	j.Phase, j.Resume, j.Away = p, "", j.Away && !p.inTree()
	switch p {
	case Preparing:
		j.Base, j.Talk = t.s.Tip, kedge.Talk{}
		t.issue(j, Command{Kind: Prepare, Base: j.Base, Carry: j.Carry, Salvage: t.salvageName(j)})
	case Baselining:
		t.issue(j, Command{Kind: Gate, Scope: "full", Base: j.Base, Tree: j.BaseTree, Features: t.s.Broken(), Flaky: j.Reruns > 0 || t.anew(j)})
	case Proving:
		t.issue(j, Command{Kind: Prove, Base: j.Base, Flaky: t.anew(j)})
	case Briefing:
		conversation, why := t.s.resumption(j)
		t.issue(j, Command{Kind: Brief, Scope: t.briefScope(j), Failure: t.toldFailure(j), Text: j.Question, Base: j.Base, Resume: conversation, Reason: why})
	case Saving:
		t.issue(j, savedBefore(j))
	case Ending:
		t.issue(j, Command{Kind: EndSession, Reason: j.Reason})
	case Gating:
		t.issue(j, Command{Kind: Gate, Scope: gateScope(j), Base: j.Base, Flaky: j.Reruns > 0})
	case Inspecting:
		j.Beyond = ""
		t.issue(j, Command{Kind: Inspect, Base: j.Base, Tree: j.Tree, Failure: j.Failure})
	case Integrating:
		t.issue(j, Command{
			Kind: Integrate, Scope: integrateScope(j), Base: t.s.Tip, Tree: j.Tree, Commit: j.Undoes, Features: t.s.Broken(), Flaky: j.Reruns > 0,
			Doubt: j.Doubt,
		})
	case Committing:
		if j.Onto != "" && j.Onto != t.s.Tip { // others committed while it could not: their work is not in what was checked
			t.enter(j, Integrating)
			return
		}
		t.issue(j, Command{Kind: Commit, Base: t.s.Tip, Tree: j.Merged, Evidence: j.Evidence, Commit: j.Undoes, Reason: j.Reason})
	case Rechecking:
		t.record(j)
	case Recording:
		t.issue(j, Command{Kind: Note, Commit: j.Commit, Status: j.End})
		t.issue(j, Command{Kind: Checkpoint, Commit: j.Commit, Status: j.End, Evidence: j.Evidence})
	case Ledgering:
		t.writeLedger(j)
	case Reverting:
		t.cancel(j)
		t.issue(j, Command{Kind: Revert, Base: j.Base, Salvage: t.salvageName(j), Reason: j.Reason})
	case Limited:
		t.limited(j)
	case Idle:
		t.nextTurn(j)
	case Working, Asking, Reviewing, Ready, Stuck, Done:
	}
}

// savedBefore is what is saved before a job goes on. A session that claims to be
// finished has its verdict before it; any other is unfinished.
func savedBefore(j *Job) Command {
	c := Command{Kind: Checkpoint, Reason: cmp.Or(j.Reason, j.Talk.Cut), Base: j.Base}
	if j.Then != j.afterWork() {
		c.Scope, c.Text = Unfinished, j.Question
	}
	return c
}

// gateScope is everything for a fix: what is red need not be what it touched.
func gateScope(j *Job) string {
	if j.Kind == Fix {
		return "full"
	}
	return "touched"
}

// briefScope says what the session is for beside its checks: a person said it, or its tests have
// to show what it does.
func (t *stepper) briefScope(j *Job) string {
	switch f := t.feature(j); {
	case f != nil && f.Wanted:
		return Wanted
	case j.Proof == Tests:
		return NewTests
	default:
		return ""
	}
}

// toldFailure is the one failure that a session is told of.
func (t *stepper) toldFailure(j *Job) string {
	switch f := t.feature(j); {
	case j.purpose() == FixFirst:
		return t.s.Red.Failure
	case f != nil && j.Failure == "":
		return t.s.cause(f.ID)
	default:
		return j.Failure
	}
}

// open tells whether a job may enter a phase now.
func (t *stepper) open(j *Job, p Phase) bool {
	switch {
	case p == Baselining && t.baselines(j):
		return false
	case j.Kind == Verify: // it writes nothing, and a person may ask for it at any time
		return true
	case t.s.Halt.holds(p) && !(j.Kind == Undo && t.s.Halt == Stopped): // it costs nothing, and a person wants it now
		return false
	case j.Kind == Undo && p == Integrating && t.s.awaits(0, Land): // what lands now is not taken back
		return false
	case p.OnTrunk() && t.s.has(func(o *Job) bool { return o.ID != j.ID && o.Phase.OnTrunk() }):
		return false
	case t.s.Red.Tree != "" && j.Kind != Fix && (p == Preparing || p == Integrating):
		return false
	case (j.Kind == Build || j.Kind == Confirm) && (p == Preparing || p == Integrating) && t.s.waits(j.Feature):
		return false
	default:
		return true
	}
}

// issue asks for a command in the name of a job; nil is the run itself.
func (t *stepper) issue(j *Job, c Command) int64 {
	t.s.Epoch++
	c.Run, c.Epoch, c.At = t.s.Run, t.s.Epoch, t.ev.At
	if j != nil {
		c.Job, c.Attempt, c.Route = j.ID, j.Attempt, j.Route
		if c.Purpose == "" {
			c.Purpose = j.purpose()
		}
		if j.Feature >= 0 {
			c.Feature, c.Hash = t.s.Features[j.Feature].ID, j.Hash
		}
	}
	t.s.Outbox = append(t.s.Outbox, c)
	t.out = append(t.out, c)
	return c.Epoch
}

// cancel forgets what the job asked for, a living session excepted: answers
// that still come are refused.
func (t *stepper) cancel(j *Job) {
	t.drop(func(c Command) bool {
		return c.Job == j.ID && c.Kind != StartSession && c.Kind != Mark && c.Kind != Tell
	})
}

func (t *stepper) drop(match func(Command) bool) {
	t.s.Outbox = slices.DeleteFunc(t.s.Outbox, match)
	t.out = slices.DeleteFunc(t.out, match)
}

// queue lets a job go on at a phase as soon as there is room for it.
func (t *stepper) queue(j *Job, p Phase) { j.Phase, j.Resume = Ready, p }

// stuck holds a job where it is: somebody moved what it works on, or the work
// could not be carried out. Nothing is reset. What is asked for while a session
// works does not stop the session.
func (t *stepper) stuck(j *Job) {
	if t.ev.Outcome == Drifted {
		t.halt(Paused, "somebody changed the repository while the run worked: "+t.ev.Reason)
	} else {
		t.halt(Fault, t.ev.Reason)
	}
	switch p := j.Phase; {
	case p == Working || p == Asking && t.s.Live(j.ID):
	case p == Ready:
		j.Phase = Stuck
	default:
		t.cancel(j)
		j.Phase, j.Resume = Stuck, p
	}
}

// setHalt says why nothing new starts, since when, and at whose wish; "" lifts it.
func (t *stepper) setHalt(h Halt, why string) {
	t.s.Halt, t.s.Why = h, why
	t.s.HaltedAt, t.s.HaltedBy = time.Time{}, ""
	if h != "" {
		t.s.HaltedAt, t.s.HaltedBy = t.ev.At, t.ev.Actor
	}
}

// halt keeps anything new from starting.
func (t *stepper) halt(h Halt, why string) {
	if h.rank() <= t.s.Halt.rank() {
		return
	}
	t.setHalt(h, why)
	if h == Paused {
		t.tellLiving(Held)
	}
	if !h.endsSessions() {
		return
	}
	for i := range t.s.Jobs {
		switch j := &t.s.Jobs[i]; {
		case j.Phase == Working || j.Phase == Idle:
			j.Reason, j.Talk.Cut = why, why
			t.endSession(j, Briefing)
		case j.Phase == Asking && t.s.Live(j.ID):
			t.endSession(j, Asking)
		case j.Resume == Idle && t.s.Live(j.ID):
			t.endSession(j, Briefing)
		case j.Phase == Stuck && t.s.Live(j.ID):
			t.queue(j, j.Resume)
		default:
		}
	}
}

// tellLiving has every living session stand still, or go on. One that is being ended is
// left to end.
func (t *stepper) tellLiving(scope string) {
	for i := range t.s.Jobs {
		if j := &t.s.Jobs[i]; t.s.Live(j.ID) && j.Phase != Saving && j.Phase != Ending {
			t.issue(j, Command{Kind: Tell, Scope: scope, Actor: t.ev.Actor})
			if scope == Going {
				t.limitTime(j)
			}
		}
	}
}

func (t *stepper) job(id int) *Job {
	for i := range t.s.Jobs {
		if t.s.Jobs[i].ID == id && id != 0 {
			return &t.s.Jobs[i]
		}
	}
	return nil
}

func (t *stepper) feature(j *Job) *Feature {
	if j.Feature < 0 {
		return nil
	}
	return &t.s.Features[j.Feature]
}

// salvageName is a name that no other command of the run has.
func (t *stepper) salvageName(j *Job) string {
	name := string(t.s.Run) + "-" + strconv.FormatInt(t.s.Epoch+1, 10)
	if f := t.feature(j); f != nil {
		name += "-" + string(f.ID)
	}
	return name
}

func quote(s string) string { return strconv.Quote(s) }
