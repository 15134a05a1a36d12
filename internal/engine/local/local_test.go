package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
	"kedge/internal/testkit/enginetest"
)

// TestConformance: the local engine keeps the contract of engines.
func TestConformance(t *testing.T) { enginetest.Run(t, inMemory) }

// TestConformanceOnStore: also over the journal that the product uses.
func TestConformanceOnStore(t *testing.T) {
	enginetest.Run(t, onStore, enginetest.Names("CrashAtEveryWrite", "ManyFeatures")...)
}

func TestF9ClockJumps(t *testing.T) {
	enginetest.Run(t, inMemory, "TimerAcrossARestart", "TimerAndTheCalendar")
}

func TestF16DriftPausesAndResetsNothing(t *testing.T) { enginetest.Run(t, inMemory, "Drift") }

func TestF18ProviderLimit(t *testing.T) { enginetest.Run(t, inMemory, "ProviderLimit", "UsageOnce") }

func TestF26LateResultsAreRefused(t *testing.T) { enginetest.Run(t, inMemory, "LateAnswers") }

func TestF30FlakyVerifier(t *testing.T) { enginetest.Run(t, inMemory, "Flaky") }

func TestF31AgentAbsent(t *testing.T) { enginetest.Run(t, inMemory, "NoLogin") }

// does is an executor that is a function; what it leaves alone goes well.
type does func(ctx context.Context, c run.Command) (run.Input, error)

func (d does) Do(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	if ev, err := d(ctx, c); ev.Outcome != "" || err != nil {
		return ev, err
	}
	return enginetest.Happy(c), nil
}

// allGoesWell is an executor of a world without trouble.
func allGoesWell(context.Context, run.Command) (run.Input, error) { return run.Input{}, nil }

