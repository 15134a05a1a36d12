package kedge

// SessionWorktree is the git worktree that a session got of its own. Sessions that
// resume it continue there.
type SessionWorktree struct {
	Path   string `json:"path"`
	Branch string `json:"branch"`
	Base   string `json:"base"` // the commit that it began at
	Slot   string `json:"slot"` // KEDGE_SLOT of its sessions
	Port   int    `json:"port"` // KEDGE_PORT of its sessions

	// What is true of it now. It is in answers only, never in the journal.
	Changed *bool `json:"changed,omitempty"` // it has uncommitted changes, Kedge's own included; nil: unknown
	Gone    bool  `json:"gone,omitempty"`    // it was removed
}
