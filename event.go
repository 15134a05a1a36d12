package kedge

import (
	"encoding/json"
	"time"
)

// EventType names a fact. Types are added, never renamed and never reused.
type EventType string

// The facts of the ledger. The payload of each is the type named beside it, as
// JSON, in Event.Data. Those about sessions are in session.go.
const (
	ProjectCreated  EventType = "project.created"  // ProjectData
	ProjectMoved    EventType = "project.moved"    // ProjectMovedData
	FeatureAdded    EventType = "feature.added"    // FeatureAddedData
	FeatureAmended  EventType = "feature.amended"  // FeatureAmendedData
	FeatureStatus   EventType = "feature.status"   // FeatureStatusData
	PlanSaved       EventType = "plan.saved"       // PlanData
	DecisionSaved   EventType = "decision.saved"   // DecisionData
	RiskOpened      EventType = "risk.opened"      // Risk
	RiskClosed      EventType = "risk.closed"      // RiskClosedData
	NoteAdded       EventType = "note.added"       // Note
	CheckpointSaved EventType = "checkpoint.saved" // Checkpoint
	HandoffSaved    EventType = "handoff.saved"    // Handoff
	GateStarted     EventType = "gate.started"     // GateStartedData
	GateDropped     EventType = "gate.dropped"     // GateDroppedData
	GateFinished    EventType = "gate.finished"    // Evidence
	FilesSeen       EventType = "files.seen"       // FilesSeenData
	HandEditFound   EventType = "edit.found"       // HandEditData
	SalvageMade     EventType = "salvage.made"     // Salvage
	SalvageRestored EventType = "salvage.restored" // SalvageRestoredData
	SalvageDropped  EventType = "salvage.dropped"  // Salvage
	WorktreeRemoved EventType = "worktree.removed" // Worktree; said before it is done
	WorktreeKept    EventType = "worktree.kept"    // WorktreeKeptData; takes a WorktreeRemoved back
	FilterApproved  EventType = "filter.approved"  // FilterApprovedData
	TrustApproved   EventType = "trust.approved"   // TrustApprovedData
	TrustFound      EventType = "trust.found"      // TrustFoundData
	RunStepped      EventType = "run.stepped"      // delta.Stepped, of package internal/core/delta
	WorkInspected   EventType = "work.inspected"   // Inspection
	InitFinished    EventType = "init.finished"    // InitData
	InitRemoved     EventType = "init.removed"     // InitData
	HookSeen        EventType = "hook.seen"        // HookData
	ObjectiveSet    EventType = "objective.set"    // Objective
)

// Event is one fact in the journal. Everything else that Kedge knows is a fold
// of events. Seq, At and Hash are given by the journal when it is appended.
type Event struct {
	V       int             `json:"v"`
	Seq     int64           `json:"seq"`
	ID      EventID         `json:"id"`
	At      time.Time       `json:"at"`
	Project ProjectID       `json:"project"`
	Actor   Actor           `json:"actor"`
	Type    EventType       `json:"type"`
	Data    json.RawMessage `json:"data"`
	Hash    string          `json:"hash"`
}

// NewEvent makes an event with its data encoded. The journal fills in the rest.
func NewEvent(typ EventType, actor Actor, data any) (Event, error) {
	b, err := json.Marshal(data)
	if err != nil {
		return Event{}, Errorf(Internal, "Kedge cannot save the change %q in its journal: %w", typ, err)
	}
	return Event{V: 1, Actor: actor, Type: typ, Data: b}, nil
}

// ProjectData is the payload of ProjectCreated.
type ProjectData struct {
	Dir  string `json:"dir"`
	Name string `json:"name"`
	Git  bool   `json:"git"`
}

// ProjectMovedData is the folder that a project was found in, and the one that
// no longer has it.
type ProjectMovedData struct {
	Dir string `json:"dir"`
	Was string `json:"was"`
}

