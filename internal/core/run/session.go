package run

import (
	"cmp"
	"strconv"

	"kedge"
)

// killLimit is how many sessions of one attempt may be killed by something
// else. What kills them will kill the next one too.
const killLimit = 3

// mayBrief tells whether the job may have another session; if not, it has
// decided what becomes of the job.
func (t *stepper) mayBrief(j *Job) bool {
	r := t.s.Rules
	if over := t.s.OverBudget(j); over != "" && t.s.Halt != OverBudget {
		t.halt(OverBudget, over)
	}
	if r.MaxSessions > 0 && t.s.Sessions >= r.MaxSessions {
		t.halt(MaxSessions, r.AllSessionsRan())
	}
	switch {
	case (t.s.Red.Tree != "" || t.s.waits(j.Feature)) && j.Kind == Build && j.Sessions == 0:
		t.queue(j, Preparing)
		return false
	case t.stale(j):
		t.enter(j, Preparing)
		return false
	case t.s.FeatureOverBudget(j):
		t.giveUp(j, "the budget of the feature is spent")
		return false
	case j.Sessions >= r.Sessions:
		t.giveUp(j, strconv.Itoa(j.Sessions)+" sessions were not enough for one attempt")
		return false
	case t.s.OverBudget(j) != "" || r.MaxSessions > 0 && t.s.Sessions >= r.MaxSessions:
		t.queue(j, Briefing)
		return false
	default:
		return true
	}
}

// briefed starts the session, unless what allowed it is gone meanwhile.
func (t *stepper) briefed(j *Job) {
	if !t.mayBrief(j) {
		return
	}
	if t.s.Halt.holds(Briefing) {
		t.queue(j, Briefing)
		return
	}
	conversation, why := t.s.resumption(j)
	if conversation != "" && t.ev.Conversation != conversation {
		conversation, why = "", t.ev.Reason
	}
	j.Phase, j.Session, j.Used, j.Question, j.Asked, j.Reason = Working, "", nil, "", 0, ""
	j.Talk, j.Resumed, j.Notice = kedge.Talk{}, conversation != "", Notice{}
	j.Sessions++
	t.s.Sessions++
	*t.number(j)++
	j.Turn = t.issue(j, Command{Kind: StartSession, Number: *t.number(j), Text: t.ev.Text, Base: j.Base, Resume: conversation, Reason: why})
	t.limitTime(j)
}

// limitTime asks for the timer that ends the job's session.
func (t *stepper) limitTime(j *Job) {
	if w := t.s.Rules.SessionWall; w > 0 && !t.s.awaits(j.ID, Timer) {
		t.issue(j, Command{Kind: Timer, Wait: w, Reason: hadTime})
	}
}

// number counts the sessions for what the job is about, whichever job and attempt
// they were of: an answer, a repair or a reopened feature does not start it anew.
func (t *stepper) number(j *Job) *int {
	switch f := t.feature(j); {
	case f != nil:
		return &f.Sessions
	case j.Kind == Plan:
		return &t.s.Planners
	default:
		return &t.s.Menders
	}
}

// unstarted takes back that a session was counted which never began.
func (t *stepper) unstarted(j *Job) {
	j.Sessions--
	*t.number(j)--
}

// duringSession hears from a living session.
func (t *stepper) duringSession() {
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		c, ok := t.s.Outstanding(t.ev.Epoch)
		mine := ok && c.Job == j.ID && c.Kind == StartSession
		switch {
		case t.ev.Kind == TurnEnded && j.Turn == t.ev.Epoch:
			t.turnEnded(j)
			return
		case t.ev.Kind == Used && mine:
			t.account(j)
			t.enforce(j)
		case t.ev.Kind == Signalled && mine:
			t.signalled(j)
		}
	}
}

// account adds what the session used since it last said so.
func (t *stepper) account(j *Job) {
	if t.ev.Session != "" {
		j.Session = t.ev.Session
	}
	if t.ev.Usage == nil {
		return
	}
	var before kedge.Spend
	if j.Used != nil {
		before = *j.Used
	}
	d := before.Grown(*t.ev.Usage)
	now := before
	now.Add(d)
	j.Used = &now
	t.s.Spent.Add(d)
	t.s.Day.USD += d.USD
	if f := t.feature(j); f != nil {
		f.Spent.Add(d)
		t.s.Phases[f.Phase].Spent.Add(d)
	}
}

