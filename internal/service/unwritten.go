package service

import (
	"bytes"
	"context"
	"slices"

	"kedge"
	"kedge/internal/brief"
	docs "kedge/internal/ledger"
	"kedge/internal/plan"
	"kedge/internal/setup"
	"kedge/internal/store"
)

// Aside is what a writing command has to tell beside its answer. Edits are hand
// edits that were found and answered on the way; Warnings are files that could
// not be brought up to the journal, which has everything all the same.
type Aside struct {
	Edits    []kedge.HandEditData `json:"edits,omitempty"`
	Warnings []kedge.Finding      `json:"warnings,omitempty"`
}

// without tells whether a file is among those that could not be written.
func (a Aside) without(name string) bool {
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

// projectLedger brings the files that Kedge writes up to the journal, and says
// which it could not.
func (s *Service) projectLedger(ctx context.Context, p *project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	s.sweep(p)
	p = s.atRest(ctx, p)
	l, err := readLedger(ctx, p)
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
func (s *Service) writeProjections(p *project, l ledger, u *unwritten) {
	if len(l.docs) > 0 {
		u.note(featuresFile, s.replaceProjected(p, featuresFile, plan.WriteFeatures(l.file(p))))
	}
	if l.plan == nil {
		return
	}
	b, ok, err := p.Read(planFile)
	if err == nil && ok && l.isDraft(b) {
		return
	}
	u.note(planFile, s.replaceProjected(p, planFile, l.planText()))
}

// putLatest writes checkpoint.md and handoff.md as the journal has them. It
// holds the project's lock, so that of two saves the later one stays.
func (s *Service) putLatest(ctx context.Context, p *project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	var u unwritten
	p = s.atRest(ctx, p)
	err := eachPlace(ctx, p, func(name string, text []byte) { u.note(name, s.putProjected(p, name, text)) })
	return u.findings, err
}

// projectWhole is projectLedger and putLatest where the files are to be committed:
// one that cannot be written is an error.
func (s *Service) projectWhole(ctx context.Context, p *project) error {
	left, err := s.projectLedger(ctx, p)
	if err != nil {
		return err
	}
	more, err := s.putLatest(ctx, p)
	if err != nil {
		return err
	}
	for _, f := range withLatest(left, more) {
		return kedge.Errorf(kedge.Internal, "%s: %s", f.Where, f.What).WithHint("%s", f.Fix)
	}
	return nil
}

// withLatest adds what putLatest could not write; what it could is no longer
// behind.
func withLatest(warnings, left []kedge.Finding) []kedge.Finding {
	warnings = slices.DeleteFunc(warnings, func(f kedge.Finding) bool { return f.Where == checkpointFile || f.Where == handoffFile })
	return append(warnings, left...)
}

// eachPlace gives the latest checkpoint and handoff as their files.
func eachPlace(ctx context.Context, p *project, do func(name string, text []byte)) error {
	c, err := latest[kedge.Checkpoint](ctx, p, store.KindCheckpoint)
	if err != nil {
		return err
	}
	if c != nil {
		text, err := brief.WriteCheckpoint(*c)
		if err != nil {
			return err
		}
		do(checkpointFile, text)
	}
	h, err := latest[kedge.Handoff](ctx, p, store.KindHandoff)
	if err != nil || h == nil {
		return err
	}
	text, err := brief.WriteHandoff(*h)
	if err == nil {
		do(handoffFile, text)
	}
	return err
}

// bringUpPlace writes a checkpoint or handoff that a crash kept from its file.
func (s *Service) bringUpPlace(ctx context.Context, p *project, u *unwritten) error {
	known := s.projected(p)
	return eachPlace(ctx, p, func(name string, text []byte) {
		if neverWritten(p, name, text, known) {
			u.note(name, s.putProjected(p, name, text))
		}
	})
}

// neverWritten tells whether Kedge never wrote this text of a file, and what
// stands in its place is its own or nothing. Other files differ because somebody
// checked another commit out, or wrote into them.
func neverWritten(p *project, name string, text []byte, known map[string]bool) bool {
	if known[sum(text)] {
		return false
	}
	old, ok, err := p.Read(name)
	return err == nil && !bytes.Equal(old, text) && (!ok || known[sum(old)])
}

// bringUp writes what a crash, or a folder that could not be written to, kept
// from its file. It touches no file that anybody else changed.
func (s *Service) bringUp(ctx context.Context, p *project) ([]kedge.Finding, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	s.sweep(p)
	if _, ok, err := p.Read(setup.ConfigFile); err != nil || !ok {
		return nil, nil // Kedge was taken out of this folder, or is not to be read there
	}
	p = s.atRest(ctx, p)
	l, err := readLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	m, err := readMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	want := m.files()
	if len(l.docs) > 0 {
		want[featuresFile] = plan.WriteFeatures(l.file(p))
	}
	if l.plan != nil {
		want[planFile] = l.planText()
	}
	if old, ok, err := p.Read(progressFile); err == nil && ok {
		log, err := missingLog(ctx, p, string(old))
		if err != nil {
			return nil, err
		}
		want[progressFile] = docs.WriteProgress(old, m.facts(l, log))
	}
	var u unwritten
	known := s.projected(p)
	for _, name := range sortedKeys(want) {
		if neverWritten(p, name, want[name], known) {
			u.note(name, s.putProjected(p, name, want[name]))
		}
	}
	err = s.bringUpPlace(ctx, p, &u)
	return u.findings, err
}

// BringUp does for every project what the daemon before this one could not: see
// bringUp. What it cannot do either is logged.
func (s *Service) BringUp(ctx context.Context) error {
	ps, err := s.sessionProjects(ctx, Caller{}, true)
	if err != nil {
		return err
	}
	for _, p := range ps {
		if left, err := s.bringUpKnown(ctx, p); (err != nil || len(left) > 0) && ctx.Err() == nil {
			s.cfg.Log.Warn("files of a project are behind its journal", "project", string(p.ID), "files", len(left))
		}
	}
	return nil
}

// BringUpSoon is BringUp beside everything else, for a daemon that starts.
func (s *Service) BringUpSoon() {
	s.watching.Go(func() {
		if err := s.BringUp(s.watch); err != nil && s.watch.Err() == nil {
			s.cfg.Log.Error("no files were brought up to their journals", "error", err.Error())
		}
	})
}

// bringUpKnown is bringUp for a project where it was last written to.
func (s *Service) bringUpKnown(ctx context.Context, p *project) ([]kedge.Finding, error) {
	known, err := readProject(ctx, p.Store, p.ID)
	if err != nil || known.Dir == "" || !isProject(known.Dir, p.ID) {
		return nil, err
	}
	there, err := s.project(ctx, Caller{Dir: known.Dir})
	if err != nil {
		return nil, err
	}
	return s.bringUp(ctx, there)
}

// checkUnwritten brings up what it can, and tells the rest.
func (s *Service) checkUnwritten(ctx context.Context, p *project) []kedge.Finding {
	if p.Store == nil || s.cfg.ReadOnly {
		return nil
	}
	found, err := s.bringUp(ctx, p)
	if err != nil {
		found = append(found, finding(p.Dir, err))
	}
	return found
}
