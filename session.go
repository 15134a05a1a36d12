package kedge

import (
	"cmp"
	"encoding/json"
	"strconv"
	"time"
)

// SessionState is what is true of a session now.
type SessionState string

// The states of a session. Waiting is known from the agent's own signals only.
const (
	SessionRunning     SessionState = "running"
	SessionWaiting     SessionState = "waiting"
	SessionExited      SessionState = "exited"
	SessionInterrupted SessionState = "interrupted"
)

// The facts about sessions, with the payload of each.
const (
	SessionStarted   EventType = "session.started"   // Session
	SessionEnded     EventType = "session.ended"     // SessionEndedData
	SessionRenamed   EventType = "session.renamed"   // SessionRenamedData
	SessionRefused   EventType = "session.refused"   // SessionRefusedData
	SessionUsed      EventType = "session.used"      // SessionUsedData
	SessionActed     EventType = "session.acted"     // SessionActedData
	SessionPinned    EventType = "session.pinned"    // SessionMark
	SessionUnpinned  EventType = "session.unpinned"  // SessionMark
	SessionSignalled EventType = "session.signalled" // SessionSignalledData
	SessionCompacted EventType = "session.compacted" // SessionCompactedData
)

// Session is one agent process with one context, from start to exit; its JSON
// is that of `ls --json`. A nil figure is unknown.
type Session struct {
	ID            SessionID      `json:"id"`
	Name          string         `json:"name"`
	Project       ProjectID      `json:"project"`
	Agent         string         `json:"agent"`
	Command       []string       `json:"command"`
	Dir           string         `json:"dir"`
	State         SessionState   `json:"state"`
	Cause         string         `json:"cause"`
	PID           int            `json:"pid"`
	StartedAt     time.Time      `json:"started_at"`
	ExitCode      *int           `json:"exit_code"`
	Bytes         int64          `json:"bytes"`
	ContextTokens *int64         `json:"context_tokens"`
	ContextWindow *int64         `json:"context_window"`
	USD           *float64       `json:"usd"`
	Previous      SessionID      `json:"previous,omitempty"` // the session that this one resumed
	Parent        SessionID      `json:"parent,omitempty"`   // the session whose agent started this one
	Run           RunID          `json:"run,omitempty"`      // the run that it works for
	Feature       FeatureID      `json:"feature,omitempty"`  // that it works on
	Tokens        *int64         `json:"tokens,omitempty"`   // uncached input, cache writes and output
	Model         string         `json:"model,omitempty"`
	Kinds         *TokenKinds    `json:"kinds,omitempty"`        // the tokens by kind; nil is unknown
	FirstAction   *FirstAct      `json:"first_action,omitempty"` // that changed something or ran something; nil is unknown, or none yet
	FirstEdit     *FirstAct      `json:"first_edit,omitempty"`   // of a file; nil is unknown, or none yet
	Route         *Routed        `json:"route,omitempty"`        // why this agent; nil: nobody chose for it
	Conversation  string         `json:"conversation,omitempty"` // what the program calls its conversation, where it is known
	Begun         *Begun         `json:"begun,omitempty"`        // how a session of a run, or one that was resumed, began; nil: unknown, or neither
	Compactions   []Compaction   `json:"compactions,omitempty"`  // of its context, the last ones
	Pinned        bool           `json:"pinned,omitempty"`       // you want it first in lists, and kept
	Closing       string         `json:"closing,omitempty"`      // the last that its agent said, at most MaxClosing bytes; empty: unknown, or not over
	Warnings      []Warning      `json:"warnings,omitempty"`     // what was noticed of one that you drive, and is still so
	OnLimit       OnLimit        `json:"on_limit,omitempty"`     // what Kedge does at a provider's limit
	Limit         *ProviderLimit `json:"limit,omitempty"`        // that it is at; nil: at none that is known
	Last          string         `json:"last,omitempty"`         // the last line that its screen shows, where a list was asked for it
	LastAt        *time.Time     `json:"last_at,omitempty"`      // when it printed something last or ended, likewise; nil: unknown

	Worktree *SessionWorktree `json:"worktree,omitempty"` // of its own; nil: it works in a folder of yours

	PartialUsage bool `json:"partial_usage,omitempty"` // its agent asks models for things that it does not tell of, too
}

