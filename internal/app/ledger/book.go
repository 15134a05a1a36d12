// Package ledger owns the work as a project's journal has it: features, plan,
// decisions, risks and notes; and the files in the repository that follow it. It
// promises that hand edits of these files are answered before anything is decided,
// that what somebody typed is kept before it is replaced, and that a file which
// cannot be written takes back nothing that the journal has. It never decides what a
// command enters.
package ledger

import (
	"context"

	"kedge/internal/app/projects"
)

// Book is the one hand that writes the files of all projects of a KEDGE_HOME.
type Book struct {
	home *projects.Home
	rest func(ctx context.Context, p *projects.Project) *projects.Project
}

// New makes one; it does nothing until it is asked. AtRest gives a project as its
// checkout is now: while the work of a run is still to land there, files stay as
// they are committed, and the project it gives says which.
func New(home *projects.Home, atRest func(ctx context.Context, p *projects.Project) *projects.Project) *Book {
	return &Book{home: home, rest: atRest}
}

// AtRest gives a project as its checkout is now: see New.
func (s *Book) AtRest(ctx context.Context, p *projects.Project) *projects.Project {
	return s.rest(ctx, p)
}
