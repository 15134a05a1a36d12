package ledger

import (
	"bytes"
	"context"
	"path"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/scaffold"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// The latest checkpoint and handoff, in the project's folder.
const (
	CheckpointFile = kedge.CheckpointFile
	HandoffFile    = kedge.HandoffFile
)

// SyncFiles writes all files from the journal, and reports those that it could not
// write.
func (s *Ledger) SyncFiles(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	if p.RunSession != nil {
		return nil, nil
	}
	s.sweep(p)
	p = s.AsCheckedOut(ctx, p)
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	var u failures
	s.writeList(p, l, &u)
	if err := s.writeMemory(ctx, p, l, &u); err != nil {
		return nil, err
	}
	err = s.syncPlace(ctx, p, &u)
	return u.findings, err
}

// writeList writes the feature list and the plan from the journal.
func (s *Ledger) writeList(p *projects.Project, l Snapshot, u *failures) {
	if len(l.Docs) > 0 {
		u.add(FeaturesFile, s.ReplaceFile(p, FeaturesFile, plan.WriteFeatures(l.File(p))))
	}
	if main := git.MainFolder(p.Dir); l.Open != nil && main != "" && main != p.Dir {
		return // a draft is for people to read, in their checkout: nothing of it is committed by a run
	}
	if text, ok := s.UnwrittenPlan(p, l); ok {
		u.add(PlanFile, s.ReplaceFile(p, PlanFile, text))
		return
	}
	if l.Plan == nil || l.Open != nil {
		return
	}
	b, ok, err := p.Read(PlanFile)
	if err == nil && ok && l.IsDraft(b) && !l.replaceable(b, s.Projected(p)) {
		return // somebody's next one
	}
	u.add(PlanFile, s.ReplaceFile(p, PlanFile, l.PlanText()))
}

// WriteLatest writes checkpoint.md and handoff.md from the journal. It holds the
// project's lock, so that of two saves the later one stays.
func (s *Ledger) WriteLatest(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	if s.home.RefuseNotSetUp(ctx, p) != nil {
		return nil, nil
	}
	p.Writing.Lock()
	defer p.Writing.Unlock()
	var u failures
	p = s.AsCheckedOut(ctx, p)
	err := eachPlace(ctx, p, func(name string, text []byte) { u.add(name, s.WriteFile(p, name, text)) })
	return u.findings, err
}

// SyncToCommit writes all files from the journal before a commit. A file that cannot be
// written is an error.
func (s *Ledger) SyncToCommit(ctx context.Context, p *projects.Project) error {
	left, err := s.SyncFiles(ctx, p)
	if err != nil {
		return err
	}
	more, err := s.WriteLatest(ctx, p)
	if err != nil {
		return err
	}
	for _, f := range MergeWarnings(left, more) {
		return kedge.Errorf(kedge.Internal, "%s: %s", f.Where, f.What).WithHint("%s", f.Fix)
	}
	return nil
}

// eachPlace calls do with name and text of the latest checkpoint and of the latest
// handoff.
func eachPlace(ctx context.Context, p *projects.Project, do func(name string, text []byte)) error {
	c, err := projects.Latest[kedge.Checkpoint](ctx, p, journal.KindCheckpoint)
	if err != nil {
		return err
	}
	if c != nil {
		text, err := brief.WriteCheckpoint(*c)
		if err != nil {
			return err
		}
		do(CheckpointFile, text)
	}
	h, err := projects.Latest[kedge.Handoff](ctx, p, journal.KindHandoff)
	if err != nil || h == nil {
		return err
	}
	text, err := brief.WriteHandoff(*h)
	if err == nil {
		do(HandoffFile, text)
	}
	return err
}

// syncPlace writes a checkpoint or handoff that a crash kept from its file.
func (s *Ledger) syncPlace(ctx context.Context, p *projects.Project, u *failures) error {
	known := s.Projected(p)
	return eachPlace(ctx, p, func(name string, text []byte) {
		if neverWritten(p, name, text, known) {
			u.add(name, s.WriteFile(p, name, text))
		}
	})
}

// neverWritten tells whether Kedge never wrote this text of a file, and the file is
// missing or has another text of Kedge's. Any other file differs because somebody
// checked out another commit, or edited it.
func neverWritten(p *projects.Project, name string, text []byte, known map[string]bool) bool {
	if known[projects.Sum(text)] {
		return false
	}
	old, ok, err := p.Read(name)
	return err == nil && !bytes.Equal(old, text) && (!ok || known[projects.Sum(old)])
}

// SyncUnwritten writes the files that a crash, or a read-only folder, kept from being
// written. It leaves files alone that anybody else changed.
func (s *Ledger) SyncUnwritten(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	s.sweep(p)
	if _, ok, err := p.Read(scaffold.ConfigFile); err != nil || !ok {
		return nil, nil // Kedge was taken out of this folder, or is not to be read there
	}
	p = s.AsCheckedOut(ctx, p)
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	want := m.files()
	if len(l.Docs) > 0 {
		want[FeaturesFile] = plan.WriteFeatures(l.File(p))
	}
	switch {
	case l.Open != nil:
		want[PlanFile] = []byte(l.Open.Text)
	case l.Plan != nil:
		want[PlanFile] = l.PlanText()
	}
	if old, ok, err := p.Read(ProgressFile); err == nil && ok {
		log, err := s.logFor(ctx, p, old)
		if err != nil {
			return nil, err
		}
		want[ProgressFile] = docs.WriteProgress(old, m.facts(l, log))
	}
	if _, text, ok, err := contextText(ctx, p, m, l); err == nil && ok {
		want[ContextFile] = text
	}
	var u failures
	known := s.Projected(p)
	for _, name := range sortedKeys(want) {
		if neverWritten(p, name, want[name], known) {
			u.add(name, s.WriteFile(p, name, want[name]))
		}
	}
	err = s.syncPlace(ctx, p, &u)
	return u.findings, err
}

// SyncAll runs SyncUnwritten for every project, when the daemon starts. It logs the
// projects where that fails.
func (s *Ledger) SyncAll(ctx context.Context) error {
	ps, err := s.home.AllOfSessions(ctx, projects.Caller{}, true)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if left, err := s.syncKnown(ctx, p); (err != nil || len(left) > 0) && ctx.Err() == nil {
			s.home.Log.Warn("Kedge could not write all its files in the folder of a project", "project", string(p.ID), "files", len(left))
		}
	}
	return nil
}

// syncKnown runs SyncUnwritten in the folder where a project was last written to.
func (s *Ledger) syncKnown(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	known, err := projects.Known(ctx, p.Store, p.ID)
	if err != nil || known.Dir == "" || !git.IsProject(known.Dir, p.ID) {
		return nil, err
	}
	there, err := s.home.Open(ctx, projects.Caller{Dir: known.Dir})
	if err != nil || s.home.NotSetUp(ctx, there) {
		return nil, err
	}
	return s.SyncUnwritten(ctx, there)
}

// sweep removes temporary files that killed writers left beside Kedge's files.
func (s *Ledger) sweep(p *projects.Project) {
	s.home.Sweep(p, ".", path.Dir(FeaturesFile), DecisionsDir, NotesDir)
}
