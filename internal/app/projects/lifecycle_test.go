package projects_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
)

// TestAlone: a request that is made again waits for the first, and gives up when
// the service is to go.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := projects.NewLife()
		release, err := l.Alone(t.Context(), "key")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := l.Alone(t.Context(), "another"); err != nil {
			t.Error(err)
		} else {
			other()
		}
		got := make(chan error, 1)
		l.Go(func() {
			again, err := l.Alone(l.Context(), "key")
			if err == nil {
				again()
			}
			got <- err
		})
		synctest.Wait()
		select {
		case err := <-got:
			t.Fatalf("the second did not wait: %v", err)
		default:
		}
		release()
		if err := <-got; err != nil {
			t.Error(err)
		}
		if _, err := l.Alone(t.Context(), "key"); err != nil { // and is not released
			t.Fatal(err)
		}
		l.Go(func() {
			_, err := l.Alone(context.Background(), "key")
			got <- err
		})
		synctest.Wait()
		l.End()
		if err := <-got; !errors.Is(err, gate.ErrLeft) {
			t.Errorf("left: %v", err)
		}
	})
}

// TestUntilLeft: whoever waits for something that goes on without the service
// learns that it was left, while what is beside the calls goes on until the end.
func TestUntilLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := projects.NewLife()
		ctx, done := l.UntilLeft(t.Context())
		defer done()
		l.Leave()
		<-ctx.Done()
		if err := context.Cause(ctx); !errors.Is(err, gate.ErrLeft) {
			t.Errorf("cause: %v", err)
		}
		if l.Leaving().Err() == nil || l.Context().Err() != nil {
			t.Errorf("leaving %v, life %v", l.Leaving().Err(), l.Context().Err())
		}
		l.End()
		if l.Context().Err() == nil {
			t.Error("it goes on after its end")
		}
	})
}