// MaxClosing bounds the closing words that are kept of a session, in bytes.
const MaxClosing = 2000

// Compaction is a context that was shortened, or was to be: see SessionCompactedData.
type Compaction struct {
	At     time.Time `json:"at"`
	Asked  bool      `json:"asked"` // on Kedge's wish
	Before *int64    `json:"before"`
	After  *int64    `json:"after"`
	Failed string    `json:"failed,omitempty"` // why it was not
}

// MaxCompactions is how many of them are kept with a session.
const MaxCompactions = 20

// Begun says how a session began, and why so.
type Begun struct {
	How BegunHow `json:"how"`
	Why string   `json:"why"`

	Compared *Compared `json:"compared,omitempty"` // nil: it does not continue from a checkpoint
}

// Compared says that the files in flight were held against a checkpoint before a session
// that continues from it could change any.
type Compared struct {
	Checkpoint CheckpointID `json:"checkpoint"`
	At         time.Time    `json:"at"`
	Files      int          `json:"files"`   // that the checkpoint names
	Changed    []Drift      `json:"changed"` // since it
	Unknown    string       `json:"unknown,omitempty"`
}

// BegunHow is a way to begin.
type BegunHow string

// The ways to begin.
const (
	BegunFresh  BegunHow = "fresh"  // from a brief
	BegunNative BegunHow = "native" // with the program's own conversation of the session before
)

// Routed says why a session has its agent and model.
type Routed struct {
	Row   string `json:"row"` // of [route] in config.toml, "run.agent", or "--agent"
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"` // empty: the program's own choice
	Why   string `json:"why"`
}

// Name is "agent" or "agent:model".
func (r Routed) Name() string {
	if r.Model == "" {
		return r.Agent
	}
	return r.Agent + ":" + r.Model
}

// FirstAct is the first thing of its kind that a session did, with what it took
// to come so far. It is known of sessions that tell what they do.
type FirstAct struct {
	At         time.Time `json:"at"`
	Tool       string    `json:"tool,omitempty"`
	Path       string    `json:"path,omitempty"`
	Calls      int       `json:"calls"`       // of tools, before it
	ReadTokens int64     `json:"read_tokens"` // what these calls gave, estimated
	UsedTokens *int64    `json:"used_tokens"` // what the session said that it had used by then; nil is unknown
}

