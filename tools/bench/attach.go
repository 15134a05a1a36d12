package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

// How much there is to come back to.
var (
	manyLines = sized(1_000_000, 2000)
	floodOf   = sized(2_000_000, 2000)
)

// daemonMost is what a session's output may cost the daemon at any time, in KB.
const daemonMost = 10 << 10

// benchAttach measures from Enter, in a shell, until a session with a long history is on the
// screen.
func benchAttach(dir string, ours, theirs keeper) ([]result, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for i, k := range []keeper{ours, theirs} {
		done := filepath.Join(abs, "many-"+strconv.Itoa(i))
		if err := k.do(k.start("many", []string{self(), "play", "idle", strconv.Itoa(manyLines), done})); err != nil {
			return nil, err
		}
		if _, err := awaitFile(done); err != nil {
			return nil, err
		}
	}
	<-time.After(idleFor) // somebody comes back later
	last := fmt.Sprintf("line %d of the history", manyLines-1)
	n := 0
	attach := func(k keeper) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			n++
			t, err := newShell(dir, k, "many", n)
			if err != nil {
				return 0, err
			}
			defer t.close()
			return timed(func() error { return t.enter(last) })
		}
	}
	a, b, err := interleave(attach(ours), attach(theirs))
	if err != nil {
		return nil, err
	}
	return []result{against(fmt.Sprintf("attach to a session with %d lines; tmux", manyLines), a, b, 1)}, nil
}

// newShell is somebody in a shell who is about to attach.
func newShell(dir string, k keeper, session string, n int) (*typer, error) {
	waits := append([]string{"sh", "-c", `printf ready; read x; exec "$@"`, "sh"}, k.attach(session)...)
	return newTyperAt(dir, k, waits, n)
}

// enter presses Enter and waits for a text.
func (t *typer) enter(text string) error {
	if err := t.press([]byte("\r")); err != nil {
		return err
	}
	return t.settle(text)
}

// benchFloodMemory measures what the output of a session costs the daemon, at its worst.
func benchFloodMemory(dir string, ours, _ keeper) ([]result, error) {
	if runtime.GOOS != "linux" {
		return nil, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := ours.do(ours.start("first", []string{"cat"})); err != nil { // the daemon knows sessions
		return nil, err
	}
	daemon := ours.pids()[0]
	before := pss(daemon)
	var peak atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			peak.Store(max(peak.Load(), pss(daemon)))
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	done := filepath.Join(abs, "flood")
	err = ours.do(ours.start("flood", []string{self(), "play", "idle", strconv.Itoa(floodOf), done}))
	if err == nil {
		_, err = awaitFile(done)
	}
	<-time.After(idleFor) // it makes the screens later
	close(stop)
	<-stopped
	if err != nil {
		return nil, err
	}
	more := max(peak.Load()-before, 0)
	ratio := float64(more) / daemonMost
	name := fmt.Sprintf("daemon's memory for %d lines, at most; its limit", floodOf)
	return []result{{name, fmt.Sprintf("%d KB", more), fmt.Sprintf("%d KB", daemonMost), ratio, "<= 1", ratio <= 1}}, nil
}
