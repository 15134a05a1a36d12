package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"kedge"
	"kedge/internal/text/words"
)

// Turns are the turns of the gates that share a machine. Gates that run checks of the
// project wait for each other in the order in which they ask. A gate that is to be alone
// waits for all others, and all that ask later wait for it. The zero value is ready for use.
type Turns struct {
	mu      sync.Mutex
	running []*turn
	waiting []*turn
}

// Ask is what turn a gate asks for.
type Ask struct {
	Suites int  // how many gates that run checks of the project may run at once; 0: this one runs none
	Alone  bool // no other gate runs meanwhile
	Begun  bool // its checks run already: it counts, and does not wait
}

type turn struct {
	Ask
	beside int           // how many others ran meanwhile
	begun  chan struct{} // closed when it is its turn
}

// Take runs a gate when it is its turn. Beside is how many other gates ran meanwhile. A
// context that ends while it waits is an error, and nothing has run.
func (t *Turns) Take(ctx context.Context, ask Ask, run func() (kedge.Verdict, error)) (v kedge.Verdict, beside int, err error) {
	own := &turn{Ask: ask, begun: make(chan struct{})}
	t.queue(own)
	defer func() { beside = t.leave(own) }()
	select {
	case <-own.begun:
		v, err = run()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return v, beside, err
}

func (t *Turns) queue(own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.Begun {
		t.begin(own)
		return
	}
	t.waiting = append(t.waiting, own)
	t.next()
}

// leave ends a turn, or the wait for it.
func (t *Turns) leave(own *turn) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	is := func(o *turn) bool { return o == own }
	t.running, t.waiting = slices.DeleteFunc(t.running, is), slices.DeleteFunc(t.waiting, is)
	t.next()
	return own.beside
}

// next begins the turns of all that need not wait any more. Checks of features alone
// overtake whoever waits for a place, but nobody who is to be alone.
func (t *Turns) next() {
	var still []*turn
	full, closed := false, false
	for _, w := range t.waiting {
		if closed || full && w.Suites > 0 || !t.fits(w) {
			still = append(still, w)
			full, closed = full || w.Suites > 0, closed || w.Alone
			continue
		}
		t.begin(w)
	}
	t.waiting = still
}

// fits tells whether a turn can begin beside those that run.
func (t *Turns) fits(w *turn) bool {
	suites := 0
	for _, r := range t.running {
		if r.Alone {
			return false
		}
		if r.Suites > 0 {
			suites++
		}
	}
	if w.Alone {
		return len(t.running) == 0
	}
	return w.Suites == 0 || suites < w.Suites
}

func (t *Turns) begin(w *turn) {
	for _, r := range t.running {
		r.beside++
	}
	w.beside = len(t.running)
	t.running = append(t.running, w)
	close(w.begun)
}

// Late tells whether a check of a verdict timed out.
func Late(v kedge.Verdict) bool { return slices.ContainsFunc(v.Checks, TimedOut) }

// TriedAlone is the verdict that counts after a gate in which a check timed out, while so
// many others ran, was run again alone. It says of each such check what came of it. What was
// green the first time, and did not run again, is as it was then.
func TriedAlone(first, alone kedge.Verdict, beside int) kedge.Verdict {
	alone.Checks, alone.Findings = slices.Clone(alone.Checks), slices.Clone(alone.Findings)
	for _, was := range first.Checks {
		i := slices.IndexFunc(alone.Checks, func(r kedge.CheckResult) bool { return r.Name == was.Name && r.Command == was.Command })
		switch {
		case TimedOut(was):
			alone.Findings = append(alone.Findings, kedge.Finding{
				Level: kedge.LevelWarning, What: fmt.Sprintf("check %q timed out beside %s; when Kedge ran it again alone, %s", was.Name, words.Count(beside, "other run")+" of checks", outcomeAlone(alone, i)),
				Where: was.Name, Fix: "if this happens often, set gate.parallel lower in .kedge/config.toml, or give the check a longer timeout in .kedge/gate.toml",
			})
		case i >= 0 && alone.Checks[i].Reused != "":
			alone.Checks[i] = was
		}
	}
	return alone
}

// outcomeAlone says what became of the check at a place of a verdict; -1: it is not in it.
func outcomeAlone(v kedge.Verdict, i int) string {
	switch {
	case i < 0 || v.Checks[i].Skipped != "":
		return "it did not start"
	case TimedOut(v.Checks[i]):
		return "it timed out again"
	case v.Checks[i].Red():
		return "it was red"
	default:
		return "it was green"
	}
}
