package stats

import (
	"slices"
	"time"

	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

// waits are the times in which nobody could take the work up, or was about to: it waited
// for a person, or for a provider's limit to pass. None of it is recovery.
type waits struct {
	spans []span
	since time.Time // zero: it does not wait now
}

// span is a stretch of time.
type span struct{ from, to time.Time }

// set says whether the work waits from a moment on.
func (w *waits) set(at time.Time, waiting bool) {
	switch {
	case waiting && w.since.IsZero():
		w.since = at
	case !waiting && !w.since.IsZero():
		w.spans = append(w.spans, span{w.since, at})
		w.since = time.Time{}
	}
}

// within is how many minutes of a span of time were such waits.
func (w *waits) within(from, to time.Time) (sum float64) {
	if w == nil {
		return 0
	}
	all := w.spans
	if !w.since.IsZero() {
		all = append(slices.Clip(all), span{w.since, to})
	}
	for _, s := range all {
		if s.from.Before(from) {
			s.from = from
		}
		if s.to.After(to) {
			s.to = to
		}
		sum += minutes(s.from, s.to)
	}
	return sum
}

// pausing are the phases of a job that a person, or the end of a provider's limit, ends.
var pausing = map[run.Phase]bool{run.Stuck: true, run.Asking: true, run.Reviewing: true, run.Limited: true}

// halting are the statuses of a run that a person ends.
var halting = map[run.Status]bool{
	run.StatusPaused: true, run.StatusWaiting: true, run.StatusOverBudget: true, run.StatusDone: true, run.StatusStopped: true,
}

// waited follows which jobs of a run wait for a person: those that want something
// of one, those that are given up, and all while the run is halted. Job 0 stands
// for the run.
func (r *runLook) waited(at time.Time, d delta.Delta) {
	for _, j := range d.Worked {
		r.phases[j.ID] = j.Phase
		r.wait(j.ID)
	}
	r.wait(0)
	halted := d.Head.Halt != "" || halting[d.Head.Status]
	for job, w := range r.waits {
		phase, known := r.phases[job]
		gone := known && !slices.Contains(d.Jobs, job)
		w.set(at, halted || gone || pausing[phase])
	}
}

// wait begins to follow the waits of a job.
func (r *runLook) wait(job int) {
	if r.waits[job] == nil {
		r.waits[job] = &waits{}
	}
}

// waits gives those of the job of a session.
func (j *Journal) waits(s *session) *waits {
	r := j.runs[s.Run]
	if r == nil || s.Run == "" {
		return nil
	}
	if w := r.waits[s.job]; w != nil {
		return w
	}
	return r.waits[0]
}
