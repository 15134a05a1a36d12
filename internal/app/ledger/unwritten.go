package ledger

import (
	"bytes"
	"context"
	"path"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/scaffold"
	"kedge/internal/git/place"
	"kedge/internal/journal"
)

// The latest checkpoint and handoff, in the project's folder.
const (
	CheckpointFile = ".kedge/checkpoint.md"
	HandoffFile    = ".kedge/handoff.md"
)

// Aside is what a writing command has to tell beside its answer. Edits are hand
// edits that were found and answered on the way; Warnings are files that could
// not be brought up to the journal, which has everything all the same.
type Aside struct {
	Edits    []kedge.HandEditData `json:"edits,omitempty"`
	Warnings []kedge.Finding      `json:"warnings,omitempty"`
	Held     []HeldFile           `json:"held,omitempty"`
}

// HeldFile is a file that is not in the checkout as the journal has it before the
// work of a run has landed there. Show is the command that shows it as the run has
// it, where it does.
type HeldFile struct {
	Path string `json:"path"`
	Show string `json:"show,omitempty"`
}

// Held tells of a file whether it is held back, in a list that has it then.
func (s *Book) Held(ctx context.Context, p *projects.Project, name string, text []byte) []HeldFile {
	if p.Driven != nil {
		return []HeldFile{{Path: name}}
	}
	p = s.AtRest(ctx, p)
	if p.Still == nil {
		return nil
	}
	if b, ok, err := p.Read(name); err != nil || ok && SameText(b, text) {
		return nil
	}
	return []HeldFile{{Path: name, Show: p.Ahead(name, text)}}
}

// Without tells whether a file is among those that could not be written.
func (a Aside) Without(name string) bool {
	for _, f := range a.Warnings {
		if f.Where == name {
			return true
		}
	}
	return false
}

// unwritten gathers what became of files that follow the journal. What was
// acknowledged is on disk already: a file that cannot be written takes nothing
// back, and the next command that writes tries it again.
type unwritten struct{ findings []kedge.Finding }

func (u *unwritten) note(name string, err error) {
	if err == nil {
		return
	}
	fix := "kedge rebuild writes it, and so does the next command that writes"
	if hint := kedge.HintOf(err); hint != "" {
		fix = hint + "; then: kedge rebuild"
	}
	u.findings = append(u.findings, kedge.Finding{
		Level: kedge.LevelWarning, What: "it is saved, but the file could not be brought up to it: " + err.Error(), Where: name, Fix: fix,
	})
}

// BringFilesUp brings the files that Kedge writes up to the journal, and says
// which it could not.
func (s *Book) BringFilesUp(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	if p.Driven != nil {
		return nil, nil
	}
	s.sweep(p)
	p = s.AtRest(ctx, p)
	l, err := ReadLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	var u unwritten
	s.writeProjections(p, l, &u)
	if err := s.writeMemory(ctx, p, l, &u); err != nil {
		return nil, err
	}
	err = s.bringUpPlace(ctx, p, &u)
	return u.findings, err
}

// writeProjections brings the feature list and the plan up to the journal.
func (s *Book) writeProjections(p *projects.Project, l Ledger, u *unwritten) {
	if len(l.Docs) > 0 {
		u.note(FeaturesFile, s.ReplaceProjected(p, FeaturesFile, plan.WriteFeatures(l.File(p))))
	}
	if main := place.MainFolder(p.Dir); l.Open != nil && main != "" && main != p.Dir {
		return // a draft is for people to read, in their checkout: nothing of it is committed by a run
	}
	if text, ok := s.OpenText(p, l); ok {
		u.note(PlanFile, s.ReplaceProjected(p, PlanFile, text))
		return
	}
	if l.Plan == nil || l.Open != nil {
		return
	}
	b, ok, err := p.Read(PlanFile)
	if err == nil && ok && l.IsDraft(b) && !l.givesWay(b, s.Projected(p)) {
		return // somebody's next one
	}
	u.note(PlanFile, s.ReplaceProjected(p, PlanFile, l.PlanText()))
}