// enforce stops what may cost nothing more.
func (t *stepper) enforce(j *Job) {
	if over := t.s.OverBudget(j); over != "" {
		t.halt(OverBudget, over)
	}
	switch {
	case j.Phase != Working && j.Phase != Idle:
	case t.s.FeatureOverBudget(j):
		t.giveUp(j, "the budget of the feature is spent")
	case t.s.Rules.SessionTokens > 0 && j.Used != nil && j.Used.Tokens >= t.s.Rules.SessionTokens:
		j.Reason = "the session has used all the tokens that it may use"
		t.endSession(j, Briefing)
	}
}

func (t *stepper) signalled(j *Job) {
	if j.Phase != Working && j.Phase != Idle {
		return
	}
	switch t.ev.Outcome {
	case WantCheckpoint:
		if !t.s.awaits(j.ID, Checkpoint) {
			t.issue(j, Command{Kind: Checkpoint, Reason: t.ev.Reason, Base: j.Base})
		}
	case WantHandover:
		j.Reason = t.ev.Reason
		t.endSession(j, Briefing)
	case Stalled:
		t.crashed(j, "the agent stalled")
	case Noticed:
		j.Notice = Notice{Text: t.ev.Reason, At: t.ev.At}
	case Asked:
		if t.ev.Place != 0 && t.ev.Place <= j.Asked {
			return // it was asked: who adopts a session reads it again
		}
		j.Phase, j.Question, j.Asked = Asking, t.ev.Text, max(j.Asked, t.ev.Place)
	default:
	}
}

// turnEnded lets the session go on, or not.
func (t *stepper) turnEnded(j *Job) {
	t.drop(func(c Command) bool { return c.Epoch == t.ev.Epoch && c.Kind == NextTurn })
	j.Turn = 0
	t.account(j)
	if j.Phase == Working {
		j.Phase = Idle
	}
	t.nextTurn(j)
}

// nextTurn lets a session that waits go on, if it may cost any more.
func (t *stepper) nextTurn(j *Job) {
	t.enforce(j)
	if t.s.awaits(j.ID, Checkpoint) { // asked for before this turn
		return
	}
	if j.Phase != Idle || j.Turn != 0 || t.s.Halt == Paused || t.s.Halt.endsSessions() {
		return
	}
	j.Phase = Working
	j.Turn = t.issue(j, Command{Kind: NextTurn})
}

// endSession saves a checkpoint, then ends the job's session if it still lives,
// then goes on.
func (t *stepper) endSession(j *Job, then Phase) {
	j.Then = then
	t.drop(func(c Command) bool { return c.Job == j.ID && c.Kind == Checkpoint })
	t.enter(j, Saving)
}

// checkpointed goes on where the job was going; one that was only asked for on
// the way leads nowhere.
func (t *stepper) checkpointed(j *Job) {
	switch {
	case j.Phase == Recording:
		t.recorded(j)
	case j.Phase == Idle:
		t.nextTurn(j)
	case j.Phase != Saving:
	case t.s.Live(j.ID):
		t.enter(j, Ending)
	default:
		t.goOn(j)
	}
}

func (t *stepper) ended(j *Job) {
	if j.Phase == Ending && !t.s.Live(j.ID) && !t.s.awaits(j.ID, EndSession) {
		t.goOn(j)
	}
}

// goOn leaves Saving or Ending for where it was to lead.
func (t *stepper) goOn(j *Job) {
	then := j.Then
	t.queue(j, then)
	j.Then = ""
	t.enter(j, then)
}

