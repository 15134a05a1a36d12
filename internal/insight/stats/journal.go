// Package stats computes what sessions achieved: how often they were interrupted, by
// what, how long it took until the work continued, and how many verified features and
// lines they gave for their tokens and money. It owns the causes of interruptions, these
// figures, their forms for other programs (Prometheus text, OpenTelemetry JSON), and the
// dated prices of tokens.
//
// It promises that every interruption has exactly one cause, that no minute is lost
// twice, and that an unknown figure is nil and never 0. It is pure: the events of the
// journal and the time come in with the call.
package stats

import (
	"encoding/json"
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
)

// Journal reads the events of one project, in their order, and knows afterwards
// what became of its sessions and features.
type Journal struct {
	sessions []*session // as they started
	byID     map[kedge.SessionID]*session
	features map[kedge.FeatureID]*feature
	order    []kedge.FeatureID
	runs     map[kedge.RunID]*runLook
}

// session is what the journal says of one.
type session struct {
	kedge.Session
	ended  time.Time // zero: it lives
	killer string    // name of the signal that ended it; empty: none, or nobody wrote it down
	job    int       // of its run; 0: unknown
	result run.Outcome
	signal watch.SignalKind // the last for which it was to be ended
	timed  bool             // its time was over
	prints *Prints          // when it printed; nil: unknown
}

// tells says whether the session tells what it does.
func (s *session) tells() bool {
	return s.Tokens != nil || s.Kinds != nil || s.USD != nil || s.FirstAction != nil
}

// feature is the verified work of one.
type feature struct {
	id        kedge.FeatureID
	status    kedge.Status
	evidence  bool
	completed time.Time
	session   kedge.SessionID // the last that worked on it
	lines     *int64          // of its last inspection; nil: unknown
	checked   time.Duration   // how long its checks took, in all
}

// runLook follows the steps of a run as far as they are about sessions.
type runLook struct {
	jobs   map[int64]int           // of commands that start sessions, by epoch
	timers map[int64]int           // of timers, by epoch
	now    map[int]kedge.SessionID // the session of a job
	phases map[int]run.Phase       // of jobs
	waits  map[int]*waits          // of jobs; 0: of the run
}

// NewJournal gives one that has read nothing.
func NewJournal() *Journal {
	return &Journal{byID: map[kedge.SessionID]*session{}, features: map[kedge.FeatureID]*feature{}, runs: map[kedge.RunID]*runLook{}}
}

// Take reads the next event. Types that say nothing here are passed over.
func (j *Journal) Take(ev kedge.Event) error {
	take, ok := takers[ev.Type]
	if !ok {
		return nil
	}
	if err := take(j, ev); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
	}
	return nil
}

// Printed says when a session printed: for those that do not tell what they do.
func (j *Journal) Printed(id kedge.SessionID, p Prints) {
	if s := j.byID[id]; s != nil {
		s.prints = &p
	}
}

// Silent are the sessions that do not tell what they do.
func (j *Journal) Silent() []kedge.SessionID {
	var out []kedge.SessionID
	for _, s := range j.sessions {
		if !s.tells() {
			out = append(out, s.ID)
		}
	}
	return out
}

// takers reads each type of event that matters.
var takers = map[kedge.EventType]func(*Journal, kedge.Event) error{
	kedge.SessionStarted:   with((*Journal).started),
	kedge.SessionEnded:     with((*Journal).endedAt),
	kedge.SessionUsed:      with((*Journal).used),
	kedge.SessionActed:     with((*Journal).acted),
	kedge.SessionSignalled: with((*Journal).signalled),
	kedge.RunStepped:       with((*Journal).stepped),
	kedge.WorkInspected:    with((*Journal).inspected),
	kedge.FeatureStatus:    with((*Journal).moved),
	kedge.GateFinished:     with((*Journal).gated),
}

// with decodes the data of an event.
func with[T any](take func(*Journal, time.Time, T)) func(*Journal, kedge.Event) error {
	return func(j *Journal, ev kedge.Event) error {
		var d T
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return err
		}
		take(j, ev.At, d)
		return nil
	}
}

