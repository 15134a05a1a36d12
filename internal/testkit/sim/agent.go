package sim

import (
	"kedge"
	"kedge/internal/core/run"
)

// behaviour is what an agent does once it has had its turns.
type behaviour int

const (
	honest behaviour = iota
	liar
	breaker
	weakener
	wanderer
	crasher
	hanger
	looper
	limited
	asker
	caller // asks, and waits
	loggedOut
	planted // its worktree holds what nobody approved
	glutton
	greedy // does the work on all features
	vandal // does its work, and takes away what others did
	loser  // does not find the conversation that it is to go on with
)

// session is an agent at work.
type session struct {
	epoch int64
	turn  int64 // epoch of the turn it has; 0: it waits for one
	job   int
	f     *feature
	does  behaviour
	plan  bool
	fixes bool
	left  int // turns until it does it
	used  kedge.Spend
	meter bool // tells what it uses
	live  bool
	last  run.Input // after which it waits: told again when it was lost
}

func (w *world) startSession(c run.Command) {
	for _, s := range w.sessions {
		if s.live && s.job == c.Job {
			w.fail(2, "two sessions live in one job")
		}
	}
	does := honest
	if w.chance(45) {
		does = behaviour(w.rng.IntN(int(vandal) + 1))
	}
	w.checkResume(c)
	w.checkWanted(c)
	w.sessions = append(w.sessions, &session{
		epoch: c.Epoch, turn: c.Epoch, job: c.Job, f: w.featureOf(c.Feature), does: does, plan: c.Purpose == run.MakePlan,
		fixes: c.Purpose != run.Implement, left: w.rng.IntN(3), meter: w.chance(85), live: true,
	})
	if c.Resume != "" && w.chance(30) {
		s := w.sessions[len(w.sessions)-1]
		s.does, s.left, s.meter = loser, 0, false
	}
}

func (w *world) nextTurn(c run.Command) {
	if s := w.session(c.Job); s != nil {
		s.turn = c.Epoch
	}
}

func (w *world) session(job int) *session {
	for _, s := range w.sessions {
		if s.live && s.job == job {
			return s
		}
	}
	return nil
}

func (w *world) alive() int {
	n := 0
	for _, s := range w.sessions {
		if s.live && s.turn != 0 {
			n++
		}
	}
	return n
}

// advanceSession lets one agent do something; false when none can.
func (w *world) advanceSession() bool {
	n := w.alive()
	if n == 0 {
		return false
	}
	n = w.rng.IntN(n)
	for _, s := range w.sessions {
		if s.live && s.turn != 0 {
			if n == 0 {
				w.act(s)
				return true
			}
			n--
		}
	}
	return false
}

// act is one turn of an agent, or its last deed.
func (w *world) act(s *session) {
	s.used.Tokens += 100 + w.rng.Int64N(200)
	s.used.USD += 0.1
	if s.does == glutton {
		s.used.Tokens += 2000
		s.used.USD += 3
	}
	if s.left > 0 {
		s.left--
		w.endTurn(s)
		return
	}
	w.deed(s)
}

func (w *world) endTurn(s *session) {
	ev := run.Input{Kind: run.TurnEnded, Epoch: s.turn, Outcome: run.OK}
	if w.chance(40) {
		ev.Kind, ev.Epoch = run.Used, s.epoch
	}
	if w.chance(10) {
		ev.Kind, ev.Epoch, ev.Outcome = run.Signalled, s.epoch, run.WantCheckpoint
	}
	if ev.Kind == run.TurnEnded {
		s.turn = 0
	}
	w.say(s, ev)
}

func (w *world) say(s *session, ev run.Input) {
	if s.meter {
		used := s.used
		ev.Usage = &used
	}
	if s.turn == 0 {
		s.last = ev
	}
	w.queue = append(w.queue, ev)
}

