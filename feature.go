package kedge

import "time"

// Status is where a feature stands. Only Kedge writes it.
type Status string

// The statuses of a feature.
const (
	Pending     Status = "pending"
	InProgress  Status = "in_progress"
	Completed   Status = "completed"
	BlockedWork Status = "blocked"
	NeedsReview Status = "needs_review"
	Regressed   Status = "regressed"
	Skipped     Status = "skipped"
)

// Statuses lists every status in the order in which they are counted and shown.
var Statuses = []Status{Pending, InProgress, Completed, BlockedWork, NeedsReview, Regressed, Skipped}

// Valid tells whether s is one of Statuses.
func (s Status) Valid() bool {
	for _, t := range Statuses {
		if s == t {
			return true
		}
	}
	return false
}

// Over tells whether nothing is left to do about a feature with this status.
func (s Status) Over() bool { return s == Completed || s == Skipped }

// Feature is one verifiable unit of work: a locked definition, and a state that
// only Kedge writes. Its JSON is that of features.json.
type Feature struct {
	Definition
	FeatureState
}

// Definition is the locked half of a feature. It changes only by a person's
// amend with a reason.
type Definition struct {
	ID           FeatureID   `json:"id"`
	Name         string      `json:"name"`
	Phase        string      `json:"phase"`
	Category     string      `json:"category"`
	Priority     int         `json:"priority"`
	Description  string      `json:"description"`
	Dependencies []FeatureID `json:"dependencies"`
	Acceptance   []string    `json:"acceptance"`
	Steps        []string    `json:"steps"`
	Paths        []string    `json:"paths"`

	// ChangesTests are globs of existing tests that the work may change, weaken or delete
	// without your review. Only a definition that you wrote or approved may have them.
	ChangesTests []string `json:"changes_tests,omitempty"`

	Checks []Check `json:"checks"`
	Budget Budget  `json:"budget"`
}

// FeatureState is the half that Kedge writes.
type FeatureState struct {
	Status      Status      `json:"status"`
	Files       []string    `json:"files"`
	Notes       string      `json:"notes"`
	CompletedAt *time.Time  `json:"completedAt"`
	Evidence    *EvidenceID `json:"evidence"`
}

// Budget bounds what a feature may cost; 0 is no limit of its own.
type Budget struct {
	Tokens   int64   `json:"tokens,omitempty"`
	USD      float64 `json:"usd,omitempty"`
	Attempts int     `json:"attempts,omitempty"`
}

// Next is the exact resume point: what `kedge next` prints.
type Next struct {
	Feature *Feature `json:"feature"`
	Phase   string   `json:"phase"`
	Item    string   `json:"item"`
	Branch  string   `json:"branch"`
	Commit  string   `json:"commit"`
	Command string   `json:"command"`
	Why     string   `json:"why"`
}
