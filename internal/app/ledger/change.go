package ledger

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
)

// Change is a writing command of the ledger: hand edits are settled, decide
// looks at the features and says what is new, the projections follow.
func (s *Book) Change(ctx context.Context, who projects.Caller, decide func(p *projects.Project, l Ledger) ([]kedge.Event, error)) (p *projects.Project, evs []kedge.Event, aside Aside, err error) {
	if p, err = s.home.Open(ctx, who); err != nil {
		return nil, nil, aside, err
	}
	evs, err = s.home.Write(ctx, p, who, func() (evs []kedge.Event, err error) {
		if aside.Edits, err = s.Settle(ctx, p, who); err != nil {
			return nil, err
		}
		l, err := ReadLedger(ctx, p)
		if err != nil {
			return nil, err
		}
		return decide(p, l)
	})
	if err == nil {
		aside.Warnings, err = s.BringFilesUp(ctx, p)
	}
	return p, evs, aside, err
}

// Recorded is what a command added to memory: the one new fact, and what there
// is to tell beside it.
type Recorded struct {
	Project *projects.Project
	Event   kedge.Event
	Aside   Aside
}

// Record is a writing command of memory: decide looks at what is there and says
// what is new.
func (s *Book) Record(ctx context.Context, who projects.Caller, decide func(p *projects.Project, m Memory) (kedge.Event, error)) (Recorded, error) {
	p, evs, aside, err := s.Change(ctx, who, func(p *projects.Project, _ Ledger) ([]kedge.Event, error) {
		m, err := ReadMemory(ctx, p)
		if err != nil {
			return nil, err
		}
		ev, err := decide(p, m)
		return []kedge.Event{ev}, err
	})
	if err != nil {
		return Recorded{}, err
	}
	if len(evs) != 1 {
		return Recorded{}, kedge.Errorf(kedge.Internal, "a request that added %d facts is made again for one", len(evs))
	}
	return Recorded{Project: p, Event: evs[0], Aside: aside}, nil
}