// exited is the end of a session, asked for or not.
func (t *stepper) exited(j *Job) {
	t.account(j)
	if j.Used == nil {
		t.s.Unmetered++
	}
	t.talked(j)
	if t.lostTalk(j) && j.Phase != Working && j.Phase != Idle {
		j.Fresh = noTalk + t.ev.Reason
	}
	j.Turn = 0
	t.drop(func(c Command) bool {
		return c.Job == j.ID && (c.Kind == NextTurn || c.Kind == Timer || c.Kind == EndSession)
	})
	if t.ev.Outcome == Finished && j.Then == Briefing && (j.Phase == Saving || j.Phase == Ending) {
		j.Then = j.afterWork()
	}
	switch j.Phase {
	case Working, Idle:
		t.afterSession(j)
	case Ending:
		t.ended(j)
	case Asking:
		t.endSession(j, Asking)
	case Ready, Stuck:
		t.exitedParked(j)
	default: // Saving goes on when its checkpoint is there
	}
	t.enforce(j)
}

// exitedParked is the end of a session whose job could not go on: of one that
// was being ended, a checkpoint is made again, because it went on meanwhile.
func (t *stepper) exitedParked(j *Job) {
	switch j.Resume {
	case Ending:
		j.Resume = Saving
	case Idle:
		t.afterSession(j)
	default:
	}
}

// afterWork is where a claim to be finished leads. What a plan may not do is
// found by inspection; everything else is for the gate.
func (j *Job) afterWork() Phase {
	if j.Kind == Plan {
		return Inspecting
	}
	return Gating
}

func (t *stepper) afterSession(j *Job) {
	switch t.ev.Outcome {
	case Finished:
		t.endSession(j, j.afterWork())
	case HitLimit:
		j.Waits++
		j.Until = t.ev.Until
		if j.Waits > t.s.Rules.Waits {
			t.endBlocked(j, "the provider's limit was reached "+strconv.Itoa(j.Waits)+" times")
			return
		}
		t.endSession(j, Limited)
	case Asked:
		j.Question = t.ev.Text
		t.endSession(j, Asking)
	case NoLogin:
		t.halt(NoAgent, "the agent cannot be used: "+t.ev.Reason)
		t.unstarted(j)
		t.endSession(j, Briefing)
	case Unapproved:
		t.halt(Untrusted, t.ev.Reason)
		t.unstarted(j)
		t.endSession(j, Briefing)
	case Drifted:
		t.halt(Paused, "somebody changed the repository while the run worked: "+t.ev.Reason)
		t.endSession(j, Briefing)
	case Failed:
		t.halt(Fault, t.ev.Reason)
		t.endSession(j, Briefing)
	case Crashed, Stalled:
		if t.lostTalk(j) {
			j.Fresh = noTalk + t.ev.Reason
			j.Reason = j.Fresh
			t.endSession(j, Briefing)
			return
		}
		t.crashed(j, "the agent crashed: "+t.ev.Reason)
	case Killed:
		t.killed(j)
	default: // ended by somebody: not the agent's doing
		t.endSession(j, Briefing)
	}
}

// killed gives the attempt another session, a few times: it is not the agent's
// doing, and what does it needs a person.
func (t *stepper) killed(j *Job) {
	j.Kills++
	if j.Kills >= killLimit {
		t.endBlocked(j, "its sessions were killed "+strconv.Itoa(j.Kills)+" times: "+cmp.Or(t.ev.Reason, "Kedge does not know by what"))
		return
	}
	j.Reason = "the session was killed"
	t.endSession(j, Briefing)
}

// crashed gives the attempt one fresh session; the second crash blocks.
func (t *stepper) crashed(j *Job, why string) {
	j.Crashes++
	if j.Crashes > t.s.Rules.Crashes {
		t.endBlocked(j, why+", "+strconv.Itoa(j.Crashes)+" times")
		return
	}
	j.Reason = why
	t.endSession(j, Briefing)
}

// endBlocked ends the session, and the job with it.
func (t *stepper) endBlocked(j *Job, why string) {
	j.End, j.Reason = kedge.BlockedWork, why
	t.endSession(j, Reverting)
}

// fired is the end of a wait, or of a session's time.
func (t *stepper) fired(j *Job) {
	switch {
	case j.Phase == Limited:
		t.tryAgain(j)
	case (j.Phase == Working || j.Phase == Idle) && t.s.Halt != Paused:
		j.Reason = hadTime
		t.endSession(j, Briefing)
	default: // the session ends already; or it stands still, and gets its time anew when it goes on
	}
}
