package ledger

import (
	"bytes"
	"context"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

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

// memoryEdits is what was found in the documents of memory that the journal does
// not say: facts to take over, and a report of every edit.
type memoryEdits struct {
	by    kedge.Actor
	facts []kedge.Event
	Edits []kedge.HandEditData
	news  []kedge.HandEditData // those of edits that came with the repository: nobody edited anything
}

// take reports an edit that may be taken over and says whether it is: only for a
// person. An agent that writes a document by hand instead of asking Kedge could
// sign it with anybody's name.
func (e *memoryEdits) take(path, otherwise, found string) bool {
	if (projects.Caller{Actor: e.by}).IsAgent() {
		e.report(path, otherwise, "only a person's command takes over "+found)
		return false
	}
	e.report(path, imported, found)
	return true
}

// takeNew is take for what the journal does not know at all.
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

// settleMemory answers hand edits of the documents of memory. What another clone
// of the repository decided, noted or feared is taken over; a changed decision
// is put back; a document that cannot be read is left where it is, and said so
// once. It runs under the project's lock.
func (s *Book) settleMemory(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
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

// unreported leaves out refusals that were reported before: the file is still
// there, and saying it with every command would teach people not to read it.
func unreported(ctx context.Context, p *projects.Project, edits []kedge.HandEditData) ([]kedge.HandEditData, error) {
	if !slices.ContainsFunc(edits, func(e kedge.HandEditData) bool { return e.Action == plan.Refused }) {
		return edits, nil
	}
	old, err := projects.All[journal.EditDoc](ctx, p, journal.KindEdit)
	return slices.DeleteFunc(edits, func(e kedge.HandEditData) bool {
		return e.Action == plan.Refused && slices.ContainsFunc(old, func(d journal.EditDoc) bool { return d.HandEditData == e })
	}), err
}

// keepRestored keeps aside the files that are about to be put back.
func (s *Book) keepRestored(p *projects.Project, edits []kedge.HandEditData) error {
	for i := range edits {
		if edits[i].Action == plan.Restored || edits[i].Action == plan.Reset {
			if err := s.keepEdited(p, edits[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// FindMemoryEdits is for reading commands: what came with the repository and
// will be taken over is no edit.
func (s *Book) FindMemoryEdits(ctx context.Context, p *projects.Project, m Memory, by kedge.Actor) (memoryEdits, error) {
	e, err := s.compareMemory(ctx, p, m, by)
	e.Edits = slices.DeleteFunc(e.Edits, func(edit kedge.HandEditData) bool { return slices.Contains(e.news, edit) })
	return e, err
}

// ImportMemory gives the facts of a repository's documents to a journal that has
// none, as in a fresh clone, and says in one line what they are. What cannot be
// taken over is left for the next command to report.
func (s *Book) ImportMemory(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.Event, string, error) {
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
	}{{kedge.DecisionSaved, "decision"}, {kedge.NoteAdded, "note"}, {kedge.RiskOpened, "risk"}} {
		if n := counts[kind.typ]; n > 0 {
			said = append(said, words.Count(n, kind.name))
		}
	}
	return e.facts, "from the repository: imported " + strings.Join(said, ", "), nil
}

// compareMemory looks and changes nothing.
func (s *Book) compareMemory(ctx context.Context, p *projects.Project, m Memory, by kedge.Actor) (memoryEdits, error) {
	e := memoryEdits{by: by}
	files := memoryFiles(p, m)
	s.dropOurs(p, files)
	err := firstErr(
		func() error { return e.decisionEdits(m, files[DecisionsDir]) },
		func() error { return e.noteEdits(m, files[NotesDir]) },
		func() error { return e.riskEdits(m, files[path.Dir(RisksFile)]) },
		func() error { return e.progressEdits(ctx, p, m) },
	)
	return e, err
}

// dropOurs leaves out what Kedge wrote itself at some time: it is only behind,
// as after a change of branch, or ahead of what a reader has read already. Which
// texts are ours is asked after they were read: Kedge remembers a text before it
// writes it.
func (s *Book) dropOurs(p *projects.Project, files map[string][]memoryFile) {
	known := s.Projected(p)
	for dir := range files {
		files[dir] = slices.DeleteFunc(files[dir], func(f memoryFile) bool { return known[projects.Sum(f.text)] })
	}
}

func firstErr(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// memoryFile is a document that is not as the journal would write it.
type memoryFile struct {
	path string
	text []byte
	ours bool // a file of this name is in the journal
}

// memoryFiles reads the documents, by folder, leaving out those that are as they
// should be.
func memoryFiles(p *projects.Project, m Memory) map[string][]memoryFile {
	want, out := m.files(), map[string][]memoryFile{}
	var paths []string
	for _, dir := range []string{DecisionsDir, NotesDir} {
		names, err := p.List(dir)
		if err != nil {
			continue // the doctor tells it, and whoever writes there
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".md") {
				paths = append(paths, dir+"/"+name)
			}
		}
	}
	for _, name := range append(paths, RisksFile) {
		b, ok, err := p.Read(name)
		if err != nil {
			continue
		}
		text, ours := want[name]
		if ok && !(ours && SameText(b, text)) {
			out[path.Dir(name)] = append(out[path.Dir(name)], memoryFile{name, ToLF(b), ours})
		}
	}
	return out
}

// ToLF undoes what a checkout with other line ends did.
func ToLF(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// SameText tells whether a file has the text b, whatever its line ends are.
func SameText(a, b []byte) bool { return bytes.Equal(ToLF(a), b) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// fact adds a fact that comes from a file.
func (e *memoryEdits) fact(typ kedge.EventType, v any) error {
	ev, err := kedge.NewEvent(typ, e.by, v)
	if err == nil {
		e.facts = append(e.facts, ev)
	}
	return err
}

// withdrawals takes over what another clone took back, before anything else: what
// was decided there after it may contradict what no longer holds. It gives the
// decisions as they are then.
func (e *memoryEdits) withdrawals(m Memory, files []memoryFile) ([]kedge.Decision, error) {
	all := slices.Clone(m.Decisions)
	for _, f := range files {
		d, err := docs.ParseDecision(f.path, f.text)
		i := slices.IndexFunc(all, func(o kedge.Decision) bool { return o.ID == d.ID })
		if err != nil || i < 0 || !f.ours || !takesBack(d, all[i]) {
			continue
		}
		if !e.take(f.path, plan.Restored, "the withdrawal of "+string(d.ID)+": "+docs.OneLine(d.Withdrawn)) {
			continue
		}
		all[i] = d
		if err := e.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: d, Reason: d.Reason}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// takesBack tells whether d is the locked decision as it is when a person
// withdrew it, and nothing else.
func takesBack(d, locked kedge.Decision) bool {
	if d.Withdrawn == "" || locked.Status != kedge.DecisionLocked {
		return false
	}
	locked.Status, locked.Withdrawn = d.Status, d.Withdrawn
	return sameDecision(d, locked)
}

// decisionEdits takes over decisions of another clone, oldest first, and puts
// back the ones that were changed here.
func (e *memoryEdits) decisionEdits(m Memory, files []memoryFile) error {
	all, err := e.withdrawals(m, files)
	if err != nil {
		return err
	}
	for _, f := range files {
		d, err := docs.ParseDecision(f.path, f.text)
		_, there := m.Decision(d.ID)
		switch {
		case err != nil && f.ours:
			e.report(f.path, plan.Restored, err.Error())
		case err != nil:
			e.report(f.path, plan.Refused, err.Error())
		case there || f.ours:
		case e.takeDecision(f, d, all):
			all = append(all, d)
			if err := e.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: d, Reason: d.Reason}); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		d, err := docs.ParseDecision(f.path, f.text)
		if err == nil {
			e.compareDecision(f, d, Memory{Decisions: all}, m)
		}
	}
	return nil
}

// takeDecision says whether a decision that the journal does not have can be
// taken over beside the others.
func (e *memoryEdits) takeDecision(f memoryFile, d kedge.Decision, others []kedge.Decision) bool {
	if slices.ContainsFunc(others, func(o kedge.Decision) bool { return o.ID == d.ID }) {
		e.report(f.path, plan.Refused, "a second file for "+string(d.ID))
		return false
	}
	if c := docs.Conflicts(others, d); len(c) > 0 {
		e.report(f.path, plan.Refused, "it contradicts "+string(c[0].ID)+", which is locked and which it does not supersede")
		return false
	}
	return e.takeNew(f.path, plan.Refused, "a decision: "+d.Title)
}

// compareDecision reports a change of a decision that the journal has. One that
// was superseded since, here or by a decision taken over just now, is no change.
func (e *memoryEdits) compareDecision(f memoryFile, d kedge.Decision, now, before Memory) {
	want, there := now.Decision(d.ID)
	if _, known := before.Decision(d.ID); !known {
		there = false
	}
	if !there && !f.ours || takesBack(d, want) {
		return // taken over, or refused
	}
	replaced := slices.ContainsFunc(now.Decisions, func(o kedge.Decision) bool { return o.Supersedes == d.ID })
	if there && replaced && d.Status != want.Status {
		want.Status = d.Status
	}
	switch {
	case there && sameDecision(d, want):
	case f.ours:
		e.report(f.path, plan.Restored, "a locked decision was changed by hand; kedge decide --supersedes makes a new one")
	default:
		e.report(f.path, plan.Refused, "a changed copy of "+string(d.ID))
	}
}

func sameDecision(a, b kedge.Decision) bool {
	return bytes.Equal(docs.WriteDecision(a), docs.WriteDecision(b))
}

// noteEdits takes over notes of another clone and what people changed in one, as
// long as they still teach something.
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

// riskEdits takes over risks of another clone, and closings with a reason.
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
				e.report(f.path, plan.Restored, "open risk "+string(r.ID)+" was taken out")
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

// progressEdits reports generated lines that were changed. People's paragraphs
// are not edits: they are kept.
func (e *memoryEdits) progressEdits(ctx context.Context, p *projects.Project, m Memory) error {
	b, ok, err := p.Read(ProgressFile)
	if err != nil || !ok {
		return nil //nolint:nilerr // likewise
	}
	l, err := ReadLedger(ctx, p)
	if err != nil {
		return err
	}
	if lines := docs.ProgressEdits(b, m.facts(l, nil)); len(lines) > 0 {
		e.report(ProgressFile, plan.Reset, "generated lines were changed: "+strings.Join(lines[:min(len(lines), shownEdits)], "; "))
	}
	return nil
}

// removeCopies takes away documents under another name than theirs that say
// exactly what the journal says: what a changed title leaves behind.
func removeCopies(p *projects.Project, m Memory, want map[string][]byte) error {
	for _, dir := range []string{DecisionsDir, NotesDir} {
		names, err := p.List(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			file := dir + "/" + name
			if _, ours := want[file]; ours {
				continue
			}
			b, _, err := p.Read(file)
			if err != nil {
				return err
			}
			if m.isCopy(file, ToLF(b)) {
				if err := p.Remove(file); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m Memory) isCopy(file string, b []byte) bool {
	if d, err := docs.ParseDecision(file, b); err == nil {
		want, ok := m.Decision(d.ID)
		return ok && sameDecision(d, want)
	}
	n, err := docs.ParseNote(file, b)
	want, ok := m.Note(n.ID)
	return err == nil && ok && reflect.DeepEqual(n, want)
}
