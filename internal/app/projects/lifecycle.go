package projects

import (
	"context"
	"sync"

	"kedge/internal/engine/gate"
)

// Life is from NewLife until End.
type Life struct {
	mu      sync.Mutex
	flights map[string]chan struct{} // requests that are being answered, by key

	leaveNow context.CancelFunc // ends the next
	leave    context.Context    //nolint:containedctx // until the service is to go

	watching sync.WaitGroup     // what goes on beside the calls
	stop     context.CancelFunc // ends it
	watch    context.Context    //nolint:containedctx // the life of the service, not of a call
}

// NewLife begins one.
func NewLife() *Life {
	l := &Life{flights: map[string]chan struct{}{}}
	l.watch, l.stop = context.WithCancel(context.Background())
	l.leave, l.leaveNow = context.WithCancel(context.Background())
	return l
}

// Go does something beside the calls; it is to end with Context.
func (l *Life) Go(do func()) { l.watching.Go(do) }

// Context ends with the life.
func (l *Life) Context() context.Context { return l.watch }

// Leaving ends when the service is to go, before Context does.
func (l *Life) Leaving() context.Context { return l.leave }

// Leave lets go of what can go on without the service: calls that wait for it
// end with gate.ErrLeft.
func (l *Life) Leave() { l.leaveNow() }

// End leaves, and waits for what goes on beside the calls.
func (l *Life) End() {
	l.leaveNow()
	l.stop()
	l.watching.Wait()
}

// UntilLeft gives a context that also ends, with gate.ErrLeft, when the service is to
// go: the lines of a gate are then let alone.
func (l *Life) UntilLeft(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.leave, func() { cancel(gate.ErrLeft) })
	return ctx, func() { stop(); cancel(nil) }
}

// Alone waits until nobody else works on the request of this key: one that is
// made again while the first is still being answered gets the same answer.
func (l *Life) Alone(ctx context.Context, key string) (release func(), err error) {
	if key == "" {
		return func() {}, nil
	}
	for {
		l.mu.Lock()
		other, busy := l.flights[key]
		if !busy {
			mine := make(chan struct{})
			l.flights[key] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				delete(l.flights, key)
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-other:
		case <-l.leave.Done():
			return nil, gate.ErrLeft
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
