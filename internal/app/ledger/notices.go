package ledger

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
)

// Notices is what a writing command reports beside its answer: hand edits that were
// found and answered, files that could not be written although the journal has their
// content, and files that the checkout gets later.
type Notices struct {
	Edits    []kedge.HandEditData `json:"edits,omitempty"`
	Warnings []kedge.Finding      `json:"warnings,omitempty"`
	Unlanded []UnlandedFile       `json:"held,omitempty"`
}

// UnlandedFile is a file that the checkout gets only when the work of a run lands. Show
// is a command that prints the content that the run has, if the run has it.
type UnlandedFile struct {
	Path string `json:"path"`
	Show string `json:"show,omitempty"`
}

// Unlanded lists a file if the checkout gets its text only when the work of a run lands.
func (s *Ledger) Unlanded(ctx context.Context, p *projects.Project, name string, text []byte) []UnlandedFile {
	if p.RunSession != nil {
		return []UnlandedFile{{Path: name}}
	}
	p = s.AsCheckedOut(ctx, p)
	if p.Still == nil {
		return nil
	}
	if b, ok, err := p.Read(name); err != nil || ok && SameText(b, text) {
		return nil
	}
	return []UnlandedFile{{Path: name, Show: p.Ahead(name, text)}}
}

// Unwritten tells whether a file could not be written.
func (a Notices) Unwritten(name string) bool {
	for _, f := range a.Warnings {
		if f.Where == name {
			return true
		}
	}
	return false
}

// failures collects the files that could not be written. The facts are in the journal
// already, so nothing is undone; the next command that writes tries again.
type failures struct{ findings []kedge.Finding }

func (u *failures) add(name string, err error) {
	if err == nil {
		return
	}
	fix := "write the file now: kedge rebuild; otherwise the next command that changes something writes it"
	if hint := kedge.HintOf(err); hint != "" {
		fix = hint + "; then: kedge rebuild"
	}
	u.findings = append(u.findings, kedge.Finding{
		Level: kedge.LevelWarning, What: "saved in the journal, but the file could not be written: " + err.Error(), Where: name, Fix: fix,
	})
}

// MergeWarnings replaces the warnings about checkpoint and handoff with those of
// WriteLatest, which wrote them last.
func MergeWarnings(warnings, left []kedge.Finding) []kedge.Finding {
	warnings = slices.DeleteFunc(warnings, func(f kedge.Finding) bool { return f.Where == CheckpointFile || f.Where == HandoffFile })
	return append(warnings, left...)
}
