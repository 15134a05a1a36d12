package kedge

import "time"

// Decision is a locked choice with its reason and what was rejected.
type Decision struct {
	ID            DecisionID     `json:"id"`
	Status        DecisionStatus `json:"status"`
	Title         string         `json:"title"`
	Why           string         `json:"why"`
	Rejected      []Rejected     `json:"rejected"`
	Reversibility string         `json:"reversibility"` // easy, hard, one-way
	Supersedes    DecisionID     `json:"supersedes,omitempty"`
	Reason        string         `json:"reason,omitempty"`    // why it supersedes
	Withdrawn     string         `json:"withdrawn,omitempty"` // why a person took it back; then it is superseded by nothing
	By            Actor          `json:"by"`
	Date          time.Time      `json:"date"`
	AppliesTo     []string       `json:"applies_to"`
}

// DecisionStatus is where a decision stands.
type DecisionStatus string

// The statuses of a decision.
const (
	DecisionProposed   DecisionStatus = "proposed"
	DecisionLocked     DecisionStatus = "locked"
	DecisionSuperseded DecisionStatus = "superseded"
)

// Rejected is a path that was ruled out, and why.
type Rejected struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// Risk is a danger that stays open until closed with a reason.
type Risk struct {
	ID       RiskID     `json:"id"`
	Text     string     `json:"text"`
	OpenedAt time.Time  `json:"opened_at"`
	By       Actor      `json:"by"`
	ClosedAt *time.Time `json:"closed_at"`
	Reason   string     `json:"reason,omitempty"` // why it was closed
}

// Note is L2 memory: what a finished feature, or a person, taught.
type Note struct {
	ID          NoteID    `json:"id"`
	Feature     FeatureID `json:"feature,omitempty"`
	Title       string    `json:"title"`
	Commits     []string  `json:"commits"`
	Tags        []string  `json:"tags"`
	Date        time.Time `json:"date"`
	RootCause   string    `json:"root_cause"`
	Files       []string  `json:"files"`
	Constraints string    `json:"constraints"`
	Validation  string    `json:"validation"`
	DeadEnds    string    `json:"dead_ends"`
}

// Checkpoint is the small strict document from which a fresh session, or a
// person, can go on.
type Checkpoint struct {
	ID         CheckpointID  `json:"id"`
	Session    SessionID     `json:"session,omitempty"`
	Agent      string        `json:"agent,omitempty"`
	Plan       PlanID        `json:"plan,omitempty"`
	Commit     string        `json:"commit,omitempty"`
	Tree       string        `json:"tree,omitempty"`
	Tokens     *int64        `json:"tokens"` // nil: unknown
	USD        *float64      `json:"usd"`    // nil: unknown
	At         time.Time     `json:"at"`
	Task       string        `json:"task"`
	Status     []StatusLine  `json:"status"`
	Decisions  []DecisionRef `json:"decisions"`
	Risks      []string      `json:"risks"`
	RuledOut   []Rejected    `json:"ruled_out"`
	Files      []FileRef     `json:"files"`
	Resume     string        `json:"resume"`
	HumanNotes string        `json:"human_notes,omitempty"` // what people wrote below the end marker
}

// StatusLine is one checklist line of a checkpoint.
type StatusLine struct {
	Done bool   `json:"done"`
	Text string `json:"text"`
}

// DecisionRef names a locked decision.
type DecisionRef struct {
	ID    DecisionID `json:"id"`
	Title string     `json:"title"`
}

// FileRef is a file to re-read: its path and the hash of the content that was
// known, as the first eight hex digits of its SHA-256. State is filled in when
// it is compared with the tree.
type FileRef struct {
	Path      string    `json:"path"`
	SHA256    string    `json:"sha256"`
	ChangedBy string    `json:"changed_by,omitempty"`
	State     FileState `json:"state,omitempty"`
}

// FileState is how a file compares with what was known of it.
type FileState string

// The states of a file; New only occurs in drift.
const (
	FileUnchanged FileState = "unchanged"
	FileChanged   FileState = "changed"
	FileGone      FileState = "gone"
	FileNew       FileState = "new"
)

// Handoff is the checkpoint's sibling, written at the end of a session.
type Handoff struct {
	ID          CheckpointID `json:"id"`
	Session     SessionID    `json:"session,omitempty"`
	At          time.Time    `json:"at"`
	Percent     int          `json:"percent"`
	State       string       `json:"state"`
	Files       []string     `json:"files"`
	Approach    string       `json:"approach"`
	Constraints []string     `json:"constraints"`
	Risks       []string     `json:"risks"`
	RuledOut    []Rejected   `json:"ruled_out"`
	Next        string       `json:"next"`
	BlockedOn   string       `json:"blocked_on"` // empty: nothing
	HumanNotes  string       `json:"human_notes,omitempty"`
	Feature     FeatureID    `json:"feature,omitempty"` // of a handoff that Kedge made when a session of a run ended: what that worked on
}

// Drift is one path that changed since Kedge last looked, with the size of the
// difference in lines where it is text.
type Drift struct {
	Path    string    `json:"path"`
	State   FileState `json:"state"`
	Added   int       `json:"added"`
	Removed int       `json:"removed"`
}

// Objective is what the work is for, in your words. It holds until another plan than
// Plan is approved, or you set another one.
type Objective struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Plan PlanID `json:"plan,omitempty"` // the plan that held when it was set
}