// FeatureAddedData carries a locked definition and where it came from. Claim is
// the status an import asserted; the checks must confirm it.
type FeatureAddedData struct {
	Definition json.RawMessage `json:"definition"`
	Hash       string          `json:"hash"`
	Order      int             `json:"order"`
	Claim      Status          `json:"claim,omitempty"`
	Notes      string          `json:"notes,omitempty"`
	Source     string          `json:"source,omitempty"`
}

// FeatureAmendedData carries the definition that replaces the old one.
type FeatureAmendedData struct {
	ID         FeatureID       `json:"id"`
	Definition json.RawMessage `json:"definition"`
	Hash       string          `json:"hash"`
	Was        string          `json:"was"` // hash of the definition it replaces
	Reason     string          `json:"reason"`
}

// FeatureStatusData is a change of the mutable half of a feature. Nil fields
// stay as they were.
type FeatureStatusData struct {
	ID          FeatureID   `json:"id"`
	Status      Status      `json:"status"`
	Reason      string      `json:"reason,omitempty"`
	Evidence    *EvidenceID `json:"evidence,omitempty"`
	Files       []string    `json:"files,omitempty"`
	Notes       *string     `json:"notes,omitempty"`
	CompletedAt *time.Time  `json:"completed_at,omitempty"`
	Wanted      *string     `json:"wanted,omitempty"` // why a person reopened it: what its next session is for
}

// PlanData is a saved plan: the text of plan.md and what was read from it.
// Features are what approval made of its items, in the order of the items.
type PlanData struct {
	ID       PlanID      `json:"id"`
	Title    string      `json:"title"`
	Status   PlanStatus  `json:"status"`
	Text     string      `json:"text"`
	Hash     string      `json:"hash"`
	Features []FeatureID `json:"features,omitempty"`
	Goal     string      `json:"goal,omitempty"`   // what people asked for, where sessions plan it
	Run      RunID       `json:"run,omitempty"`    // the run whose sessions plan it
	Faults   string      `json:"faults,omitempty"` // of what the last planning session gave
	Kept     []string    `json:"kept,omitempty"`   // where the texts are that people changed and that gave way to this one

	Reason  string   `json:"reason,omitempty"`  // why you amended it, the last time
	Earlier []string `json:"earlier,omitempty"` // what its earlier texts put into the project's files, one line each
}

// DecisionData is a decision with the reason why it replaces another, if so.
type DecisionData struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
}

// RiskClosedData closes a risk.
type RiskClosedData struct {
	ID     RiskID `json:"id"`
	Reason string `json:"reason"`
}

// FilesSeenData is the content of the tree at a moment when Kedge looked: the
// base that drift is measured from.
type FilesSeenData struct {
	Tree  string `json:"tree"`
	Cause string `json:"cause"`
	Head  string `json:"head,omitempty"` // the commit that was checked out; empty: unknown
}

// HandEditData reports an edit of a file that Kedge projects, and what was done.
type HandEditData struct {
	Path   string `json:"path"`
	Found  string `json:"found"`
	Action string `json:"action"` // imported, refused, restored, reset, kept
}

// WorktreeKeptData says why a worktree stays that was to be removed: it came to
// hold something meanwhile.
type WorktreeKeptData struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// SalvageRestoredData says into which worktree a salvage came back.
type SalvageRestoredData struct {
	Salvage Salvage `json:"salvage"`
	Dir     string  `json:"dir"`
}

// FilterApprovedData approves one git filter by the hash of its commands.
type FilterApprovedData struct {
	Name string `json:"name"`
	Hash string `json:"hash"`
}

// InitData is what init put into the project's folder, or took out of it.
type InitData struct {
	Files  []InitFile `json:"files"`
	Cut    []string   `json:"cut,omitempty"`    // of a removal: which of the files stay, without Kedge's lines
	Kept   []string   `json:"kept,omitempty"`   // of a removal: what somebody changed, and why it stays
	Commit string     `json:"commit,omitempty"` // empty: nothing was committed
}

// InitFile is one file as init left it. Inserted is what was added to a file of
// the user's, so that exactly this can be taken out; it is empty for a file that
// is Kedge's own.
type InitFile struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Inserted string `json:"inserted,omitempty"`
	Created  bool   `json:"created"` // there was no such file
}