// TokenKinds are tokens by what they cost. Money is computed from them when
// somebody looks, and never stored.
type TokenKinds struct {
	Input      int64 `json:"input"` // uncached
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`

	CacheWriteHour int64 `json:"cache_write_hour,omitempty"` // of CacheWrite, what is kept for an hour, which costs more
}

// Plus adds two counts.
func (k TokenKinds) Plus(o TokenKinds) TokenKinds {
	return TokenKinds{
		Input: k.Input + o.Input, CacheRead: k.CacheRead + o.CacheRead, CacheWrite: k.CacheWrite + o.CacheWrite,
		Output: k.Output + o.Output, CacheWriteHour: k.CacheWriteHour + o.CacheWriteHour,
	}
}

// SessionEndedData is the payload of SessionEnded.
type SessionEndedData struct {
	ID       SessionID    `json:"id"`
	State    SessionState `json:"state"` // exited or interrupted
	Cause    string       `json:"cause,omitempty"`
	ExitCode *int         `json:"exit_code,omitempty"`
	Signal   string       `json:"signal,omitempty"` // that ended it, by name: the numbers differ by system
	Bytes    int64        `json:"bytes"`

	Conversation string `json:"conversation,omitempty"` // what the program calls it
	Closing      string `json:"closing,omitempty"`      // the last that its agent said
}

// SessionUsedData is the payload of SessionUsed: what a session says that it used
// so far, and how full its context is. A nil figure is unknown.
type SessionUsedData struct {
	ID            SessionID `json:"id"`
	Model         string    `json:"model,omitempty"`
	Tokens        *int64    `json:"tokens,omitempty"`
	USD           *float64  `json:"usd,omitempty"`
	ContextTokens *int64    `json:"context_tokens,omitempty"`
	ContextWindow *int64    `json:"context_window,omitempty"`
	Unread        int       `json:"unread,omitempty"` // lines for Kedge that could not be understood

	Kinds *TokenKinds `json:"kinds,omitempty"`

	Partial bool `json:"partial,omitempty"` // more was used, or may have been, than it says

	Closing string `json:"closing,omitempty"` // the last that its agent said, where somebody else wrote its end down
}

// ActKind says of what a first act is the first.
type ActKind string

// The kinds of first acts.
const (
	ActAction ActKind = "action" // a file written, or a command run
	ActEdit   ActKind = "edit"   // a file written
)

// SessionActedData is the payload of SessionActed.
type SessionActedData struct {
	ID    SessionID `json:"id"`
	First ActKind   `json:"first"`
	FirstAct
}

// SessionSignalledData is the payload of SessionSignalled: what was noticed of a
// session, and what is done about it.
type SessionSignalledData struct {
	ID     SessionID `json:"id"`
	Signal string    `json:"signal"` // circling, stalled, drift, …
	Reason string    `json:"reason"`
	Advice string    `json:"advice,omitempty"`
	Focus  string    `json:"focus,omitempty"` // of a compaction: what the program is told to keep and to drop
}

// SessionCompactedData is the payload of SessionCompacted: the context of a session
// was shortened. Asked: on Kedge's wish, which is the SessionSignalled before it;
// else the program did it by itself. Failed says why what was asked did not happen. A
// nil figure is unknown.
type SessionCompactedData struct {
	ID     SessionID `json:"id"`
	Asked  bool      `json:"asked"`
	Before *int64    `json:"before,omitempty"` // tokens in the context
	After  *int64    `json:"after,omitempty"`
	Focus  string    `json:"focus,omitempty"` // as it was sent
	Failed string    `json:"failed,omitempty"`
}

// SessionRenamedData is the payload of SessionRenamed.
type SessionRenamedData struct {
	ID   SessionID `json:"id"`
	Name string    `json:"name"`
}

// SessionMark is the payload of facts that say nothing but which session they are about.
type SessionMark struct {
	ID SessionID `json:"id"`
}

// SessionRefusedData is the payload of SessionRefused: what a session tried to do
// to another one, or in the name of one with a token that is not good for that; or
// what one tried that works for a run, and may not: ID is then the run's session.
type SessionRefusedData struct {
	ID     SessionID `json:"id"`
	By     SessionID `json:"by"`               // empty: it is unknown in which session it was tried
	Act    string    `json:"act"`              // send, kill, rename; with a token, or of a run: the call
	Reason string    `json:"reason,omitempty"` // why a token, or a session of a run, was refused
}

// Live tells whether the session's program runs.
func (s Session) Live() bool { return s.State == SessionRunning || s.State == SessionWaiting }

// Keep tells whether everything that the session left must stay: what it printed, and
// the worktree that it worked in. Nothing that collects old things touches these.
func (s Session) Keep() bool { return s.Live() || s.Pinned }

// Compare orders sessions as they are listed: the pinned first, then the newest first.
func (s Session) Compare(other Session) int {
	if s.Pinned != other.Pinned {
		return map[bool]int{true: -1, false: 1}[s.Pinned]
	}
	return other.StartedAt.Compare(s.StartedAt)
}

// Summary says in a few words how the session is: running, exited (1), interrupted (by
// what), whether it is pinned, and what it is warned of. The cause is the program's own
// text.
func (s Session) Summary() string {
	text := string(s.State)
	switch {
	case s.State == SessionExited && s.ExitCode != nil && *s.ExitCode != 0:
		text += " (" + strconv.Itoa(*s.ExitCode) + ")"
	case s.State == SessionInterrupted && s.Cause != "":
		text += " (" + s.Cause + ")"
	}
	for _, note := range s.Notes() {
		text += ", " + note
	}
	return text
}

// Notes are what a list says of a session beside its state: that it is pinned, what it is
// warned of, that it is at a provider's limit.
func (s Session) Notes() []string {
	var out []string
	if s.Pinned {
		out = append(out, "pinned")
	}
	if s.Live() {
		for _, w := range s.Warnings {
			out = append(out, w.Word())
		}
	}
	if text := s.limitText(); text != "" {
		out = append(out, text)
	}
	return out
}

// sessionFolds says what each fact changes in the session that it is about. Facts that
// change nothing in it, such as SessionRefused, are not here.
var sessionFolds = map[EventType]func(*Session, Event) error{
	SessionEnded: folding(func(s *Session, d SessionEndedData, _ Event) {
		s.State, s.Cause, s.ExitCode, s.Bytes = d.State, d.Cause, d.ExitCode, d.Bytes
		s.Conversation, s.Closing = cmp.Or(d.Conversation, s.Conversation), cmp.Or(d.Closing, s.Closing)
	}),
	SessionRenamed:  folding(func(s *Session, d SessionRenamedData, _ Event) { s.Name = d.Name }),
	SessionPinned:   folding(func(s *Session, _ SessionMark, _ Event) { s.Pinned = true }),
	SessionUnpinned: folding(func(s *Session, _ SessionMark, _ Event) { s.Pinned = false }),
	SessionUsed: folding(func(s *Session, d SessionUsedData, _ Event) { // what a later report does not say stays
		s.Tokens, s.USD = cmp.Or(d.Tokens, s.Tokens), cmp.Or(d.USD, s.USD)
		s.Model, s.Kinds = cmp.Or(d.Model, s.Model), cmp.Or(d.Kinds, s.Kinds)
		s.PartialUsage = s.PartialUsage || d.Partial
		s.Closing = cmp.Or(d.Closing, s.Closing)
		s.ContextTokens, s.ContextWindow = cmp.Or(d.ContextTokens, s.ContextTokens), cmp.Or(d.ContextWindow, s.ContextWindow)
	}),
	SessionActed: folding(func(s *Session, d SessionActedData, _ Event) { // there is one first act
		switch d.First {
		case ActAction:
			s.FirstAction = cmp.Or(s.FirstAction, &d.FirstAct)
		case ActEdit:
			s.FirstEdit = cmp.Or(s.FirstEdit, &d.FirstAct)
		}
	}),
	SessionCompacted: folding(func(s *Session, d SessionCompactedData, ev Event) {
		s.Compactions = append(s.Compactions, Compaction{At: ev.At, Asked: d.Asked, Before: d.Before, After: d.After, Failed: d.Failed})
		s.Compactions = s.Compactions[max(0, len(s.Compactions)-MaxCompactions):]
		if d.Failed == "" {
			s.eased()
		}
	}),
	SessionLimited:   folding(func(s *Session, d SessionLimitedData, _ Event) { s.Limit = &d.ProviderLimit }),
	SessionLimitOver: folding(func(s *Session, _ SessionLimitOverData, _ Event) { s.pastLimit() }),
	SessionOnLimit:   folding(func(s *Session, d SessionOnLimitData, _ Event) { s.onLimit(d) }),
	SessionAnew: folding(func(s *Session, _ SessionAnewData, _ Event) {
		s.pastLimit()
		s.eased()
	}),
	SessionWarned: folding(func(s *Session, d SessionWarnedData, _ Event) { s.warned(d.Warning) }),
}

// folding decodes the payload for a fold.
func folding[T any](change func(s *Session, data T, ev Event)) func(*Session, Event) error {
	return func(s *Session, ev Event) error {
		var d T
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return Errorf(Invalid, "an event of type %q in Kedge's journal has invalid data: %w", ev.Type, err)
		}
		change(s, d, ev)
		return nil
	}
}

// ChangesSession tells whether a fact changes the session that it is about.
func (t EventType) ChangesSession() bool { return sessionFolds[t] != nil }

// Fold changes the session by a fact about it.
func (s *Session) Fold(ev Event) error { return sessionFolds[ev.Type](s, ev) }

// Talk is the conversation of a session, as its program calls it, for the next session to continue.
type Talk struct {
	ID      string  `json:"id,omitempty"` // empty: not known
	Route   string  `json:"route,omitempty"`
	Purpose string  `json:"purpose,omitempty"`
	Context int64   `json:"context,omitempty"` // tokens; 0: not known
	Window  int64   `json:"window,omitempty"`
	Share   float64 `json:"share,omitempty"` // of the window at which its model hands over; 0: the rules say it
	Cut     string  `json:"cut,omitempty"`   // what interrupted it; empty: nothing did
}

// Measured tells whether it is known how full its context was.
func (k Talk) Measured() bool { return k.Context > 0 && k.Window > 0 }

// Full tells whether its context reached a share of the window.
func (k Talk) Full(share float64) bool { return float64(k.Context) >= share*float64(k.Window) }

// Filled says how full its context was.
func (k Talk) Filled() string { return strconv.FormatInt(100*k.Context/k.Window, 10) + "% full" }