// PutLatest writes checkpoint.md and handoff.md as the journal has them. It
// holds the project's lock, so that of two saves the later one stays.
func (s *Book) PutLatest(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	var u unwritten
	p = s.AtRest(ctx, p)
	err := eachPlace(ctx, p, func(name string, text []byte) { u.note(name, s.PutProjected(p, name, text)) })
	return u.findings, err
}

// BringAllUp is BringFilesUp and PutLatest where the files are to be committed:
// one that cannot be written is an error.
func (s *Book) BringAllUp(ctx context.Context, p *projects.Project) error {
	left, err := s.BringFilesUp(ctx, p)
	if err != nil {
		return err
	}
	more, err := s.PutLatest(ctx, p)
	if err != nil {
		return err
	}
	for _, f := range WithLatest(left, more) {
		return kedge.Errorf(kedge.Internal, "%s: %s", f.Where, f.What).WithHint("%s", f.Fix)
	}
	return nil
}

// WithLatest adds what PutLatest could not write; what it could is no longer
// behind.
func WithLatest(warnings, left []kedge.Finding) []kedge.Finding {
	warnings = slices.DeleteFunc(warnings, func(f kedge.Finding) bool { return f.Where == CheckpointFile || f.Where == HandoffFile })
	return append(warnings, left...)
}

// eachPlace gives the latest checkpoint and handoff as their files.
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

// bringUpPlace writes a checkpoint or handoff that a crash kept from its file.
func (s *Book) bringUpPlace(ctx context.Context, p *projects.Project, u *unwritten) error {
	known := s.Projected(p)
	return eachPlace(ctx, p, func(name string, text []byte) {
		if neverWritten(p, name, text, known) {
			u.note(name, s.PutProjected(p, name, text))
		}
	})
}

// neverWritten tells whether Kedge never wrote this text of a file, and what
// stands in its place is its own or nothing. Other files differ because somebody
// checked another commit out, or wrote into them.
func neverWritten(p *projects.Project, name string, text []byte, known map[string]bool) bool {
	if known[projects.Sum(text)] {
		return false
	}
	old, ok, err := p.Read(name)
	return err == nil && !bytes.Equal(old, text) && (!ok || known[projects.Sum(old)])
}

// BringUpHere writes what a crash, or a folder that could not be written to, kept
// from its file. It touches no file that anybody else changed.
func (s *Book) BringUpHere(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	s.sweep(p)
	if _, ok, err := p.Read(scaffold.ConfigFile); err != nil || !ok {
		return nil, nil // Kedge was taken out of this folder, or is not to be read there
	}
	p = s.AtRest(ctx, p)
	l, err := ReadLedger(ctx, p)
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
		log, err := missingLog(ctx, p, string(old))
		if err != nil {
			return nil, err
		}
		want[ProgressFile] = docs.WriteProgress(old, m.facts(l, log))
	}
	var u unwritten
	known := s.Projected(p)
	for _, name := range sortedKeys(want) {
		if neverWritten(p, name, want[name], known) {
			u.note(name, s.PutProjected(p, name, want[name]))
		}
	}
	err = s.bringUpPlace(ctx, p, &u)
	return u.findings, err
}

// BringUp does for every project what the daemon before this one could not: see
// BringUpHere. What it cannot do either is logged.
func (s *Book) BringUp(ctx context.Context) error {
	ps, err := s.home.AllOfSessions(ctx, projects.Caller{}, true)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if left, err := s.bringUpKnown(ctx, p); (err != nil || len(left) > 0) && ctx.Err() == nil {
			s.home.Log.Warn("files of a project are behind its journal", "project", string(p.ID), "files", len(left))
		}
	}
	return nil
}

// bringUpKnown is BringUpHere for a project where it was last written to.
func (s *Book) bringUpKnown(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	known, err := projects.Known(ctx, p.Store, p.ID)
	if err != nil || known.Dir == "" || !place.IsProject(known.Dir, p.ID) {
		return nil, err
	}
	there, err := s.home.Open(ctx, projects.Caller{Dir: known.Dir})
	if err != nil {
		return nil, err
	}
	return s.BringUpHere(ctx, there)
}

// sweep removes what writers that were killed left beside Kedge's files.
func (s *Book) sweep(p *projects.Project) {
	s.home.Sweep(p, ".", path.Dir(FeaturesFile), DecisionsDir, NotesDir)
}
