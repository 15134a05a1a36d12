package reports

import (
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

// SessionEnd is how the work of a session ended. Clean is only what left nothing
// uncommitted, was checked in full with a green verdict, and has a commit that says what
// was done; Why
// says of another what is missing.
type SessionEnd struct {
	Session  kedge.SessionID  `json:"session"`
	At       time.Time        `json:"at"`
	Clean    bool             `json:"clean"`
	Evidence kedge.EvidenceID `json:"evidence"` // of the green verdict; empty when there was none
	Commit   string           `json:"commit"`   // empty when there is none
	Why      string           `json:"why"`      // empty when it is clean

	Failure string `json:"failure,omitempty"` // the first failure that it was to repair
	Cause   string `json:"cause,omitempty"`   // of that, as its agent stated it

	Compared *kedge.Compared `json:"compared,omitempty"` // with the checkpoint that it continued from, before its first edit
}

// story collects what happened to one feature in one run.
type story struct {
	feature  kedge.FeatureID
	asked    map[int64]run.Command
	green    greenBase
	way      way
	steps    []RunStep
	attempts int
	ends     []SessionEnd
	open     bool   // the last end is not known whole yet
	told     string // the failure that the next session is told
	left     string // the tree that the last session left, with all that is uncommitted
	merged   string // the tree of the green verdict on it
}

func newStory(id kedge.FeatureID) *story {
	return &story{feature: id, asked: map[int64]run.Command{}, ends: []SessionEnd{}, steps: []RunStep{}}
}

// greenBase is the last green verdict of a run on a whole tree: what the run holds
// a base against before it checks it again.
type greenBase struct {
	tree, environment string
	outcome           run.Outcome
	evidence          kedge.EvidenceID
	feature           kedge.FeatureID
	what              string
}

// take adds a step, and gives the commit that it made.
func (st *story) take(d delta.Stepped) (commit string) {
	about := st.asked[d.Event.Epoch]
	step := StepOf(d, st.asked)
	st.way.learn(d, about)
	st.selected(d)
	if step.Feature != st.feature {
		st.noteGreen(d.Event, about)
		st.tellReused(d, false)
		return ""
	}
	for _, c := range d.Commands() {
		if c.Feature == st.feature {
			st.attempts = max(st.attempts, c.Attempt)
			if c.Kind == run.Brief {
				st.told = c.Failure
			}
		}
	}
	st.add(step, about, d)
	st.tellReused(d, true)
	st.noteGreen(d.Event, about)
	st.noteEnd(d, about)
	if d.Event.Kind == run.Committed {
		return d.Event.Commit
	}
	return ""
}

// noteGreen keeps the verdict by which the run knows a tree to be green.
func (st *story) noteGreen(ev run.Input, about run.Command) {
	g := greenBase{environment: ev.Environment, outcome: ev.Outcome, evidence: ev.Evidence, feature: about.Feature}
	switch {
	case ev.Kind == run.Gated && about.Kind == run.Gate && about.Tree != "" && (ev.Outcome == run.Green || ev.Outcome == run.Empty):
		g.tree, g.what = about.Tree, "the baseline"
	case ev.Kind == run.Integrated && about.Kind == run.Integrate && ev.Outcome == run.Green:
		g.tree, g.what = ev.Tree, "merged and checked in full"
	default:
		return
	}
	st.green = g
}

// tellReused tells of a base that was not checked again before it is built on.
func (st *story) tellReused(d delta.Stepped, own bool) {
	if text := st.reused(d, own); text != "" {
		st.add(RunStep{N: d.N, At: d.Event.At, Event: run.Gated, Outcome: st.green.outcome, Feature: st.feature, Text: text}, run.Command{Kind: run.Gate, Tree: st.green.tree}, d)
	}
}

// reused tells of a base that was not checked again before it is built on, since it is the
// tree of a verdict: from which one; empty for any other step. Own is a step of the feature;
// in one of another the base was waited for, whose verdict is the last.
func (st *story) reused(d delta.Stepped, own bool) string {
	ev, goesOn := d.Event, false
	for _, c := range d.Commands() {
		goesOn = goesOn || c.Kind == run.Prove && c.Feature == st.feature
	}
	same := ev.Kind == run.Prepared && st.green.tree == ev.Tree && st.green.environment == ev.Environment
	waited := !own && st.green.tree != "" && !st.way.fixed
	if !goesOn || !(own && same || waited) {
		return ""
	}
	from := st.green.what
	if st.green.feature != "" {
		from = string(st.green.feature) + ": " + from
	}
	if st.green.evidence != "" {
		from = string(st.green.evidence) + " (" + from + ")"
	}
	return "the baseline: " + string(st.green.outcome) + ", reused from " + from
}

// noteEnd follows the work of the last session to its end.
func (st *story) noteEnd(d delta.Stepped, about run.Command) {
	ev := d.Event
	if ev.Kind == run.Exited && ev.Session != "" {
		st.ends = append(st.ends, SessionEnd{Session: ev.Session, At: ev.At, Why: sessionWords(ev), Failure: st.told})
		st.open, st.left, st.merged = true, "", ""
		return
	}
	if !st.open {
		return
	}
	end := &st.ends[len(st.ends)-1]
	switch ev.Kind {
	case run.Gated:
		st.left, end.Why = ev.Tree, verdictWords(ev, about)
	case run.Inspected:
		end.Why = inspectWords(ev, about)
	case run.Integrated:
		end.Why = joined(verdictWords(ev, about), doubtWords(d))
		if ev.Outcome == run.Green && about.Tree == st.left {
			st.merged, end.Evidence = ev.Tree, ev.Evidence
		}
	case run.Committed:
		st.ended(end, ev)
	case run.Reverted:
		st.open = false
		end.Why = joined(end.Why, "set aside")
	default:
	}
}

// ended holds the commit against what the session left and what was judged.
func (st *story) ended(end *SessionEnd, ev run.Input) {
	st.open, end.At, end.Commit = false, ev.At, ev.Commit
	switch {
	case end.Commit == "" || ev.Outcome != run.OK:
		end.Commit, end.Why = "", "it was not committed"
	case end.Evidence == "":
		end.Why = joined(end.Why, "no green verdict on all that it left")
	case ev.Tree != st.merged:
		end.Why = "the commit is not what was checked"
	default:
		end.Clean, end.Why = true, ""
	}
}