func begin(t *testing.T, e engine.Engine, id kedge.RunID, features ...string) {
	t.Helper()
	ev := run.Input{Kind: run.Begun, Run: id, Commit: "c0"}
	for _, f := range features {
		ev.Specs = append(ev.Specs, run.Spec{ID: kedge.FeatureID(f), Hash: "h"})
	}
	if err := e.Start(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
}

// await waits for a state; the time only keeps it from hanging.
func await(t *testing.T, e engine.Engine, id kedge.RunID, is func(run.State) bool) run.State {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
	defer stop()
	var found, last run.State
	err := e.Watch(ctx, id, func(s engine.Step) {
		if last = s.State; found.Run == "" && is(last) {
			found = last
			stop()
		}
	})
	if err != nil || found.Run == "" {
		t.Fatalf("never seen: %v, %s: %s", err, last.Status, last.Reason)
	}
	return found
}

func isDone(s run.State) bool { return s.Status == run.StatusDone && len(s.Outbox) == 0 }

func text(t *testing.T, s run.State) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func open(t *testing.T, journal local.Journal, clock *enginetest.Clock, ex engine.Executor) *local.Local {
	t.Helper()
	e := local.New(local.Config{Project: "prj-1", Store: journal, Executor: ex, Now: clock.Now, After: clock.After})
	t.Cleanup(e.Leave)
	if err := e.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestF26TwoEngines: two think that they have the run. The one that was taken
// over from cannot write, lets go of its commands, and says so.
func TestF26TwoEngines(t *testing.T) {
	clock := enginetest.NewClock()
	s := openStore(t, clock)
	working, left := make(chan struct{}), make(chan error, 1)
	early := open(t, s, clock, does(func(ctx context.Context, c run.Command) (run.Input, error) {
		if c.Kind != run.StartSession {
			return run.Input{}, nil
		}
		close(working)
		<-ctx.Done()
		left <- context.Cause(ctx)
		return run.Input{}, engine.ErrLeave
	}))
	begin(t, early, "run-1", "a")
	<-working
	await(t, early, "run-1", func(s run.State) bool { return len(s.Outbox) == 1 })
	late := open(t, s, clock, does(allGoesWell))
	await(t, late, "run-1", isDone)

	skip := run.Input{Kind: run.Skipped, Feature: "a", Actor: kedge.Human("ann")}
	for range 2 {
		if err := early.Deliver(t.Context(), "run-1", skip); !kedge.Conflict.Is(err) {
			t.Errorf("the earlier engine takes an event: %v", err)
		}
	}
	if err := <-left; !errors.Is(err, engine.ErrLeave) {
		t.Errorf("its session ends because %v", err)
	}
	if troubles := early.Troubles(); len(troubles) != 1 || !strings.Contains(troubles[0].Err.Error(), "another process works on run") {
		t.Errorf("troubles: %v", troubles)
	}
	if state, _ := late.State(t.Context(), "run-1"); state.Features[0].Status != kedge.Completed {
		t.Errorf("the feature is %s", state.Features[0].Status)
	}
}

// TestF26WhatIsLateIsNotWritten: nor is what was delivered before.
func TestF26WhatIsLateIsNotWritten(t *testing.T) {
	clock := enginetest.NewClock()
	s := openStore(t, clock)
	e := open(t, s, clock, does(allGoesWell))
	begin(t, e, "run-1", "a")
	epoch := await(t, e, "run-1", isDone).Epoch
	pause := run.Input{ID: "evt-1", Kind: run.PauseAsked, Actor: kedge.Human("ann")}
	if err := e.Deliver(t.Context(), "run-1", pause); err != nil {
		t.Fatal(err)
	}
	before, err := s.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range []run.Input{{Kind: run.Notified, Epoch: epoch}, {Kind: run.Fired, Epoch: 3}, pause} {
		if err := e.Deliver(t.Context(), "run-1", ev); err != nil {
			t.Errorf("%s: %v", ev.Kind, err)
		}
	}
	if after, err := s.Last(t.Context()); err != nil || after != before {
		t.Errorf("event %d after %d: %v", after, before, err)
	}
}

// TestATotalThatWasToldIsNotWritten: a session may repeat itself at no cost.
func TestATotalThatWasToldIsNotWritten(t *testing.T) {
	clock := enginetest.NewClock()
	s := openStore(t, clock)
	e := open(t, s, clock, does(func(ctx context.Context, c run.Command) (run.Input, error) {
		if c.Kind == run.StartSession {
			<-ctx.Done()
			return run.Input{}, engine.ErrLeave
		}
		return run.Input{}, nil
	}))
	begin(t, e, "run-1", "a")
	session := await(t, e, "run-1", func(s run.State) bool { return s.Live(1) && len(s.Outbox) == 1 }).Outbox[0].Epoch
	written := func(tokens int64) int64 {
		before, err := s.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Deliver(t.Context(), "run-1", run.Input{Kind: run.Used, Epoch: session, Usage: &kedge.Spend{Tokens: tokens}}); err != nil {
			t.Fatal(err)
		}
		after, err := s.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return after - before
	}
	for i, c := range []struct{ tokens, steps int64 }{{100, 1}, {100, 0}, {120, 1}, {90, 0}} {
		if got := written(c.tokens); got != c.steps {
			t.Errorf("%d: %d tokens write %d steps, want %d", i, c.tokens, got, c.steps)
		}
	}
}

// TestT15WhatIsKeptIsWhatIsFollowed: a secret that an agent asks about is in
// neither the journal nor what the engine goes by, so that a crash changes
// nothing.
func TestT15WhatIsKeptIsWhatIsFollowed(t *testing.T) {
	clock := enginetest.NewClock()
	s := openStore(t, clock)
	secret := "gh" + "p_" + strings.Repeat("a1B2", 9)
	told := make(chan string, 1)
	e := open(t, s, clock, does(func(_ context.Context, c run.Command) (run.Input, error) {
		switch {
		case c.Kind == run.StartSession && c.Attempt == 1:
			return run.Input{Outcome: run.Asked, Text: "is it " + secret + "?"}, nil
		case c.Kind == run.Tell:
			told <- c.Text
		}
		return run.Input{}, nil
	}))
	begin(t, e, "run-1", "a")
	state := await(t, e, "run-1", func(s run.State) bool { return s.Status == run.StatusWaiting && len(s.Outbox) == 0 })
	if strings.Contains(text(t, state), secret) || !strings.Contains(state.Reason, "[redacted:github]") {
		t.Errorf("the engine goes by %q", state.Reason)
	}
	doc, _, err := s.Run(t.Context(), "run-1")
	if err != nil || text(t, doc.State) != text(t, state) {
		t.Errorf("the journal has another state: %v", err)
	}
	said := run.Input{Kind: run.Said, Feature: "a", Actor: kedge.Human("ann"), Text: "yes, " + secret}
	if err := e.Deliver(t.Context(), "run-1", said); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != "yes, [redacted:github]" {
		t.Errorf("the session is told %q", got)
	}
}

// TestARunOfANewerKedgeIsLeftAlone, and keeps no other from going on.
func TestARunOfANewerKedgeIsLeftAlone(t *testing.T) {
	clock := enginetest.NewClock()
	s := openStore(t, clock)
	e := open(t, s, clock, does(func(ctx context.Context, c run.Command) (run.Input, error) {
		if c.Kind == run.StartSession {
			<-ctx.Done()
			return run.Input{}, engine.ErrLeave
		}
		return run.Input{}, nil
	}))
	for _, id := range []kedge.RunID{"run-1", "run-2"} {
		begin(t, e, id, "a")
		await(t, e, id, func(s run.State) bool { return s.Live(1) })
	}
	e.Leave()
	fromTheFuture(t, s, "run-1")
	before, err := s.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	e = local.New(local.Config{Store: s, Executor: does(allGoesWell), Now: clock.Now, After: clock.After})
	t.Cleanup(e.Leave)
	if err := e.Open(t.Context()); !kedge.Conflict.Is(err) || !strings.Contains(err.Error(), "a newer version of Kedge") {
		t.Errorf("opened with %v", err)
	}
	await(t, e, "run-2", isDone)
	if err := e.Deliver(t.Context(), "run-1", run.Input{Kind: run.StopAsked}); !kedge.Conflict.Is(err) {
		t.Errorf("delivered: %v", err)
	}
	after, err := s.Events(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range after {
		if strings.Contains(string(ev.Data), `"run":"run-1"`) {
			t.Errorf("something was written: %s", ev.Data)
		}
	}
}

// fromTheFuture gives a run a state that only a newer Step understands.
func fromTheFuture(t *testing.T, s *journal.Store, id kedge.RunID) {
	t.Helper()
	doc, _, err := s.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	newer := doc.State
	newer.Version = run.Version + 1
	ev, err := kedge.NewEvent(kedge.RunStepped, kedge.ActorDaemon, delta.Stepped{Run: id, N: doc.Steps + 1, Delta: delta.Diff(doc.State, newer)})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Append(t.Context(), "", ev); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsTooLargeIsRefusedAlone: an event that the journal cannot keep is no
// reason to halt the run; as an answer it is a failure.
func TestWhatIsTooLargeIsRefusedAlone(t *testing.T) {
	clock := enginetest.NewClock()
	large := strings.Repeat("x", 17<<20)
	var n atomic.Int64
	e := open(t, openStore(t, clock), clock, does(func(_ context.Context, c run.Command) (run.Input, error) {
		if c.Kind == run.Prepare && n.Add(1) == 1 {
			return run.Input{Outcome: run.OK, Environment: large}, nil
		}
		return run.Input{}, nil
	}))
	begin(t, e, "run-1", "a")
	state := await(t, e, "run-1", func(s run.State) bool { return s.Halt == run.Fault })
	if !strings.Contains(state.Why, "too large for Kedge's journal") || len(state.Why) > 2100 {
		t.Errorf("halted because %.200q", state.Why)
	}
	said := run.Input{Kind: run.Said, Feature: "a", Actor: kedge.Human("ann"), Text: large}
	if err := e.Deliver(t.Context(), "run-1", said); !kedge.Invalid.Is(err) {
		t.Errorf("it was taken: %v", err)
	}
	if len(e.Troubles()) != 0 {
		t.Errorf("the run is in trouble: %v", e.Troubles())
	}
	if err := e.Deliver(t.Context(), "run-1", run.Input{Kind: run.Continued, Actor: kedge.Human("ann")}); err != nil {
		t.Fatal(err)
	}
	await(t, e, "run-1", isDone)
}

// TestWatchersHearThatTheEngineLeaves: they do not wait for what cannot come.
func TestWatchersHearThatTheEngineLeaves(t *testing.T) {
	clock := enginetest.NewClock()
	e := open(t, openStore(t, clock), clock, does(allGoesWell))
	begin(t, e, "run-1", "a")
	ended, seen := make(chan error, 1), make(chan struct{}, 100)
	go func() { ended <- e.Watch(t.Context(), "run-1", func(engine.Step) { seen <- struct{}{} }) }()
	<-seen
	e.Leave()
	e.Leave()
	if err := <-ended; !errors.Is(err, engine.ErrLeave) {
		t.Errorf("it ends with %v", err)
	}
	for what, err := range map[string]error{
		"start":   e.Start(t.Context(), run.Input{Kind: run.Begun, Run: "run-2"}),
		"deliver": e.Deliver(t.Context(), "run-1", run.Input{Kind: run.PauseAsked}),
	} {
		if !kedge.Conflict.Is(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
