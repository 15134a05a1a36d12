// Package ledger reads and changes the state of the work: features, plan, decisions,
// risks and notes. The journal holds that state; the files below .kedge show it. A
// writing command first handles edits that somebody made in those files by hand, then
// adds its facts to the journal, then writes the files. Kedge copies an edited file
// before it replaces it. If a file cannot be written, that is a warning: the journal has
// the facts. The package never decides what a command records.
package ledger

import (
	"context"

	"kedge"

	"kedge/internal/app/projects"
)

// Ledger changes the state of the work, and is the only writer of the files that follow
// it, for all projects of one KEDGE_HOME.
type Ledger struct {
	home     *projects.Home
	checkout func(ctx context.Context, p *projects.Project) *projects.Project
}

// New makes a Ledger. It reads nothing before the first call. Checkout gives a project
// with the state of its checkout: while a run has unlanded work, files there stay as
// committed, and the project says which.
func New(home *projects.Home, checkout func(ctx context.Context, p *projects.Project) *projects.Project) *Ledger {
	return &Ledger{home: home, checkout: checkout}
}

// AsCheckedOut gives a project with the state of its checkout: see New.
func (s *Ledger) AsCheckedOut(ctx context.Context, p *projects.Project) *projects.Project {
	return s.checkout(ctx, p)
}

// Change runs a writing command: it resolves hand edits, calls decide with the present
// features and plan, adds the events that decide gives, and writes the files.
func (s *Ledger) Change(ctx context.Context, who projects.Caller, decide func(p *projects.Project, l Snapshot) ([]kedge.Event, error)) (p *projects.Project, evs []kedge.Event, notices Notices, err error) {
	if p, err = s.home.OpenSetUp(ctx, who); err != nil {
		return nil, nil, notices, err
	}
	evs, notices, err = s.ChangeIn(ctx, p, who, decide)
	return p, evs, notices, err
}

// ChangeIn is Change for a project that may not be set up: no file is written there.
func (s *Ledger) ChangeIn(ctx context.Context, p *projects.Project, who projects.Caller, decide func(p *projects.Project, l Snapshot) ([]kedge.Event, error)) (evs []kedge.Event, notices Notices, err error) {
	evs, err = s.home.Write(ctx, p, who, func() (evs []kedge.Event, err error) {
		if notices.Edits, err = s.ResolveEdits(ctx, p, who); err != nil {
			return nil, err
		}
		l, err := ReadSnapshot(ctx, p)
		if err != nil {
			return nil, err
		}
		return decide(p, l)
	})
	if err == nil && s.home.RefuseNotSetUp(ctx, p) == nil {
		notices.Warnings, err = s.SyncFiles(ctx, p)
	}
	return evs, notices, err
}

// Recorded is the one fact that a command added to memory, with its notices.
type Recorded struct {
	Project *projects.Project
	Event   kedge.Event
	Notices Notices
}

// Record runs a command that adds one fact to memory. Decide gets the present memory and
// gives the fact.
func (s *Ledger) Record(ctx context.Context, who projects.Caller, decide func(p *projects.Project, m Memory) (kedge.Event, error)) (Recorded, error) {
	p, evs, notices, err := s.Change(ctx, who, func(p *projects.Project, _ Snapshot) ([]kedge.Event, error) {
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
		return Recorded{}, kedge.Errorf(kedge.Internal, "Kedge stored %d changes for your command instead of one", len(evs)).WithHint("see what is wrong: kedge doctor")
	}
	return Recorded{Project: p, Event: evs[0], Notices: notices}, nil
}
