package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

// owner gives the project of the session that a caller names by its name or its id. It is
// the caller's own where that has such a session. Else you reach the sessions of all
// projects, as long as the name tells which one you mean; an agent reaches its own project's only.
func (s *Manager) owner(ctx context.Context, who projects.Caller, name string) (*projects.Project, error) {
	p, err := s.home.OfSessions(ctx, who)
	if err == nil {
		_, err = s.Find(ctx, p, name)
	}
	if !kedge.NotFound.Is(err) || who.IsAgent() {
		return p, err
	}
	all, problem := s.home.AllOfSessions(ctx, who, true)
	if problem != nil {
		return nil, problem
	}
	var found []owned
	for _, other := range all {
		if ses, none := s.Find(ctx, other, name); none == nil {
			found = append(found, owned{other, ses})
		}
	}
	switch found = meant(found); len(found) {
	case 0:
		return nil, err
	case 1:
		return s.whole(ctx, who, found[0])
	}
	return nil, severalNamed(name, found)
}

// owned is a session and its project.
type owned struct {
	project *projects.Project
	session kedge.Session
}

// meant are the sessions that somebody can mean who names one: the living, if any lives.
func meant(found []owned) []owned {
	living := slices.DeleteFunc(slices.Clone(found), func(o owned) bool { return !o.session.Live() })
	if len(living) > 0 {
		return living
	}
	return found
}

// whole opens the project of a session with its folder, where that is still there.
func (s *Manager) whole(ctx context.Context, who projects.Caller, o owned) (*projects.Project, error) {
	if o.project.ID == projects.Elsewhere {
		return o.project.In(o.session.Dir), nil
	}
	known, err := projects.Known(ctx, o.project.Store, o.project.ID)
	if err != nil {
		return nil, err
	}
	there := who
	there.Dir = known.Dir
	if p, err := s.home.Open(ctx, there); err == nil && p.ID == o.project.ID {
		return p, nil
	}
	return o.project.In(known.Dir), nil
}

// severalNamed says which sessions have the name, and how each is called.
func severalNamed(name string, found []owned) error {
	var list []string
	for _, o := range found {
		list = append(list, string(o.session.ID)+" in "+o.session.Dir)
	}
	return kedge.Errorf(kedge.Conflict, "%d projects have a session named %q: %s", len(found), name, strings.Join(list, ", ")).
		WithHint("repeat your command with the session's id instead of its name; or go to the project's folder first")
}

// beforeInit gives the sessions that started in the folder of a project before it was one.
func (s *Manager) beforeInit(ctx context.Context, ps []*projects.Project, last bool) ([]kedge.Session, error) {
	if len(ps) != 1 || ps[0].ID == projects.Elsewhere {
		return nil, nil
	}
	elsewhere, err := s.home.Opened(projects.Elsewhere)
	if err != nil {
		return nil, nil // no session was ever started outside of a project
	}
	docs, err := projects.All[kedge.Session](ctx, &projects.Project{Opened: elsewhere}, journal.KindSession)
	var out []kedge.Session
	for _, ses := range docs {
		if below, outside := filepath.Rel(ps[0].Dir, ses.Dir); outside == nil && filepath.IsLocal(below) {
			out = append(out, s.listed(ctx, ses, last))
		}
	}
	return out, err
}