func (j *Journal) started(at time.Time, d kedge.Session) {
	if j.byID[d.ID] != nil {
		return
	}
	if d.StartedAt.IsZero() {
		d.StartedAt = at
	}
	s := &session{Session: d}
	j.byID[d.ID] = s
	j.sessions = append(j.sessions, s)
}

func (j *Journal) endedAt(at time.Time, d kedge.SessionEndedData) {
	if s := j.byID[d.ID]; s != nil {
		s.ended, s.State, s.Cause, s.ExitCode, s.killer, s.Bytes = at, d.State, d.Cause, d.ExitCode, d.Signal, d.Bytes
	}
}

func (j *Journal) used(_ time.Time, d kedge.SessionUsedData) {
	s := j.byID[d.ID]
	if s == nil {
		return
	}
	if d.Model != "" {
		s.Model = d.Model
	}
	s.PartialUsage = s.PartialUsage || d.Partial
	s.Tokens, s.USD, s.Kinds = or(d.Tokens, s.Tokens), or(d.USD, s.USD), or(d.Kinds, s.Kinds)
}

func or[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

func (j *Journal) acted(_ time.Time, d kedge.SessionActedData) {
	if s := j.byID[d.ID]; s != nil && d.First == kedge.ActAction {
		s.FirstAction = or(s.FirstAction, &d.FirstAct)
	}
}

// ending are the advices after which a session is ended.
var ending = map[watch.Advice]bool{watch.HandOff: true, watch.Break: true}

func (j *Journal) signalled(_ time.Time, d kedge.SessionSignalledData) {
	if s := j.byID[d.ID]; s != nil && ending[watch.Advice(d.Advice)] {
		s.signal = watch.SignalKind(d.Signal)
	}
}

// stepped follows which session works for which job, whose time was over, and
// how sessions ended for their run.
func (j *Journal) stepped(at time.Time, d delta.Stepped) {
	r := j.runs[d.Run]
	if r == nil {
		r = &runLook{
			jobs: map[int64]int{}, timers: map[int64]int{}, now: map[int]kedge.SessionID{}, phases: map[int]run.Phase{}, waits: map[int]*waits{},
		}
		j.runs[d.Run] = r
	}
	r.waited(at, d.Delta)
	ev := d.Event
	if job, ok := r.jobs[ev.Epoch]; ok && ev.Session != "" {
		r.now[job] = ev.Session
		if s := j.byID[ev.Session]; s != nil {
			s.job = job
			if ev.Kind == run.Exited {
				s.result = ev.Outcome
			}
		}
	}
	if job, ok := r.timers[ev.Epoch]; ok && ev.Kind == run.Fired {
		if s := j.byID[r.now[job]]; s != nil && s.ended.IsZero() {
			s.timed = true
		}
	}
	for _, c := range d.Commands() {
		switch c.Kind {
		case run.StartSession:
			r.jobs[c.Epoch] = c.Job
		case run.Timer:
			r.timers[c.Epoch] = c.Job
		default:
		}
	}
}

func (j *Journal) feature(id kedge.FeatureID) *feature {
	f := j.features[id]
	if f == nil {
		f = &feature{id: id}
		j.features[id] = f
		j.order = append(j.order, id)
	}
	return f
}

// inspected keeps the size of the work as it was when it was looked at last.
func (j *Journal) inspected(_ time.Time, d kedge.Inspection) {
	if d.Feature == "" {
		return
	}
	f := j.feature(d.Feature)
	f.session = d.Session
	var lines int64
	for _, c := range d.Files {
		lines += int64(c.Added) + int64(c.Removed)
	}
	f.lines = &lines
}

// moved follows the status. What is completed without evidence was accepted by a
// person, and not verified; what regressed is verified no longer.
func (j *Journal) moved(at time.Time, d kedge.FeatureStatusData) {
	f := j.feature(d.ID)
	f.status = d.Status
	if d.Evidence != nil {
		f.evidence = *d.Evidence != ""
	}
	if d.Status == kedge.Completed {
		f.completed = at
	}
}
