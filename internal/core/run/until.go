package run

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// PhaseEnd is the scope of the message that a run ends with the phase that it was to end with.
const PhaseEnd = "phase_end"

// Later tells whether a feature is of a phase that the run does not begin. One that was
// done and is red again was begun before: what is broken comes first, whatever its phase.
func (s *State) Later(f *Feature) bool {
	return f.Phase < len(s.Phases) && !f.Red && open(f.Status) && f.Status != kedge.Regressed && slices.Contains(s.Rules.Until.Later, s.Phases[f.Phase].ID)
}

// AtPhaseEnd tells whether the run came to the end of the phase that it was to end with,
// and features of later phases wait.
func (s *State) AtPhaseEnd() bool {
	return s.Status == StatusDone && slices.ContainsFunc(s.Features, func(f Feature) bool { return s.Later(&f) })
}

// phaseDone says what a run came to that ends with a phase, and how many features are left.
func (s *State) phaseDone(left int) string {
	name := strings.TrimPrefix(s.Rules.Until.Phase, "p")
	if title := s.Rules.Until.Title; title != "" {
		name += " (" + title + ")"
	}
	return "phase " + name + " is done; " + words.Count(left, "feature") + " of later phases left"
}
