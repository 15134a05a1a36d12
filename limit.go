package kedge

import (
	"slices"
	"time"
)

// The facts about a provider's limit that your session has come to.
const (
	SessionLimited   EventType = "session.limited"    // SessionLimitedData
	SessionLimitOver EventType = "session.limit_over" // SessionLimitOverData
	SessionOnLimit   EventType = "session.on_limit"   // SessionOnLimitData
)

// OnLimit is what Kedge does when your session comes to a provider's limit.
type OnLimit string

// What Kedge can do: nothing, or wait and let the session continue.
const (
	OnLimitStop OnLimit = ""
	OnLimitWait OnLimit = "wait"
)

// WarnedOfLimit is the signal of the warning that Kedge does not let a session continue
// that waited for a limit.
const WarnedOfLimit = "limit"

// ProviderLimit is a limit that a session has come to, and that it did not get past yet.
type ProviderLimit struct {
	At     time.Time  `json:"at"`
	Until  *time.Time `json:"until"` // nil is unknown
	Reason string     `json:"reason"`
	Retry  *time.Time `json:"retry"` // when Kedge lets the session continue; nil: it does not
	// Typed is how much had been typed into the session when the limit was noticed; nil is
	// unknown. Kedge types nothing where somebody else did since.
	Typed *int64 `json:"typed,omitempty"`
}

// SessionLimitedData is the payload of SessionLimited.
type SessionLimitedData struct {
	ID SessionID `json:"id"`
	ProviderLimit
}

// SessionLimitOverData is the payload of SessionLimitOver: the session continued by
// itself, or Kedge told it to.
type SessionLimitOverData struct {
	ID      SessionID `json:"id"`
	Retried bool      `json:"retried"` // Kedge told it to continue
}

// SessionOnLimitData is the payload of SessionOnLimit: what you want to be done from now
// on. Retry is of a limit that the session is at.
type SessionOnLimitData struct {
	ID      SessionID  `json:"id"`
	OnLimit OnLimit    `json:"on_limit"`
	Retry   *time.Time `json:"retry,omitempty"`
}

// onLimit takes in what you want.
func (s *Session) onLimit(d SessionOnLimitData) {
	s.OnLimit = d.OnLimit
	if s.Limit != nil {
		at := *s.Limit
		at.Retry = d.Retry
		s.Limit = &at
	}
}

// pastLimit takes in that the session is at no limit any more.
func (s *Session) pastLimit() {
	s.Limit = nil
	s.Warnings = slices.DeleteFunc(s.Warnings, func(w Warning) bool { return w.Signal == WarnedOfLimit })
	if len(s.Warnings) == 0 {
		s.Warnings = nil
	}
}

// limitText says that a session is at a limit, and when it is tried again.
func (s Session) limitText() string {
	switch {
	case !s.Live() || s.Limit == nil:
		return ""
	case s.Limit.Retry == nil:
		return "at a provider's limit"
	default:
		return "at a provider's limit, next try at " + s.Limit.Retry.Local().Format("2006-01-02 15:04")
	}
}
