package local_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/journal"
	"kedge/internal/testkit/enginetest"
)

func newMemory() *memory {
	return &memory{docs: map[kedge.RunID]journal.RunDoc{}, keys: map[string]kedge.Event{}}
}

// TestRunsThatAreOverAreLetGo: a daemon that lives for months does not keep every
// run that it ever had.
func TestRunsThatAreOverAreLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := enginetest.NewClock()
		e := open(t, newMemory(), clock, does(allGoesWell))
		kept := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			if got := e.Kept(); got != want {
				t.Errorf("%s: %d runs are kept, want %d", when, got, want)
			}
		}
		for i := range 20 {
			id := kedge.RunID(fmt.Sprintf("run-%d", i))
			begin(t, e, id, "a")
			await(t, e, id, isDone)
		}
		kept("they are over", 0)
		if s, err := e.State(t.Context(), "run-3"); err != nil || !isDone(s) {
			t.Errorf("run-3 is %s, %v", s.Status, err)
		}
		await(t, e, "run-3", isDone)
		if err := e.Cancel(t.Context(), "run-3", kedge.Human("ann")); err != nil {
			t.Error(err)
		}
		kept("it was looked at", 0)

		if err := e.Start(t.Context(), run.Input{Kind: run.Begun, Run: "run-3", Commit: "c0"}); err != nil {
			t.Error(err)
		}
		for _, word := range []run.Input{
			{Kind: run.Planned, Actor: kedge.Human("ann"), Specs: []run.Spec{{ID: "a", Hash: "h"}, {ID: "b", Hash: "h"}}},
			{Kind: run.Continued, Actor: kedge.Human("ann")}, // it was over
		} {
			if err := e.Deliver(t.Context(), "run-3", word); err != nil {
				t.Fatal(err)
			}
		}
		if s := await(t, e, "run-3", isDone); len(s.Features) != 2 || s.Features[1].Status != kedge.Completed {
			t.Errorf("it does not go on: %+v", s.Features)
		}
		kept("it went on", 0)
	})
}

// TestARunThatIsWatchedIsKept: and so is one that waits for somebody.
func TestARunThatIsWatchedIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := enginetest.NewClock()
		e := open(t, newMemory(), clock, does(func(_ context.Context, c run.Command) (run.Input, error) {
			if c.Kind == run.StartSession && c.Run == "run-2" {
				return run.Input{Outcome: run.Asked, Text: "which?"}, nil
			}
			return run.Input{}, nil
		}))
		begin(t, e, "run-2", "a")
		await(t, e, "run-2", func(s run.State) bool { return s.Status == run.StatusWaiting && len(s.Outbox) == 0 })
		begin(t, e, "run-1", "a")
		ctx, stop := context.WithCancel(t.Context())
		var mu sync.Mutex
		var last run.State
		ended := make(chan error, 1)
		go func() {
			ended <- e.Watch(ctx, "run-1", func(s engine.Step) {
				mu.Lock()
				defer mu.Unlock()
				last = s.State
			})
		}()
		synctest.Wait()
		if got := e.Kept(); got != 2 {
			t.Errorf("%d runs are kept", got)
		}
		for _, word := range []run.Input{
			{Kind: run.Planned, Actor: kedge.Human("ann"), Specs: []run.Spec{{ID: "b", Hash: "h"}}},
			{Kind: run.Continued, Actor: kedge.Human("ann")}, // it was over
		} {
			if err := e.Deliver(t.Context(), "run-1", word); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		mu.Lock()
		if !isDone(last) || len(last.Features) != 2 {
			t.Errorf("the watcher saw %s with %d features", last.Status, len(last.Features))
		}
		mu.Unlock()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := e.Kept(); got != 1 {
			t.Errorf("%d runs are kept, want the one that waits", got)
		}
	})
}
