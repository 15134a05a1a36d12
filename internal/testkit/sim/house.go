package sim

import (
	"kedge/internal/core/run"
)

// house knows which jobs have a worktree. A command that needs one gives it to its job, and there
// is at most one more than jobs may work at once: a run that nobody held gives one up before.
func (w *world) house(c run.Command) {
	switch c.Kind {
	case run.Prepare, run.Gate, run.Prove, run.Brief, run.StartSession, run.Inspect:
	case run.Park:
		if !w.housed[c.Job] {
			w.fail(18, "a job gives up a worktree that it has not")
		}
		delete(w.housed, c.Job)
		w.seen.Parked++
		return
	default:
		return
	}
	if w.housed[c.Job] {
		return
	}
	w.widest = max(w.widest, w.s.Rules.Parallel)
	n := 1
	for _, j := range w.s.Jobs {
		if w.housed[j.ID] {
			n++
		}
	}
	if n > w.widest+1 && w.s.Halt == "" {
		w.fail(18, "one worktree more than one more than may work at once")
	}
	w.housed[c.Job] = true
}
