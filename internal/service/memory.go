package service

import (
	"context"
	"path"

	"kedge"
	docs "kedge/internal/ledger"
	"kedge/internal/store"
)

// The documents of memory, in the project's folder.
const (
	decisionsDir = ".kedge/decisions"
	notesDir     = ".kedge/notes"
	risksFile    = ".kedge/risks.md"
	progressFile = ".kedge/progress.md"
	rulesFile    = briefRules
)

// memory is what the journal holds of decisions, risks and notes.
type memory struct {
	decisions []kedge.Decision
	risks     []kedge.Risk
	notes     []kedge.Note
}

func readMemory(ctx context.Context, p *project) (m memory, err error) {
	if m.decisions, err = all[kedge.Decision](ctx, p, store.KindDecision); err != nil {
		return m, err
	}
	if m.risks, err = all[kedge.Risk](ctx, p, store.KindRisk); err != nil {
		return m, err
	}
	m.notes, err = all[kedge.Note](ctx, p, store.KindNote)
	return m, err
}

func (m memory) decision(id kedge.DecisionID) (kedge.Decision, bool) {
	for _, d := range m.decisions {
		if d.ID == id {
			return d, true
		}
	}
	return kedge.Decision{}, false
}

func (m memory) risk(id kedge.RiskID) (kedge.Risk, bool) {
	for _, r := range m.risks {
		if r.ID == id {
			return r, true
		}
	}
	return kedge.Risk{}, false
}

func (m memory) note(id kedge.NoteID) (kedge.Note, bool) {
	for _, n := range m.notes {
		if n.ID == id {
			return n, true
		}
	}
	return kedge.Note{}, false
}

// recorded is what a command added to memory: the one new fact, and what there
// is to tell beside it.
type recorded struct {
	p     *project
	event kedge.Event
	aside Aside
}

// record is a writing command of memory: decide looks at what is there and says
// what is new.
func (s *Service) record(ctx context.Context, who Caller, decide func(p *project, m memory) (kedge.Event, error)) (recorded, error) {
	p, evs, aside, err := s.change(ctx, who, func(p *project, _ ledger) ([]kedge.Event, error) {
		m, err := readMemory(ctx, p)
		if err != nil {
			return nil, err
		}
		ev, err := decide(p, m)
		return []kedge.Event{ev}, err
	})
	if err != nil {
		return recorded{}, err
	}
	if len(evs) != 1 {
		return recorded{}, kedge.Errorf(kedge.Internal, "a request that added %d facts is made again for one", len(evs))
	}
	return recorded{p: p, event: evs[0], aside: aside}, nil
}

// writeMemory writes every document that differs from what it should be.
func (s *Service) writeMemory(ctx context.Context, p *project, l ledger, u *unwritten) error {
	m, err := readMemory(ctx, p)
	if err != nil {
		return err
	}
	want := m.files()
	for _, name := range sortedKeys(want) {
		if b, ok, err := p.Read(name); err == nil && ok && sameText(b, want[name]) {
			continue
		}
		u.note(name, s.replaceProjected(p, name, want[name]))
	}
	u.note(path.Dir(risksFile), removeCopies(p, m, want))
	return s.writeProgress(ctx, p, m, l, u)
}

// files are the documents as they should be, by their path.
func (m memory) files() map[string][]byte {
	want := map[string][]byte{}
	for _, d := range m.decisions {
		want[decisionsDir+"/"+docs.DecisionFile(d)] = docs.WriteDecision(d)
	}
	names := docs.NoteFiles(m.notes)
	for _, n := range m.notes {
		want[notesDir+"/"+names[n.ID]] = docs.WriteNote(n)
	}
	if len(m.risks) > 0 {
		want[risksFile] = docs.WriteRisks(m.risks)
	}
	return want
}
