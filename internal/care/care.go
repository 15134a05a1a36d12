// Package care answers the commands with which people look after what Kedge keeps
// for them: salvage, worktrees and git filters. It promises that nothing is thrown
// away but by a person's command, and that what is to go is in the journal first, so
// that a request which a crash interrupted is finished by the same request. It never
// touches a work tree that Kedge did not make.
package care

import "kedge/internal/project"

// Care answers for the projects of one KEDGE_HOME.
type Care struct{ home *project.Home }

// New makes one; it does nothing until it is asked.
func New(home *project.Home) *Care { return &Care{home: home} }
