// Package sim plays whole runs against a model of the world: a repository of
// trees, a gate, agents that may lie, loop, hang, crash or spend too much, an
// operator and a clock. It owns the nineteen invariants of a run and checks them
// after every step. A seed gives the same run every time. It never touches
// anything outside its own memory; only tests use it.
package sim

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/run"
)

// Stepper is run.Step, or something that pretends to be.
type Stepper func(run.State, run.Input) (run.State, []run.Command)

// Result is how a simulated run went. Violation is empty when every invariant
// held and the run ended.
type Result struct {
	Seed      uint64
	Steps     int
	State     run.State
	Violation string
	History   []Entry
	Seen      Seen
}

// Seen counts what happened, so that a test can tell that the simulation meets
// what it is there for.
type Seen struct {
	Completed, Blocked, Reviewed, Crashes, Stale, Repairs, Fixes, OverBudget, Quota, TakeOvers, Regressed, Flaky, Plans, Resumed, Lost, Undone, Seconds, Carried, TakenOn, Wanted, Aside, Broke, Outside, Again, Moot, Mended, Anew, Parked int
}

// Entry is one step of a run.
type Entry struct {
	Note     string // what the world did to the run, where it was not an event
	Event    run.Input
	Commands []run.Command
}

// maxSteps is far beyond what any of these small runs needs: one that reaches
// it does not end.
const maxSteps = 4000

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// world is everything outside the core.
type world struct {
	rng   *rand.Rand
	step  Stepper
	clock time.Time
	s     run.State
	*history

	queue     []run.Input // answers on their way
	late      []run.Input // copies that come when nobody expects them
	done      []*effect   // by epoch: what a command did
	sessions  []*session
	talks     map[int]talk // by job: of its last session
	housed    map[int]bool // by job: it has a worktree
	widest    int          // how many jobs might work at once, at most
	timers    []run.Command
	repo      repository
	unlanded  bool // the run begins on a commit that the user's branch does not have
	specs     []feature
	unseen    map[kedge.FeatureID]int  // the newest commit of work that nobody accepted
	next      bool                     // this is the second run
	planned   []run.Spec               // what its plan has, where it plans
	over      bool                     // it was over, and people said something about its work
	words                              // of people, that something has to follow from
	red       map[kedge.FeatureID]int  // features that were done and are red again, with the commit since when
	redBefore map[kedge.FeatureID]bool // features that the ledger called red again when the second run began
	letRed    bool                     // the user wants to land on that

	meddling int // what the operator still does by himself
	helping  int // how often he still helps a run that waits
	faults   int // how many faults are still to come
	steps    int
	seen     Seen
}

// effect is what carrying a command out did; doing it again gives it again.
type effect struct {
	answer   run.Input
	answered bool
}

// Play runs one simulation to its end. Only one that fails has a history: it is
// played again for it.
func Play(seed uint64, step Stepper) Result {
	r := play(seed, step, false)
	if r.Violation != "" {
		r = play(seed, step, true)
	}
	return r
}

// Replay runs one simulation to its end and keeps its history.
func Replay(seed uint64, step Stepper) Result { return play(seed, step, true) }

func play(seed uint64, step Stepper, recording bool) Result {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 0x6b65646765)), step: step, clock: start,
		history: newHistory(recording), talks: map[int]talk{}, housed: map[int]bool{}, unseen: map[kedge.FeatureID]int{}, red: map[kedge.FeatureID]int{}, words: newWords(),
	}
	w.meddling, w.helping, w.faults = w.rng.IntN(5), 2+w.rng.IntN(6), w.rng.IntN(8)
	w.begin()
	for w.violation == "" && w.steps < maxSteps && w.turn() {
		w.clock = w.clock.Add(time.Second)
	}
	if w.violation == "" && w.steps >= maxSteps {
		w.fail(9, "the run does not end")
	}
	return Result{Seed: seed, Steps: w.steps, State: w.s, Violation: w.violation, History: w.entries, Seen: w.seen}
}

