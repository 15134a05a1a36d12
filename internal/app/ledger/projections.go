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

// Projection is a file under .kedge/ that Kedge writes from the journal. Taking
// it away loses nothing as long as ours is true of its text: the journal says
// all of it.
type Projection struct {
	Path string
	Ours func(text string) bool
	Was  func(text string) bool // likewise of a text that git keeps
}

// Projections gives those that are there, init's own files included.
func (s *Book) Projections(ctx context.Context, p *projects.Project) ([]Projection, error) {
	l, err := ReadLedger(ctx, p)
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

// memoryPaths are the documents in the folders of memory.
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

// progressProjection holds for a progress.md in which nobody wrote: Kedge's own
// text keeps people's paragraphs, so that having written it is not enough. One that is
// behind the journal, as while a run keeps its own, becomes the whole with nothing more.
func progressProjection(ctx context.Context, p *projects.Project, facts docs.Facts, known func(string) bool) (Projection, error) {
	var err error
	facts.Log, err = missingLog(ctx, p, "")
	want := docs.WriteProgress(nil, facts)
	ours := func(text string) bool {
		return SameText([]byte(text), want) || known(text) && SameText(docs.WriteProgress(ToLF([]byte(text)), facts), want)
	}
	return Projection{scaffold.ProgressFile, ours, known}, err
}

// placeProjection holds for a checkpoint or handoff of the journal without words
// of people's below it.
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
