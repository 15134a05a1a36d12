package service

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/brief"
	docs "kedge/internal/ledger"
	"kedge/internal/plan"
	"kedge/internal/setup"
	"kedge/internal/store"
)

// projection is a file under .kedge/ that Kedge writes from the journal. Taking
// it away loses nothing as long as ours is true of its text: the journal says
// all of it.
type projection struct {
	path string
	ours func(text string) bool
	was  func(text string) bool // likewise of a text that git keeps
}

// projections gives those that are there, init's own files included.
func (s *Service) projections(ctx context.Context, p *project) ([]projection, error) {
	l, err := readLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	m, err := readMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	written := s.projected(p)
	known := func(text string) bool { return written[sum(toLF([]byte(text)))] }
	want := m.files()
	want[featuresFile] = plan.WriteFeatures(l.file(p))
	if l.plan != nil {
		want[planFile] = l.planText()
	}
	paths, err := memoryPaths(p)
	if err != nil {
		return nil, err
	}
	var out []projection
	for _, path := range append(paths, featuresFile, planFile, risksFile) {
		ours := func(text string) bool { return known(text) || want[path] != nil && sameText([]byte(text), want[path]) }
		out = append(out, projection{path, ours, ours})
	}
	progress, err := progressProjection(ctx, p, m.facts(l, nil), known)
	places := []projection{
		progress,
		placeProjection(ctx, p, checkpointFile, store.KindCheckpoint, checkpointID, brief.WriteCheckpoint),
		placeProjection(ctx, p, handoffFile, store.KindHandoff, handoffID, brief.WriteHandoff),
	}
	return append(out, places...), err
}

// memoryPaths are the documents in the folders of memory.
func memoryPaths(p *project) ([]string, error) {
	var out []string
	for _, dir := range []string{decisionsDir, notesDir} {
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
// text keeps people's paragraphs, so that having written it is not enough.
func progressProjection(ctx context.Context, p *project, facts docs.Facts, known func(string) bool) (projection, error) {
	var err error
	facts.Log, err = missingLog(ctx, p, "")
	want := docs.WriteProgress(nil, facts)
	ours := func(text string) bool { return sameText([]byte(text), want) }
	return projection{setup.ProgressFile, ours, known}, err
}

// placeProjection holds for a checkpoint or handoff of the journal without words
// of people's below it.
func placeProjection[T any](ctx context.Context, p *project, path string, kind store.Kind, idOf func([]byte) (kedge.CheckpointID, bool), write func(T) ([]byte, error)) projection {
	ours := func(text string) bool {
		b := toLF([]byte(text))
		id, ok := idOf(b)
		if !ok {
			return false
		}
		v, ok, err := store.Get[T](ctx, p.Store, kind, string(id))
		if err != nil || !ok {
			return false
		}
		want, err := write(v)
		return err == nil && slices.Equal(b, want)
	}
	return projection{path, ours, ours}
}

func checkpointID(b []byte) (kedge.CheckpointID, bool) {
	c, err := brief.ParseCheckpoint(checkpointFile, b)
	return c.ID, err == nil && c.HumanNotes == ""
}

func handoffID(b []byte) (kedge.CheckpointID, bool) {
	h, err := brief.ParseHandoff(handoffFile, b)
	return h.ID, err == nil && h.HumanNotes == ""
}
