package kedge

import (
	"strings"
	"time"
)

// Project is a git repository, or a plain folder, that Kedge knows.
type Project struct {
	ID        ProjectID `json:"id"`
	Name      string    `json:"name"`
	Dir       string    `json:"dir"`
	Git       bool      `json:"git"`
	CreatedAt time.Time `json:"created_at"`
}

// Salvage is work that was set aside instead of thrown away: a commit under
// refs/kedge/salvage/, and the paths that went to the attic.
type Salvage struct {
	ID     SalvageID `json:"id"`
	Ref    string    `json:"ref"`
	Commit string    `json:"commit"`
	Base   string    `json:"base"` // HEAD when it was made; empty when unborn
	Tree   string    `json:"tree"`
	Files  int       `json:"files"`
	Attic  []string  `json:"attic"` // paths moved to the attic
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Paths  []string  `json:"paths,omitempty"` // in a list: the first of its files, where the reason names no feature

	Submodules []SalvagedSubmodule `json:"submodules,omitempty"` // with work that is part of it
}

// SalvagedSubmodule is the work of a salvage in one submodule: a commit in the git dir that
// the repository keeps of it.
type SalvagedSubmodule struct {
	Path   string `json:"path"`
	Home   string `json:"home"` // that git dir, from the one of the repository
	Commit string `json:"commit"`
}

// Feature is the feature that the work was for, as the reason names it; empty: for none.
func (s Salvage) Feature() FeatureID {
	if id, _, ok := strings.Cut(s.Reason, ": "); ok && ValidName(id) {
		return FeatureID(id)
	}
	return ""
}

// Worktree is one git worktree of a project, as `worktree ls` shows it. Unknown
// figures are -1.
type Worktree struct {
	Path     string    `json:"path"`
	Branch   string    `json:"branch"`
	Head     string    `json:"head"`
	Bytes    int64     `json:"bytes"`
	At       time.Time `json:"at"` // its last change
	OwnerPID int       `json:"owner_pid"`
	Dirty    bool      `json:"dirty"`
	Main     bool      `json:"main"`
	Ours     bool      `json:"ours"` // made by Kedge
	Merged   bool      `json:"merged"`
}
