// Package enginetest is the conformance suite of engines. It owns the tests that every
// engine must pass, and a model of the world in which a repeated command has the effect
// of one, and in which a superfluous command is detected. The tests check that repeated
// starts and events happen once, that a crash at any write does not change the end, that
// no command runs before its step is stored, and that a replaced engine is refused. It
// never touches anything outside its own memory; only the engine under test may.
package enginetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/engine"
)

// Harness makes engines over one journal.
type Harness interface {
	// Open opens an engine over the journal, which goes on with every run in it.
	// The one before has left or is dead.
	Open(ex engine.Executor) engine.Engine
	// Leave lets the newest engine go, as a daemon does that is stopped.
	Leave()
	// Crash lets the newest engine die at its n-th write from now, 1 being the
	// next one: before it is kept, or after it is and before anybody hears of it.
	// died is called at that moment; nothing of the engine is kept afterwards.
	Crash(n int, kept bool, died func())
	// Refuse lets the journal refuse whatever is written, as a full disk does,
	// until it is called with nil.
	Refuse(with error)
}

// Make makes a harness with an empty journal, whose engines go by the clock.
type Make func(t *testing.T, clock *Clock) Harness

// Run holds an engine to the contract: to all of it, or to what is named. The
// two that write most, CrashAtEveryWrite and ManyFeatures, are too slow for a
// journal on a disk that has much else to do; CrashAtSomeWrites is for it.
func Run(t *testing.T, harness Make, names ...string) {
	ran := 0
	for _, c := range cases {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		ran++
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			apart(t, harness, c.test)
		})
	}
	if len(names) > 0 && ran != len(names) {
		t.Errorf("only %d of %v are tests", ran, names)
	}
}

// Names lists the tests that are not among those left out.
func Names(without ...string) []string {
	var names []string
	for _, c := range cases {
		if !slices.Contains(without, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

var cases = []struct {
	name string
	test func(*bench)
}{
	{"StartTwice", startTwice},
	{"DeliverTwice", deliverTwice},
	{"NoSuchRun", noSuchRun},
	{"LateAnswers", lateAnswers},
	{"CrashAtEveryWrite", crashAtEveryWrite},
	{"CrashAtSomeWrites", crashAtSomeWrites},
	{"CrashAgainAndAgain", crashAgainAndAgain},
	{"CrashKeepsSessions", crashKeepsSessions},
	{"LeaveKeepsSessions", leaveKeepsSessions},
	{"LeaveInTheMiddle", leaveInTheMiddle},
	{"TakenOverAlive", takenOverAlive},
	{"Withdrawn", withdrawn},
	{"StatusesInOrder", statusesInOrder},
	{"ErrorsAndPanics", errorsAndPanics},
	{"WrongAnswers", wrongAnswers},
	{"JournalRefuses", journalRefuses},
	{"TimerAcrossARestart", timerAcrossARestart},
	{"TimerAndTheCalendar", timerAndTheCalendar},
	{"ParallelRuns", parallelRuns},
	{"Cancel", cancel},
	{"Watch", watch},
	{"SlowWatcher", slowWatcher},
	{"UsageOnce", usageOnce},
	{"Drift", drift},
	{"ProviderLimit", providerLimit},
	{"Flaky", flaky},
	{"NoLogin", noLogin},
	{"ManyFeatures", manyFeatures},
}

// bench is one test: a world, and one engine after the other on it.
type bench struct {
	*testing.T
	*world
	Harness
	clock *Clock
	fresh Make
}

const (
	first = kedge.RunID("run-1")
	ann   = kedge.Actor("human:ann")
)

// sound fails the test for whatever the world noticed.
func (b *bench) sound() {
	b.Helper()
	b.world.mu.Lock()
	defer b.world.mu.Unlock()
	for _, w := range b.world.wrong {
		b.Error(w)
	}
}

// apart is a test of its own, with an empty journal and a new world.
func (b *bench) apart(name string, test func(*bench)) {
	b.Run(name, func(t *testing.T) { apart(t, b.fresh, test) })
}

func apart(t *testing.T, fresh Make, test func(*bench)) {
	b := &bench{T: t, world: newWorld(), clock: NewClock(), fresh: fresh}
	b.Harness = fresh(t, b.clock)
	test(b)
	b.sound()
}

func begun(id kedge.RunID, rules config.Rules, features ...string) run.Input {
	ev := run.Input{Kind: run.Begun, Run: id, Rules: &rules, Commit: "c0"}
	for _, f := range features {
		ev.Specs = append(ev.Specs, run.Spec{ID: kedge.FeatureID(f), Hash: "h-" + f})
	}
	return ev
}

func (b *bench) start(e engine.Engine, ev run.Input) {
	b.Helper()
	if err := e.Start(b.Context(), ev); err != nil {
		b.Fatalf("start: %v", err)
	}
}

func (b *bench) deliver(e engine.Engine, ev run.Input) {
	b.Helper()
	if err := e.Deliver(b.Context(), first, ev); err != nil {
		b.Fatalf("deliver %s: %v", ev.Kind, err)
	}
}

func (b *bench) state(e engine.Engine) run.State {
	b.Helper()
	s, err := e.State(b.Context(), first)
	if err != nil {
		b.Fatalf("state: %v", err)
	}
	return s
}

// patience only keeps a test that would hang from hanging: nothing is measured.
const patience = 15 * time.Minute

// until waits for a state of a run.
func (b *bench) until(e engine.Engine, id kedge.RunID, what string, is func(*run.State) bool) run.State {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), patience)
	defer stop()
	var last run.State
	err := e.Watch(ctx, id, func(s engine.Step) {
		if last.Run == "" || !is(&last) {
			last = s.State
		}
		if is(&last) {
			stop()
		}
	})
	if err != nil || !is(&last) {
		b.Fatalf("never %s: %v, %s: %s, %+v", what, err, last.Status, last.Reason, last.Jobs)
	}
	return last
}

// over tells whether a run is, with nothing outstanding.
func over(s *run.State) bool { return s.Ended() && len(s.Outbox) == 0 }

func (b *bench) untilOver(e engine.Engine) run.State {
	b.Helper()
	return b.until(e, first, "over", over)
}

// phase tells whether a job is in a phase.
func phase(p run.Phase) func(*run.State) bool {
	return func(s *run.State) bool {
		return slices.ContainsFunc(s.Jobs, func(j run.Job) bool { return j.Phase == p })
	}
}

func (b *bench) statuses(s run.State) string {
	text := ""
	for _, f := range s.Features {
		text += fmt.Sprintf("%s=%s ", f.ID, f.Status)
	}
	return text
}

func (b *bench) want(what string, got, want any) {
	b.Helper()
	if got != want {
		b.Errorf("%s: %v, want %v", what, got, want)
	}
}

// completedOnce fails the test unless every feature is completed with one
// session, one work commit and one ledger commit.
func (b *bench) completedOnce(s run.State) {
	b.Helper()
	b.want("status", s.Status, run.StatusDone)
	for _, f := range s.Features {
		b.want("status of "+string(f.ID), f.Status, kedge.Completed)
		b.want("sessions of "+string(f.ID), b.count(fmt.Sprintf("%s session %s", s.Run, f.ID)), 1)
		b.want("commits of "+string(f.ID), b.count(fmt.Sprintf("%s commit %s ", s.Run, f.ID)), 1)
		b.want("ledger commits of "+string(f.ID), b.count(fmt.Sprintf("%s ledger %s completed", s.Run, f.ID)), 1)
	}
}
