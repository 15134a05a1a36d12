package ledger

import (
	"context"
	"path"

	"kedge"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/journal"
)

// The documents of memory, in the project's folder.
const (
	DecisionsDir = kedge.DecisionsDir
	NotesDir     = kedge.NotesDir
	RisksFile    = kedge.RisksFile
	ProgressFile = kedge.ProgressFile
	RulesFile    = kedge.RulesFile
)

// Memory is the decisions, risks and notes in the journal.
type Memory struct {
	Decisions []kedge.Decision
	Risks     []kedge.Risk
	Notes     []kedge.Note
}

// ReadMemory reads all decisions, risks and notes.
func ReadMemory(ctx context.Context, p *projects.Project) (m Memory, err error) {
	if m.Decisions, err = projects.All[kedge.Decision](ctx, p, journal.KindDecision); err != nil {
		return m, err
	}
	if m.Risks, err = projects.All[kedge.Risk](ctx, p, journal.KindRisk); err != nil {
		return m, err
	}
	m.Notes, err = projects.All[kedge.Note](ctx, p, journal.KindNote)
	return m, err
}

// Decision finds a decision by its id.
func (m Memory) Decision(id kedge.DecisionID) (kedge.Decision, bool) {
	for _, d := range m.Decisions {
		if d.ID == id {
			return d, true
		}
	}
	return kedge.Decision{}, false
}

// Risk finds a risk by its id.
func (m Memory) Risk(id kedge.RiskID) (kedge.Risk, bool) {
	for _, r := range m.Risks {
		if r.ID == id {
			return r, true
		}
	}
	return kedge.Risk{}, false
}

// Note finds a note by its id.
func (m Memory) Note(id kedge.NoteID) (kedge.Note, bool) {
	for _, n := range m.Notes {
		if n.ID == id {
			return n, true
		}
	}
	return kedge.Note{}, false
}

// writeMemory writes every document of memory that differs from the journal.
func (s *Ledger) writeMemory(ctx context.Context, p *projects.Project, l Snapshot, u *failures) error {
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return err
	}
	want := m.files()
	for _, name := range sortedKeys(want) {
		if b, ok, err := p.Read(name); err == nil && ok && SameText(b, want[name]) {
			continue
		}
		u.add(name, s.ReplaceFile(p, name, want[name]))
	}
	u.add(path.Dir(RisksFile), removeCopies(p, m, want))
	if err := s.writeContext(ctx, p, m, l, u); err != nil {
		return err
	}
	return s.writeProgress(ctx, p, m, l, u)
}

// files gives the documents as they should be, by path.
func (m Memory) files() map[string][]byte {
	want := map[string][]byte{}
	for _, d := range m.Decisions {
		want[DecisionsDir+"/"+docs.DecisionFile(d)] = docs.WriteDecision(d)
	}
	names := docs.NoteFiles(m.Notes)
	for _, n := range m.Notes {
		want[NotesDir+"/"+names[n.ID]] = docs.WriteNote(n)
	}
	if len(m.Risks) > 0 {
		want[RisksFile] = docs.WriteRisks(m.Risks)
	}
	return want
}

// ReadMemoryAndEdits opens the caller's project and reads memory and its hand edits, for
// a reading command.
func (s *Ledger) ReadMemoryAndEdits(ctx context.Context, who projects.Caller) (*projects.Project, Memory, []kedge.HandEditData, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return nil, Memory{}, nil, err
	}
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return nil, Memory{}, nil, err
	}
	found, err := s.FindMemoryEdits(ctx, p, m, who.Actor)
	return p, m, append([]kedge.HandEditData{}, found.Edits...), err
}
