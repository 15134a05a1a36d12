// Package slot owns the work trees in which runs work: slots that are reused, so
// that ignored files (dependencies, caches) survive, and the one clean work tree
// of a run in which no agent ever writes. It promises that nothing in a slot is
// lost without salvage, that two jobs never have one slot, and that a slot is
// ready only when its setup ran for these inputs. It never touches the user's
// own checkout.
package slot

import (
	"time"

	"kedge"
	"kedge/internal/gitx"
)

// Config is what slots need from outside.
type Config struct {
	Repo    *gitx.Repo
	Dir     string // $KEDGE_HOME/worktrees/<project>
	Attic   string // of the project
	Project kedge.ProjectID
	Now     func() time.Time
}

// Slots are the work trees of one project.
type Slots struct{ cfg Config }

// New gives the slots of a project.
func New(cfg Config) *Slots { return &Slots{cfg: cfg} }
