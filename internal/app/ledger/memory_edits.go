package ledger

import (
	"context"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// imported is the action on an edit that was taken over into the journal; the
// others are package plan's.
const imported = "imported"

// memoryEdits is how the documents of memory differ from the journal: facts to import,
// and a report of every edit.
type memoryEdits struct {
	by    kedge.Actor
	at    time.Time
	facts []kedge.Event
	Edits []kedge.HandEditData
	news  []kedge.HandEditData // those of edits that came with the repository: nobody edited anything
}

// take reports an edit that may be imported, and tells whether it is. Only commands of
// users import: an agent that writes a document by hand could sign it with anybody's
// name.
func (e *memoryEdits) take(path, otherwise, found string) bool {
	if e.by.IsAgent() {
		e.report(path, otherwise, "agents may not import "+found)
		return false
	}
	e.report(path, imported, found)
	return true
}

// takeNew is take for a document that the journal does not have at all.
func (e *memoryEdits) takeNew(path, otherwise, found string) bool {
	if !e.take(path, otherwise, found) {
		return false
	}
	e.news = append(e.news, e.Edits[len(e.Edits)-1])
	return true
}

func (e *memoryEdits) report(path, action, found string) {
	e.Edits = append(e.Edits, kedge.HandEditData{Path: path, Found: found, Action: action})
}

// resolveMemoryEdits answers hand edits of the documents of memory. It imports
// decisions, notes and risks of another clone, restores a changed decision, and reports
// an unreadable document once and leaves it alone. It needs the project's lock.
func (s *Ledger) resolveMemoryEdits(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	found, err := s.compareMemory(ctx, p, m, who.Actor)
	if err != nil {
		return nil, err
	}
	if found.Edits, err = unreported(ctx, p, found.Edits); err != nil {
		return nil, err
	}
	if err := s.keepRestored(p, found.Edits); err != nil {
		return nil, err
	}
	evs := found.facts
	for _, e := range found.Edits {
		ev, err := kedge.NewEvent(kedge.HandEditFound, kedge.ActorDaemon, e)
		if err != nil {
			return nil, err
		}
		evs = append(evs, ev)
	}
	if len(evs) == 0 {
		return nil, nil
	}
	for i := range evs {
		evs[i].Project = p.ID
	}
	if _, _, err := p.Store.Append(ctx, "", evs...); err != nil {
		return nil, err
	}
	for _, e := range found.Edits {
		who.Tell(e)
	}
	return found.Edits, nil
}

// unreported leaves out refusals, and what is only kept, that were reported before. The file is still there, and
// a report with every command would be ignored soon.
func unreported(ctx context.Context, p *projects.Project, edits []kedge.HandEditData) ([]kedge.HandEditData, error) {
	stays := func(e kedge.HandEditData) bool { return e.Action == plan.Refused || e.Action == kept }
	if !slices.ContainsFunc(edits, stays) {
		return edits, nil
	}
	old, err := projects.All[journal.EditDoc](ctx, p, journal.KindEdit)
	return slices.DeleteFunc(edits, func(e kedge.HandEditData) bool {
		return stays(e) && slices.ContainsFunc(old, func(d journal.EditDoc) bool { return d.HandEditData == e })
	}), err
}

// keepRestored keeps a copy of every file that is about to be restored.
func (s *Ledger) keepRestored(p *projects.Project, edits []kedge.HandEditData) error {
	for i := range edits {
		if edits[i].Action == plan.Restored || edits[i].Action == plan.Reset {
			if err := s.keepEdited(p, edits[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// FindMemoryEdits compares the documents of memory with the journal, for reading
// commands. Documents that came with the repository and will be imported are no edits.
func (s *Ledger) FindMemoryEdits(ctx context.Context, p *projects.Project, m Memory, by kedge.Actor) (memoryEdits, error) {
	e, err := s.compareMemory(ctx, p, m, by)
	if err != nil {
		return e, err
	}
	still, err := unreported(ctx, p, slices.Clone(e.Edits))
	e.Edits = slices.DeleteFunc(e.Edits, func(edit kedge.HandEditData) bool {
		return slices.Contains(e.news, edit) || edit.Action == kept && !slices.Contains(still, edit)
	})
	return e, err
}

// ImportMemory gives the facts of a repository's documents for a journal that has none,
// as in a fresh clone, and one line that counts them. What cannot be imported is left
// for the next command to report.
func (s *Ledger) ImportMemory(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.Event, string, error) {
	m, err := ReadMemory(ctx, p)
	if err != nil || len(m.Decisions)+len(m.Notes)+len(m.Risks) > 0 {
		return nil, "", err
	}
	e, err := s.compareMemory(ctx, p, m, who.Actor)
	if err != nil || len(e.facts) == 0 {
		return nil, "", err
	}
	counts := map[kedge.EventType]int{}
	for _, ev := range e.facts {
		counts[ev.Type]++
	}
	var said []string
	for _, kind := range []struct {
		typ  kedge.EventType
		name string
	}{{kedge.DecisionSaved, "decision"}, {kedge.NoteAdded, "note"}, {kedge.RiskOpened, "risk"}, {kedge.ObjectiveSet, "objective"}} {
		if n := counts[kind.typ]; n > 0 {
			said = append(said, words.Count(n, kind.name))
		}
	}
	return e.facts, "from the repository: imported " + strings.Join(said, ", "), nil
}

// compareMemory compares the documents of memory with the journal. It changes nothing.
func (s *Ledger) compareMemory(ctx context.Context, p *projects.Project, m Memory, by kedge.Actor) (memoryEdits, error) {
	e := memoryEdits{by: by, at: s.home.Now()}
	files := memoryFiles(p, m)
	s.dropOurs(p, files)
	err := firstErr(
		func() error { return e.decisionEdits(m, files[DecisionsDir]) },
		func() error { return e.noteEdits(m, files[NotesDir]) },
		func() error { return e.riskEdits(m, files[path.Dir(RisksFile)]) },
		func() error { return s.progressEdits(ctx, p, m, &e) },
		func() error { return s.contextEdits(ctx, p, m, &e) },
	)
	return e, err
}

func firstErr(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fact adds a fact that comes from a file.
func (e *memoryEdits) fact(typ kedge.EventType, v any) error {
	ev, err := kedge.NewEvent(typ, e.by, v)
	if err == nil {
		e.facts = append(e.facts, ev)
	}
	return err
}

// noteEdits imports notes of another clone, and your changes to a note as long as it
// still teaches something.
func (e *memoryEdits) noteEdits(m Memory, files []memoryFile) error {
	for _, f := range files {
		refuse := plan.Refused
		if f.ours {
			refuse = plan.Restored
		}
		n, err := docs.ParseNote(f.path, f.text)
		if err != nil {
			e.report(f.path, refuse, err.Error())
			continue
		}
		old, there := m.Note(n.ID)
		findings := docs.LintNote(f.path, n)
		switch {
		case there && reflect.DeepEqual(old, n):
		case len(findings) > 0:
			e.report(f.path, refuse, findings[0].What)
		case there != f.ours:
			e.report(f.path, refuse, "a changed copy of another note")
		case !there && e.takeNew(f.path, refuse, "a note: "+n.Title) || there && e.take(f.path, refuse, "a note: "+n.Title):
			if err := e.fact(kedge.NoteAdded, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// riskEdits imports risks of another clone, and risks that were closed there with a
// reason.
func (e *memoryEdits) riskEdits(m Memory, files []memoryFile) error {
	for _, f := range files {
		risks, err := docs.ParseRisks(f.path, f.text)
		if err != nil {
			e.report(f.path, plan.Restored, err.Error())
			continue
		}
		there := map[kedge.RiskID]bool{}
		for _, r := range risks {
			there[r.ID] = true
			if err := e.compareRisk(f.path, r, m); err != nil {
				return err
			}
		}
		for _, r := range m.Risks {
			if r.ClosedAt == nil && !there[r.ID] {
				e.report(f.path, plan.Restored, "open risk "+string(r.ID)+" was removed")
			}
		}
	}
	return nil
}

func (e *memoryEdits) compareRisk(file string, r kedge.Risk, m Memory) error {
	old, there := m.Risk(r.ID)
	same := old.Text == r.Text && old.OpenedAt.Equal(r.OpenedAt) && old.By == r.By
	closes := there && r.ClosedAt != nil && old.ClosedAt == nil
	switch {
	case there && !same:
		e.report(file, plan.Restored, "risk "+string(r.ID)+" was changed by hand")
	case !there && e.takeNew(file, plan.Restored, "a risk: "+r.Text):
		return e.fact(kedge.RiskOpened, r)
	case closes && e.take(file, plan.Restored, "the closing of risk "+string(r.ID)+": "+r.Reason):
		return e.fact(kedge.RiskClosed, kedge.RiskClosedData{ID: r.ID, Reason: r.Reason})
	}
	return nil
}

// progressEdits reports generated lines that were changed. Your own paragraphs are no
// edits: Kedge keeps them.
func (s *Ledger) progressEdits(ctx context.Context, p *projects.Project, m Memory, e *memoryEdits) error {
	b, ok, err := p.Read(ProgressFile)
	if err != nil || !ok || s.Projected(p)[projects.Sum(ToLF(b))] {
		return nil //nolint:nilerr // likewise
	}
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return err
	}
	var log []docs.LogEntry
	if s.touched(ctx, p, ProgressFile, b) { // else a line may be missing because this checkout never had it
		if log, err = s.logFor(ctx, p, b); err != nil {
			return err
		}
	}
	if lines := docs.ProgressEdits(b, m.facts(l, log)); len(lines) > 0 {
		e.report(ProgressFile, plan.Reset, "generated lines were changed: "+strings.Join(lines[:min(len(lines), shownEdits)], "; "))
	}
	return nil
}
