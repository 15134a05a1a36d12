package projects

import (
	"context"
	"sync"

	"kedge/internal/engine/gate"
)

// Life is the time from NewLife to End: the background work of the service, and how it
// stops. Work that can continue without the service, like the commands of a gate, is left
// running.
type Life struct {
	mu      sync.Mutex
	flights map[string]chan struct{} // requests that are being answered, by key

	leaveNow context.CancelFunc // ends the next
	leave    context.Context    //nolint:containedctx // until the service is to go

	watching sync.WaitGroup     // what goes on beside the calls
	stop     context.CancelFunc // ends it
	watch    context.Context    //nolint:containedctx // the life of the service, not of a call
}

// NewLife begins a Life.
func NewLife() *Life {
	l := &Life{flights: map[string]chan struct{}{}}
	l.watch, l.stop = context.WithCancel(context.Background())
	l.leave, l.leaveNow = context.WithCancel(context.Background())
	return l
}

// Go runs do in the background. Do must return when Context ends.
func (l *Life) Go(do func()) { l.watching.Go(do) }

// Context ends when the service ends.
func (l *Life) Context() context.Context { return l.watch }

// Leaving ends when the service is asked to stop, before Context does.
func (l *Life) Leaving() context.Context { return l.leave }

// Leave asks the service to stop. Calls that wait for work which continues without the
// service end with gate.ErrLeft.
func (l *Life) Leave() { l.leaveNow() }

// End leaves, and waits for the background work.
func (l *Life) End() {
	l.leaveNow()
	l.stop()
	l.watching.Wait()
}

// UntilLeft gives a context that also ends, with gate.ErrLeft, when the service is asked
// to stop. The commands of a gate then continue alone.
func (l *Life) UntilLeft(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.leave, func() { cancel(gate.ErrLeft) })
	return ctx, func() { stop(); cancel(nil) }
}

// Alone waits until nobody else answers the request with this key. A request that is
// made again meanwhile gets the same answer.
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
