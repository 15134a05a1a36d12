package run

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
)

// Until is the phase of the plan with which a run ends. Zero: there is none.
type Until struct {
	Phase string   `json:"phase,omitempty"`
	Title string   `json:"title,omitempty"`
	Later []string `json:"later,omitempty"` // the phases after it, in their order: nothing of them is begun
}

// PhaseEnd is the scope of the message that a run ends with the phase that it was to
// end with.
const PhaseEnd = "phase_end"

// Later tells whether a feature is of a phase that the run does not begin. One that was
// done and is red again was begun before: what is broken comes first, whatever its phase.
func (s *State) Later(f *Feature) bool {
	if f.Red || f.Status == kedge.Regressed {
		return false
	}
	return f.Phase >= 0 && f.Phase < len(s.Phases) && slices.Contains(s.Rules.Until.Later, s.Phases[f.Phase].ID)
}

// heldBack tells whether a feature waits for a run that begins its phase.
func (s *State) heldBack(f *Feature) bool {
	return open(f.Status) && s.Later(f) && s.JobOf(f.ID) == nil
}

// HeldBack counts the features that wait for a run that begins their phase.
func (s *State) HeldBack() int {
	n := 0
	for i := range s.Features {
		if s.heldBack(&s.Features[i]) {
			n++
		}
	}
	return n
}

// NextPhase is the first later phase with a feature that waits; empty: none.
func (s *State) NextPhase() string {
	for _, id := range s.Rules.Until.Later {
		for i := range s.Features {
			if f := &s.Features[i]; s.heldBack(f) && s.Phases[f.Phase].ID == id {
				return id
			}
		}
	}
	return ""
}

// AtPhaseEnd tells whether the run came to the end of the phase that it was to end with,
// and features of later phases wait.
func (s *State) AtPhaseEnd() bool { return s.Status == StatusDone && s.HeldBack() > 0 }

// phaseDone says what a run came to that ends with a phase.
func (t *stepper) phaseDone(left int) string {
	u := t.s.Rules.Until
	name := strings.TrimPrefix(u.Phase, "p")
	if u.Title != "" {
		name += " (" + u.Title + ")"
	}
	if left == 1 {
		return "phase " + name + " is done; 1 feature of later phases is left"
	}
	return "phase " + name + " is done; " + strconv.Itoa(left) + " features of later phases are left"
}

// settled tells whether the run has nothing to do about a feature any more.
func (t *stepper) settled(f *Feature) bool { return completed(f.Status) || t.s.heldBack(f) }

// note is what people are told of the state that the run has come to.
func (t *stepper) note() Command {
	c := Command{Kind: Notify, Text: string(t.s.Status), Reason: t.s.Reason}
	if t.s.AtPhaseEnd() {
		c.Scope, c.Commit = PhaseEnd, t.s.Tip
	}
	return c
}
