package projects

import (
	"sync"

	"kedge"
)

// Each keeps one value for each project. New makes it at the first use; nil makes a zero
// one.
type Each[T any] struct {
	New func() *T

	mu    sync.Mutex
	known map[kedge.ProjectID]*T
}

// Of gives the value of a project.
func (e *Each[T]) Of(id kedge.ProjectID) *T {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil {
		e.known = map[kedge.ProjectID]*T{}
	}
	if e.known[id] == nil {
		e.known[id] = new(T)
		if e.New != nil {
			e.known[id] = e.New()
		}
	}
	return e.known[id]
}
