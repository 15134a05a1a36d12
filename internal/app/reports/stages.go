package reports

import (
	"strconv"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// Stage is one of the five steps that every attempt at a feature takes, in this order.
type Stage string

// The stages.
const (
	Orient   Stage = "orient"    // what is done, and where the work stands
	Select   Stage = "select"    // the feature that is next
	Verify   Stage = "verify"    // what is there, before anything is built on it
	FixFirst Stage = "fix_first" // what is red of that
	Build    Stage = "build"     // the work itself
)

// way is where an attempt at a feature is on its five steps.
type way struct {
	statuses map[kedge.FeatureID]kedge.Status // of every feature of the run
	attempt  int
	red      bool // the baseline was, since the last attempt began
	fixed    bool // that nothing is red, or no longer, is told
	builds   bool // its first session is told
}

// learn keeps what becomes of the features of the run.
func (w *way) learn(d delta.Stepped, about run.Command) {
	if w.statuses == nil {
		w.statuses = map[kedge.FeatureID]kedge.Status{}
	}
	for _, s := range d.Event.Specs {
		w.statuses[s.ID] = s.Status
	}
	if (d.Event.Kind == run.Ledgered || d.Event.Kind == run.Marked) && about.Feature != "" {
		w.statuses[about.Feature] = about.Status
	}
}

// counts are the features that are done, and those that remain.
func (w *way) counts() (done, left int) {
	for _, s := range w.statuses {
		if s.Over() {
			done++
		} else {
			left++
		}
	}
	return done, left
}

// selected adds the first two steps of an attempt, at the moment in which the run looked
// at where it stands and chose the feature.
func (st *story) selected(d delta.Stepped) {
	for _, c := range d.Commands() {
		if c.Kind != run.Prepare || c.Feature != st.feature || c.Attempt <= st.way.attempt {
			continue
		}
		done, left := st.way.counts()
		st.way = way{statuses: st.way.statuses, attempt: c.Attempt}
		base := RunStep{N: d.N, At: d.Event.At, Event: d.Event.Kind, Feature: st.feature}
		orient, chosen := base, base
		orient.Stage, orient.Text = Orient, "orient: at "+words.Hash(c.Base)+", "+words.Count(done, "feature")+" done, "+strconv.Itoa(left)+" left"
		chosen.Stage, chosen.Text = Select, "select: "+string(st.feature)+", attempt "+strconv.Itoa(c.Attempt)
		st.steps = append(st.steps, orient, chosen)
	}
}

// add adds a step, with the stage that it is of. Behind the verdict on what is there
// stands what was to fix first.
func (st *story) add(step RunStep, about run.Command, d delta.Stepped) {
	baseline := step.Event == run.Gated && about.Kind == run.Gate && about.Tree != ""
	switch {
	case baseline, step.Event == run.Proved:
		step.Stage = Verify
	case !st.way.builds && starts(d, st.feature):
		step.Stage, st.way.builds = Build, true
	}
	if step.Text != "" {
		st.steps = append(st.steps, step)
	}
	if text := st.way.fixFirst(baseline, step.Outcome); text != "" {
		st.steps = append(st.steps, RunStep{N: step.N, At: step.At, Event: step.Event, Outcome: step.Outcome, Feature: st.feature, Text: text, Stage: FixFirst})
	}
}

// fixFirst tells what a verdict on the baseline means for the work; empty where that is
// told.
func (w *way) fixFirst(baseline bool, o run.Outcome) string {
	switch {
	case !baseline || w.fixed:
		return ""
	case (o == run.Red || o == run.Regressed) && !w.red:
		w.red = true
		return "fix first: the baseline is red, and is fixed before this feature"
	case o != run.Green && o != run.Empty:
		return ""
	}
	w.fixed = true
	if w.red {
		return "fix first: the baseline is green again"
	}
	return "fix first: nothing is red"
}

// starts tells whether a step starts a session at the feature.
func starts(d delta.Stepped, id kedge.FeatureID) bool {
	for _, c := range d.Commands() {
		if c.Kind == run.StartSession && c.Feature == id && c.Adopts == 0 {
			return true
		}
	}
	return false
}
