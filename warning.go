package kedge

import (
	"slices"
	"time"
)

// SessionWarned is the fact that something was noticed of a session that you drive:
// SessionWarnedData.
const SessionWarned EventType = "session.warned"

// SessionAnew is the fact that the agent in a session has another conversation, as after
// /clear: SessionAnewData. What you were warned of was the one before.
const SessionAnew EventType = "session.anew"

// SessionAnewData is the payload of SessionAnew.
type SessionAnewData struct {
	ID           SessionID `json:"id"`
	Conversation string    `json:"conversation,omitempty"` // what the agent calls it; empty is unknown
}

// SessionWarnedData is the payload of SessionWarned. Until is of a provider's limit: the
// time at which the session is tried again, where Kedge does that.
type SessionWarnedData struct {
	ID SessionID `json:"id"`
	Warning
}

// Warning is what was noticed of a session that you drive, and what you can do about it.
type Warning struct {
	Signal string    `json:"signal"` // pressure, circling, age, …
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
	Advice string    `json:"advice,omitempty"` // fresh: kedge fresh; compact: let the agent compact its context
	Focus  string    `json:"focus,omitempty"`  // of compact: what to keep
}

// warningWords say in a word or two what a warning is about.
var warningWords = map[string]string{
	"pressure": "context filling up", "circling": "going in circles", "age": "old context", "budget": "budget spent", "quality": "failing often",
	WarnedOfLimit: "not continued",
}

// Word says in a word or two what the warning is about.
func (w Warning) Word() string {
	if word, ok := warningWords[w.Signal]; ok {
		return word
	}
	return w.Signal
}

// Step gives the command that the warning advises for a session with this name.
func (w Warning) Step(session string) NextStep {
	if w.Advice == "fresh" {
		return Step("kedge", "fresh", session)
	}
	return Step("kedge", "attach", session)
}

// Sentence says what was noticed and what to do about it.
func (w Warning) Sentence(session string) string {
	switch w.Advice {
	case "fresh":
		return w.Reason + "; start a fresh session: kedge fresh " + session
	case "compact":
		return w.Reason + "; let the agent compact its context now"
	default:
		return w.Reason
	}
}

// warned takes a warning in: of each kind the newest stays.
func (s *Session) warned(w Warning) {
	s.Warnings = append(slices.DeleteFunc(s.Warnings, func(old Warning) bool { return old.Signal == w.Signal }), w)
}

// eased drops the warnings that a compaction answers, or another conversation.
func (s *Session) eased() {
	s.Warnings = slices.DeleteFunc(s.Warnings, func(w Warning) bool { return w.Signal != "budget" })
	if len(s.Warnings) == 0 {
		s.Warnings = nil
	}
}