// Text is the history, one line for a step, for a person who looks for the
// fault behind a violation.
func (r Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s\n", r.Seed, r.Violation)
	for i, e := range r.History {
		if e.Note != "" {
			fmt.Fprintf(&b, "%4d -- %s\n", i, e.Note)
			continue
		}
		ev := e.Event
		fmt.Fprintf(&b, "%4d %s %s epoch=%d %s %s %s %s\n", i, ev.Kind, ev.Outcome, ev.Epoch, ev.Feature, ev.Tree, ev.Commit, ev.Reason)
		for _, c := range e.Commands {
			fmt.Fprintf(&b, "       %d %s job=%d %s/%d %s %s base=%s tree=%s %s %s\n", c.Epoch, c.Kind, c.Job, c.Feature, c.Attempt,
				c.Purpose, c.Scope, c.Base, c.Tree, c.Status, c.Reason)
		}
	}
	last, _ := json.MarshalIndent(r.State, "", " ")
	b.Write(last)
	return b.String()
}

func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// turn lets one thing happen; false when nothing can any more.
func (w *world) turn() bool {
	w.steps++
	switch roll := w.rng.IntN(100); {
	case roll < 4 && w.faults > 0:
		w.faults--
		w.trouble()
	case roll < 7 && w.meddling > 0:
		w.meddling--
		w.meddle()
	case roll < 9 && w.stuck():
		w.deliver(run.Input{Kind: run.Continued, Actor: human})
	case roll < 11 && len(w.late) > 0:
		w.deliver(w.take(&w.late))
	case roll < 40 && w.advanceSession():
	case len(w.queue) > 0:
		w.deliverNext()
	case roll < 50: // the engine asks again for what got lost
		w.again()
	case w.advanceSession():
	case w.fireTimer():
	default:
		return w.idle()
	}
	return true
}

// stuck tells whether something waits for a person who says: try again.
func (w *world) stuck() bool {
	return slices.ContainsFunc(w.s.Jobs, func(j run.Job) bool { return j.Phase == run.Stuck })
}

// take removes one event, mostly the oldest.
func (w *world) take(q *[]run.Input) run.Input {
	i := 0
	if w.chance(30) {
		i = w.rng.IntN(len(*q))
	}
	ev := (*q)[i]
	*q = slices.Delete(*q, i, i+1)
	return ev
}

// deliverNext delivers an answer; now and then twice, later again, or never.
func (w *world) deliverNext() {
	ev := w.take(&w.queue)
	if w.faults > 0 && w.chance(12) {
		w.faults--
		switch w.rng.IntN(3) {
		case 0:
			w.note("lost: " + string(ev.Kind))
			return
		case 1:
			w.queue = append(w.queue, ev)
		default:
			w.late = append(w.late, ev)
		}
	}
	w.deliver(ev)
}

// deliver is one step of the core, checked, and then carried out.
func (w *world) deliver(ev run.Input) {
	ev.At = w.clock
	w.hear(ev)
	w.hearLast(ev)
	w.hearDenied(ev)
	w.hearDoubt(ev)
	w.hearLanded(ev)
	w.hearRed(ev)
	after, commands := w.step(w.s, ev)
	w.observe(&w.s, &after, ev, commands)
	w.staysOver(&w.s, ev, commands)
	w.count(&w.s, &after, ev, commands)
	w.s = after
	w.checkLast()
	for id := range w.red {
		if w.skipped(id) { // nobody wants it any more
			delete(w.red, id)
		}
	}
	for _, c := range commands {
		w.keepWord(c)
		w.checkUsers(c)
		w.checkFixFirst(c)
	}
	for _, c := range commands {
		if w.faults > 0 && w.chance(3) { // the engine dies between two commands
			w.faults--
			w.crash()
			return
		}
		w.execute(c)
	}
}

func (w *world) count(before, after *run.State, ev run.Input, commands []run.Command) {
	if len(commands) == 0 && len(after.Outbox) == len(before.Outbox) && ev.Epoch > 0 {
		w.seen.Stale++
	}
	if after.Status != before.Status {
		switch after.Status {
		case run.StatusOverBudget:
			w.seen.OverBudget++
		case run.StatusQuota:
			w.seen.Quota++
		default:
		}
	}
	for _, c := range commands {
		switch {
		case c.Kind == run.Ledger && c.Status == kedge.Completed && c.Feature != "":
			w.seen.Completed++
			if c.Flaky {
				w.seen.Flaky++
			}
		case c.Kind == run.Ledger && c.Status == kedge.Completed && !w.job(c.Job).begun:
			w.seen.Mended++
		case c.Kind == run.Ledger && c.Status == kedge.BlockedWork:
			w.seen.Blocked++
		case c.Kind == run.Ledger && c.Status == kedge.NeedsReview:
			w.seen.Reviewed++
		case c.Kind == run.StartSession && c.Purpose == run.Repair:
			w.seen.Repairs++
		case c.Kind == run.StartSession && c.Purpose == run.FixFirst:
			w.seen.Fixes++
		case c.Kind == run.StartSession && c.Purpose == run.MakePlan:
			w.seen.Plans++
		}
	}
}

