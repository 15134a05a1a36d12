package ledger

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/scaffold"
	"kedge/internal/journal"
)

// Projection is a file below .kedge that Kedge writes from the journal. Removing the
// file loses nothing as long as Ours is true of its text: the journal has all of it.
type Projection struct {
	Path string
	Ours func(text string) bool
	Was  func(text string) bool // likewise of a text that git keeps
}

// Projections gives the projections that exist, including the files of init.
func (s *Ledger) Projections(ctx context.Context, p *projects.Project) ([]Projection, error) {
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	written := s.Projected(p)
	known := func(text string) bool { return written[projects.Sum(ToLF([]byte(text)))] }
	want := m.files()
	want[FeaturesFile] = plan.WriteFeatures(l.File(p))
	if l.Plan != nil {
		want[PlanFile] = l.PlanText()
	}
	paths, err := memoryPaths(p)
	if err != nil {
		return nil, err
	}
	var out []Projection
	facts, err := contextFacts(ctx, p, m, l)
	if err != nil {
		return nil, err
	}
	fromLedger := func(text string) bool { return len(docs.ContextWords(ToLF([]byte(text)), facts)) == 0 }
	out = append(out, Projection{ContextFile, fromLedger, fromLedger})
	for _, path := range append(paths, FeaturesFile, PlanFile, RisksFile) {
		ours := func(text string) bool { return known(text) || want[path] != nil && SameText([]byte(text), want[path]) }
		out = append(out, Projection{path, ours, ours})
	}
	progress, err := progressProjection(ctx, p, m.facts(l, nil), known)
	places := []Projection{
		progress,
		placeProjection(ctx, p, CheckpointFile, journal.KindCheckpoint, checkpointID, brief.WriteCheckpoint),
		placeProjection(ctx, p, HandoffFile, journal.KindHandoff, handoffID, brief.WriteHandoff),
	}
	return append(out, places...), err
}

// memoryPaths gives the documents in the folders of memory.
func memoryPaths(p *projects.Project) ([]string, error) {
	var out []string
	for _, dir := range []string{DecisionsDir, NotesDir} {
		names, err := p.List(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			out = append(out, dir+"/"+name)
		}
	}
	return out, nil
}

// progressProjection is for progress.md, which may contain your paragraphs. The file is
// Kedge's only if writing it again, with the whole log, gives nothing but generated
// text.
func progressProjection(ctx context.Context, p *projects.Project, facts docs.Facts, known func(string) bool) (Projection, error) {
	var err error
	facts.Log, err = missingLog(ctx, p, "")
	want := docs.WriteProgress(nil, facts)
	ours := func(text string) bool {
		return SameText([]byte(text), want) || known(text) && SameText(docs.WriteProgress(ToLF([]byte(text)), facts), want)
	}
	return Projection{scaffold.ProgressFile, ours, known}, err
}

// placeProjection is for a checkpoint or handoff. The file is Kedge's if it equals the
// journal and has no notes that you wrote below.
func placeProjection[T any](ctx context.Context, p *projects.Project, path string, kind journal.Kind, idOf func([]byte) (kedge.CheckpointID, bool), write func(T) ([]byte, error)) Projection {
	ours := func(text string) bool {
		b := ToLF([]byte(text))
		id, ok := idOf(b)
		if !ok {
			return false
		}
		v, ok, err := journal.Get[T](ctx, p.Store, kind, string(id))
		if err != nil || !ok {
			return false
		}
		want, err := write(v)
		return err == nil && slices.Equal(b, want)
	}
	return Projection{path, ours, ours}
}

func checkpointID(b []byte) (kedge.CheckpointID, bool) {
	c, err := brief.ParseCheckpoint(CheckpointFile, b)
	return c.ID, err == nil && c.HumanNotes == ""
}

func handoffID(b []byte) (kedge.CheckpointID, bool) {
	h, err := brief.ParseHandoff(HandoffFile, b)
	return h.ID, err == nil && h.HumanNotes == ""
}
