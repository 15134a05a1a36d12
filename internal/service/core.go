package service

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/gitx"
	projects "kedge/internal/project"
	"kedge/internal/store"
)

// Caller says who asks, from which folder, and which request it is.
type Caller = projects.Caller

// What the files of this package call the parts of package project.
type (
	project = projects.Project
	opened  = projects.Opened
	place   = projects.Place
)

func (s *Service) now() time.Time                         { return s.home.Now() }
func (s *Service) storeDir(id kedge.ProjectID) string     { return s.home.StateDir(id) }
func (s *Service) attic(p *project) string                { return s.home.Attic(p) }
func (s *Service) projectIDs() ([]kedge.ProjectID, error) { return s.home.IDs() }

func (s *Service) opened(id kedge.ProjectID) (*opened, error)  { return s.home.Opened(id) }
func (s *Service) created(id kedge.ProjectID) (*opened, error) { return s.home.Created(id) }

func (s *Service) project(ctx context.Context, who Caller) (*project, error) {
	return s.home.Open(ctx, who)
}

func (s *Service) git(ctx context.Context, p *project) (*gitx.Repo, error) {
	return s.home.Git(ctx, p)
}

func (s *Service) write(ctx context.Context, p *project, who Caller, decide func() ([]kedge.Event, error)) ([]kedge.Event, error) {
	return s.home.Write(ctx, p, who, decide)
}

func personOnly(who Caller, what string) error      { return projects.PersonOnly(who, what) }
func sum(b []byte) string                           { return projects.Sum(b) }
func mainFolder(dir string) string                  { return projects.MainFolder(dir) }
func isProject(dir string, id kedge.ProjectID) bool { return projects.IsProject(dir, id) }
func readProject(ctx context.Context, st *store.Store, id kedge.ProjectID) (kedge.Project, error) {
	return projects.Known(ctx, st, id)
}

func all[T any](ctx context.Context, p *project, kind store.Kind) ([]T, error) {
	return projects.All[T](ctx, p, kind)
}

func latest[T any](ctx context.Context, p *project, kind store.Kind) (*T, error) {
	return projects.Latest[T](ctx, p, kind)
}

func event(typ kedge.EventType, who Caller, data any) (kedge.Event, error) {
	return projects.Event(typ, who, data)
}

func events(ev kedge.Event, err error) ([]kedge.Event, error) { return projects.One(ev, err) }

func data[T any](ev kedge.Event) (T, error) { return projects.Data[T](ev) }

func dataOf[T any](evs []kedge.Event, typ kedge.EventType) (T, error) {
	return projects.DataOf[T](evs, typ)
}
