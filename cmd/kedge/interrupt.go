package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// untilSignal is a context that ends with a signal that ends programs. It listens for them
// from the first time somebody asks for Done, that is, waits for something: until
// then nothing has begun that would have to be ended in order, and the system's
// own way of ending a program does. A command that only asks the daemon thereby
// starts sooner: to listen takes Go a thread and a tenth of the whole start.
type untilSignal struct {
	listen func() (context.Context, context.CancelFunc)

	mu  sync.Mutex
	ctx context.Context //nolint:containedctx // it is this one, once it listens
}

func newUntilSignal() *untilSignal {
	return &untilSignal{listen: func() (context.Context, context.CancelFunc) {
		return signal.NotifyContext(context.Background(), endings(signal.Ignored)...)
	}}
}

// endings are the signals that end a program in order, as by restoring the terminal. Under
// nohup the terminal's end is not among them.
func endings(ignored func(os.Signal) bool) []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Done implements context.Context.
func (u *untilSignal) Done() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ctx == nil {
		u.ctx, _ = u.listen() // it listens until the process ends
	}
	return u.ctx.Done()
}

// now is the context that listens, nil before.
func (u *untilSignal) now() context.Context {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ctx
}

// Err implements context.Context.
func (u *untilSignal) Err() error {
	if ctx := u.now(); ctx != nil {
		return ctx.Err()
	}
	return nil
}

// Deadline implements context.Context: there is none.
func (u *untilSignal) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Value implements context.Context; context.Cause finds the signal by it.
func (u *untilSignal) Value(key any) any {
	if ctx := u.now(); ctx != nil {
		return ctx.Value(key)
	}
	return nil
}
