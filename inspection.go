package kedge

import "time"

// Inspection is what was found in the work of one attempt, before anything of it
// is committed: the payload of WorkInspected.
type Inspection struct {
	ID       string       `json:"id"`
	Run      RunID        `json:"run"`
	Feature  FeatureID    `json:"feature,omitempty"`
	Session  SessionID    `json:"session,omitempty"` // the last that worked on it
	Attempt  int          `json:"attempt"`
	At       time.Time    `json:"at"`
	Base     string       `json:"base"`
	Tree     string       `json:"tree"`    // without what is Kedge's own
	Outcome  string       `json:"outcome"` // clean, empty, out_of_plan, forbidden, unapproved
	Reason   string       `json:"reason,omitempty"`
	Files    []FileChange `json:"files"`
	Findings []Finding    `json:"findings"` // what it tried, too, that is not part of the work

	// Brings is what the work waits for that nobody had approved: what programs run or obey
	// by themselves, protected files, big ones, executables and archives.
	Brings []Trusted `json:"brings,omitempty"`
}

// FileChange is one line of a diffstat. Status is A, M, D or T (another type).
type FileChange struct {
	Path    string `json:"path"`
	Status  string `json:"status"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Binary  bool   `json:"binary,omitempty"`
}