// deed is how a session comes to its end, by itself or not.
func (w *world) deed(s *session) {
	switch s.does {
	case hanger:
		w.signal(s, run.Stalled)
	case looper, glutton:
		w.signal(s, run.WantHandover)
	case caller:
		s.turn = 0
		s.does = honest
		w.signal(s, run.Asked)
	case crasher:
		w.write(s, tree{junk: 1})
		w.exit(s, run.Crashed)
	case limited:
		w.exit(s, run.HitLimit)
	case asker:
		w.exit(s, run.Asked)
	case loggedOut:
		w.exit(s, run.NoLogin)
	case loser:
		w.loseTalk(s)
	case planted:
		w.exit(s, run.Unapproved)
	default:
		w.work(s)
		w.exit(s, run.Finished)
	}
}

func (w *world) signal(s *session, o run.Outcome) {
	if s.turn != 0 && w.chance(50) { // nothing to see, for now
		return
	}
	w.say(s, run.Input{Kind: run.Signalled, Epoch: s.epoch, Outcome: o, Text: "which one?", Reason: "a signal"})
}

// work changes the worktree as a session does that says that it has finished.
func (w *world) work(s *session) {
	switch s.does {
	case liar:
		w.write(s, tree{junk: w.rng.IntN(2)})
	case breaker:
		w.write(s, tree{broken: true})
	case weakener:
		w.write(s, tree{weak: true})
	case wanderer:
		w.write(s, tree{outside: true, done: s.bit()})
	case vandal:
		at := w.repo.checkout(s.job)
		x := w.repo.trees[at.tree]
		x.done &= s.bit()
		at.tree = w.repo.tree(x)
		w.write(s, tree{done: s.bit(), junk: 1})
	case greedy:
		w.write(s, tree{done: 0xf, junk: 1})
	case honest:
		if !s.plan {
			w.write(s, tree{done: s.bit()})
		}
	default: // the others do no work
	}
}

func (s *session) bit() uint8 {
	if s.f == nil {
		return 0
	}
	return s.f.bit
}

// write changes the session's worktree. Who repairs, and knows how, mends what
// was broken.
func (w *world) write(s *session, change tree) {
	at := w.repo.checkout(s.job)
	x := w.repo.trees[at.tree]
	if s.does == honest && s.fixes {
		x.done |= w.repo.trees[w.repo.commits[at.base].tree].done
		x.broken, x.weak, x.outside = false, false, false
	}
	x.done |= change.done
	x.broken = x.broken || change.broken
	x.weak = x.weak || change.weak
	x.outside = x.outside || change.outside
	x.junk += change.junk
	if s.does == honest {
		x.junk++
	}
	at.tree = w.repo.tree(x)
}

func (w *world) exit(s *session, o run.Outcome) {
	s.live = false
	e := w.done[s.epoch]
	e.answer = run.Input{Kind: run.Exited, Epoch: s.epoch, Outcome: o, Text: "which one?", Reason: "an exit"}
	if o == run.HitLimit && w.chance(70) {
		e.answer.Until = w.clock.Add(3600e9)
	}
	if s.meter {
		used := s.used
		e.answer.Usage = &used
	}
	w.talk(s, &e.answer)
	e.answered = true
	w.queue = append(w.queue, e.answer)
}

func (w *world) endSession(job int) {
	if s := w.session(job); s != nil {
		o := run.Closed
		if w.chance(10) {
			o = run.Finished
		}
		w.exit(s, o)
	}
}

// wake gives a session that asked its turn back.
func (w *world) wake(job int) {
	if s := w.session(job); s != nil && s.turn == 0 {
		for _, j := range w.s.Jobs {
			if j.ID == job {
				s.turn = j.Turn
			}
		}
	}
}

func (w *world) killSession() {
	for _, s := range w.sessions {
		if s.live {
			w.note("an agent is killed")
			w.exit(s, run.Killed)
			return
		}
	}
}

// human is the operator.
var human = kedge.Human("ann")
