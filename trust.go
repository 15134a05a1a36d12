package kedge

// Trusted is something of a repository that a person lets programs of agents heed:
// a file with exactly its content or, where Name is set, one variable that the file
// sets, with exactly its lines.
type Trusted struct {
	Path   string `json:"path"` // from the root of the worktree
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256"`
	Exec   bool   `json:"exec,omitempty"` // work makes it a file that can be executed; agents heed it either way
}

// ID names it in the journal: another content is another thing, another mode is not.
func (t Trusted) ID() string {
	if t.Name != "" {
		return "env:" + t.Path + ":" + t.Name + "@" + t.SHA256
	}
	return "file:" + t.Path + "@" + t.SHA256
}

// TrustApprovedData is the payload of TrustApproved: what a person saw and allowed.
// Run and Feature are set where it was the work on a feature that brought it.
type TrustApprovedData struct {
	Items   []Trusted `json:"items"`
	Run     RunID     `json:"run,omitempty"`
	Feature FeatureID `json:"feature,omitempty"`
}

// TrustedFor is what a person approved, with the work for which that was said last.
type TrustedFor struct {
	Trusted
	Run     RunID     `json:"run,omitempty"`
	Feature FeatureID `json:"feature,omitempty"`
}

// TrustFoundData is the payload of TrustFound: what nobody approved and a session
// would have met in its worktree. The session was not started.
type TrustFoundData struct {
	Dir     string    `json:"dir"` // the worktree
	Run     RunID     `json:"run,omitempty"`
	Feature FeatureID `json:"feature,omitempty"`
	After   SessionID `json:"after,omitempty"` // the session that worked there last; empty: none
	Items   []Trusted `json:"items"`
}