// crash loses everything that is only in memory: the state comes back from what
// was stored, and what is outstanding is carried out again.
func (w *world) crash() {
	w.seen.Crashes++
	w.note("the engine dies and starts again")
	stored, err := json.Marshal(w.s)
	if err != nil {
		w.fail(10, "the state cannot be stored: "+err.Error())
		return
	}
	var s run.State
	if err := json.Unmarshal(stored, &s); err != nil {
		w.fail(10, "the state cannot be read: "+err.Error())
		return
	}
	if again, _ := json.Marshal(s); string(again) != string(stored) {
		w.fail(10, "the state is another one after it was stored")
	}
	w.s, w.queue = s, nil
	w.executeAgain()
}

func (w *world) again() {
	w.timers = nil
	w.executeAgain()
}

func (w *world) executeAgain() {
	for _, c := range w.s.Outbox {
		w.execute(c)
	}
}

// trouble is what the outside does to a run.
func (w *world) trouble() {
	switch w.rng.IntN(5) {
	case 0:
		w.crash()
	case 1:
		jump := time.Duration(w.rng.IntN(48)-24) * time.Hour
		w.note("the clock jumps by " + jump.String())
		w.clock = w.clock.Add(jump)
	case 2:
		w.seen.TakeOvers++
		w.deliver(run.Input{Kind: run.TakenOver})
	case 3:
		w.killSession()
	default:
		w.deliver(run.Input{Kind: "something new", Epoch: w.s.Epoch})
	}
}

// idle is reached when nothing is on its way. What is outstanding is asked for
// again; with nothing outstanding the run must be over, or wait for a person.
func (w *world) idle() bool {
	if !w.resting() {
		w.again()
		if len(w.queue) > 0 || len(w.timers) > 0 || w.alive() > 0 {
			return true
		}
		w.fail(9, "nothing answers "+string(w.s.Outbox[0].Kind))
		return false
	}
	w.checkRest()
	if w.violation != "" {
		return false
	}
	if w.helping == 0 {
		return w.second()
	}
	w.helping--
	return w.help() || w.second()
}

// resting tells whether all that is outstanding is sessions which wait for a
// person's word.
func (w *world) resting() bool {
	return !slices.ContainsFunc(w.s.Outbox, func(c run.Command) bool {
		waits := slices.ContainsFunc(w.s.Jobs, func(j run.Job) bool {
			return j.ID == c.Job && (j.Phase == run.Asking || j.Phase == run.Idle || j.Phase == run.Stuck)
		})
		return !waits || c.Kind != run.StartSession && c.Kind != run.NextTurn && c.Kind != run.Timer
	})
}

// checkRest holds a run that rests to invariant 9: it says why.
func (w *world) checkRest() {
	s := &w.s
	w.checkBook()
	if s.Reason == "" {
		w.fail(9, "the run rests and does not say why")
	}
	switch s.Status {
	case run.StatusPaused:
		if s.Halt != run.Paused {
			w.fail(9, "paused by nobody")
		}
	case run.StatusWaiting:
		asks := slices.ContainsFunc(s.Jobs, func(j run.Job) bool { return j.Phase == run.Asking || j.Phase == run.Reviewing || j.Phase == run.Stuck })
		if !asks && !s.Planning() {
			w.fail(9, "waits for nobody")
		}
	case run.StatusDone, run.StatusStopped, run.StatusOverBudget:
		if !s.Ended() {
			w.fail(9, "over, and something still goes on")
		}
	default:
		w.fail(9, "nothing is outstanding and the run is "+string(s.Status))
	}
}
