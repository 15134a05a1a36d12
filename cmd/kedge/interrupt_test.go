package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"
)

// TestUntilSignal: nothing listens until somebody waits; then everything made of
// the context ends with it, and knows why.
func TestUntilSignal(t *testing.T) {
	inner, cancel := context.WithCancelCause(t.Context())
	listens := 0
	u := &untilSignal{listen: func() (context.Context, context.CancelFunc) {
		listens++
		return inner, func() {}
	}}
	before := context.WithValue(u, "key", "value") //nolint:staticcheck // only a test looks it up
	if _, limited := u.Deadline(); limited || u.Err() != nil || context.Cause(u) != nil || before.Value("key") != "value" || listens != 0 {
		t.Errorf("at first: %v, %v, %d listen", u.Err(), context.Cause(u), listens)
	}
	derived, stop := context.WithCancel(before)
	defer stop()
	ended := make(chan struct{})
	context.AfterFunc(u, func() { close(ended) })
	if listens != 1 {
		t.Fatalf("%d listen", listens)
	}
	why := errors.New("interrupt")
	cancel(why)
	<-ended
	<-derived.Done()
	for _, ctx := range []context.Context{u, before, derived} {
		if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), why) {
			t.Errorf("at the end: %v, %v", ctx.Err(), context.Cause(ctx))
		}
	}
	if listens != 1 {
		t.Errorf("%d listen", listens)
	}
}

// TestEndings: a terminal that closes ends what runs at it, but not under nohup.
func TestEndings(t *testing.T) {
	for _, nohup := range []bool{false, true} {
		all := endings(func(s os.Signal) bool { return nohup && s == syscall.SIGHUP })
		if slices.Contains(all, os.Signal(syscall.SIGHUP)) == nohup || !slices.Contains(all, os.Signal(syscall.SIGTERM)) {
			t.Errorf("nohup %v: %v", nohup, all)
		}
	}
}
