package ledger

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// ContextFile is the file for a fresh session: objective, constraints, decided against.
const ContextFile = kedge.ContextFile

// kept is the action on an edit that stays in the file as it is and is not imported.
const kept = "kept"

// Objective gives what the work is for: the objective that you set, or the title of the
// approved plan, if it is newer and not done. It is empty when there is neither.
func Objective(ctx context.Context, p *projects.Project, l Snapshot) (string, error) {
	all, err := projects.All[kedge.Objective](ctx, p, journal.KindObjective)
	return currentObjective(all, l), err
}

func currentObjective(all []kedge.Objective, l Snapshot) string {
	if n := len(all); n > 0 && all[n-1].Plan == l.planID() {
		return all[n-1].Text
	}
	if l.Plan != nil && l.Plan.Status == kedge.PlanApproved {
		return l.Plan.Title
	}
	return ""
}

// planID is the plan that was approved last; empty when none was.
func (l Snapshot) planID() kedge.PlanID {
	if l.Plan == nil {
		return ""
	}
	return l.Plan.ID
}

// contextFacts gives what AGENT_CONTEXT.md is generated from.
func contextFacts(ctx context.Context, p *projects.Project, m Memory, l Snapshot) (docs.ContextFacts, error) {
	set, err := projects.All[kedge.Objective](ctx, p, journal.KindObjective)
	if err != nil {
		return docs.ContextFacts{}, err
	}
	plans, err := projects.All[kedge.PlanData](ctx, p, journal.KindPlan)
	if err != nil {
		return docs.ContextFacts{}, err
	}
	f := docs.ContextFacts{
		Objective: currentObjective(set, l), Decisions: m.Decisions,
		Open: slices.ContainsFunc(l.Docs, func(d journal.FeatureDoc) bool { return !d.Status.Over() }),
	}
	if l.Plan != nil && l.Plan.Status == kedge.PlanApproved {
		f.Invariants = invariants(*l.Plan)
	}
	for _, o := range set {
		f.Earlier = append(f.Earlier, o.Text)
	}
	for _, d := range plans {
		f.Earlier = slices.Concat(f.Earlier, []string{d.Title}, d.Earlier, invariants(d), invariantLines(d))
	}
	f.Earlier = slices.DeleteFunc(f.Earlier, func(s string) bool { return s == "" })
	return f, nil
}

// ContextOf is what the files of a project said because of a plan: when it is amended,
// what is left of it there is not your text.
func ContextOf(d kedge.PlanData) []string {
	out := slices.Concat(d.Earlier, []string{d.Title}, invariants(d), invariantLines(d))
	slices.Sort(out)
	return slices.Compact(out)
}

// invariants are a plan's entries of that name, one line each.
func invariants(d kedge.PlanData) []string {
	doc, err := plan.ParsePlan(PlanFile, []byte(d.Text))
	if err != nil {
		return nil // a draft
	}
	var out []string
	for _, s := range doc.Plan.Invariants {
		text := s.Text
		if s.Check != "" && !strings.Contains(text, s.Check) {
			text += " (check: " + s.Check + ")"
		}
		out = append(out, docs.OneLine(text))
	}
	return out
}

// invariantLines are the lines of that field, as an older Kedge wrote them.
func invariantLines(d kedge.PlanData) []string {
	doc, err := plan.ParsePlan(PlanFile, []byte(d.Text))
	if err != nil {
		return nil // a draft
	}
	var out []string
	for _, f := range doc.Plan.Fields {
		if f.Name != "Invariants" {
			continue
		}
		for line := range strings.SplitSeq(f.Text, "\n") {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*")); line != "" {
				out = append(out, docs.OneLine(line))
			}
		}
	}
	return out
}

// contextText gives the text that AGENT_CONTEXT.md should have; false when the project
// has nothing to write into it.
func contextText(ctx context.Context, p *projects.Project, m Memory, l Snapshot) (old, want []byte, ok bool, err error) {
	old, there, err := p.Read(ContextFile)
	if err != nil {
		return nil, nil, false, err
	}
	f, err := contextFacts(ctx, p, m, l)
	if err != nil || !there && f.Objective == "" && len(l.Docs) == 0 && len(m.Decisions) == 0 {
		return nil, nil, false, err
	}
	return old, docs.WriteContext(old, f), true, nil
}

// writeContext writes AGENT_CONTEXT.md from the journal.
func (s *Ledger) writeContext(ctx context.Context, p *projects.Project, m Memory, l Snapshot, u *failures) error {
	old, want, ok, err := contextText(ctx, p, m, l)
	switch {
	case err != nil:
		u.add(ContextFile, err)
	case ok && !SameText(old, ToLF(want)):
		u.add(ContextFile, s.WriteFile(p, ContextFile, want))
	}
	return nil
}

// contextEdits imports what you wrote into AGENT_CONTEXT.md. What cannot be imported
// stays in the file and is reported once.
func (s *Ledger) contextEdits(ctx context.Context, p *projects.Project, m Memory, e *memoryEdits) error {
	b, ok, err := p.Read(ContextFile)
	if err != nil || !ok {
		return nil //nolint:nilerr // what cannot be read is told when it cannot be written either
	}
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return err
	}
	f, err := contextFacts(ctx, p, m, l)
	if err != nil {
		return err
	}
	f.Decisions = append(slices.Clone(f.Decisions), decisionsIn(p, m)...)
	if SameText(b, ToLF(docs.WriteContext(nil, f))) {
		return nil
	}
	from, err := s.contextOrigin(ctx, p, b)
	if err != nil {
		return err
	}
	for _, edit := range docs.ContextEdits(b, f, docs.Signed{By: e.by, At: e.at}, from) {
		if err := e.contextEdit(edit, l); err != nil {
			return err
		}
	}
	return nil
}

func (e *memoryEdits) contextEdit(edit docs.ContextEdit, l Snapshot) error {
	switch {
	case edit.Restored:
		e.report(ContextFile, plan.Restored, edit.Found)
	case edit.Decision == nil && edit.Objective == "":
		e.report(ContextFile, kept, edit.Found)
	case !e.take(ContextFile, kept, edit.Found):
	case edit.Decision != nil:
		return e.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: *edit.Decision, Reason: edit.Decision.Reason})
	default:
		id := kedge.NewID("obj", e.at)
		return e.fact(kedge.ObjectiveSet, kedge.Objective{ID: id, Text: edit.Objective, Plan: l.planID()})
	}
	return nil
}

// decisionsIn are decisions in files that the journal does not have: of another clone,
// whose AGENT_CONTEXT.md may have come along. What they say is no edit of that file.
func decisionsIn(p *projects.Project, m Memory) []kedge.Decision {
	var out []kedge.Decision
	for _, f := range memoryFiles(p, m)[DecisionsDir] {
		if d, err := docs.ParseDecision(f.path, f.text); err == nil {
			if _, known := m.Decision(d.ID); !known {
				out = append(out, d)
			}
		}
	}
	return out
}

// touched tells whether somebody edited a file here: Kedge did not write this text, nor
// does the last commit have it. While a file waits for a landing it is not compared.
func (s *Ledger) touched(ctx context.Context, p *projects.Project, name string, b []byte) bool {
	if s.Projected(p)[projects.Sum(b)] || s.AsCheckedOut(ctx, p).Still != nil {
		return false
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return true
	}
	then, err := repo.HeadText(ctx, name)
	return err != nil || then == nil || !bytes.Equal(ToLF(b), ToLF([]byte(*then)))
}

// contextOrigin says where the text of AGENT_CONTEXT.md comes from.
func (s *Ledger) contextOrigin(ctx context.Context, p *projects.Project, b []byte) (docs.ContextOrigin, error) {
	from := docs.ContextOrigin{Touched: s.touched(ctx, p, ContextFile, b)}
	old, err := projects.All[journal.EditDoc](ctx, p, journal.KindEdit)
	if err != nil {
		return from, err
	}
	for _, d := range old {
		if d.Path == ContextFile && d.Action == kept {
			from.Told = append(from.Told, d.Found)
		}
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return from, nil //nolint:nilerr // a plain folder has no commits
	}
	if then, err := repo.HeadText(ctx, ContextFile); err == nil && then != nil {
		from.Committed = ToLF([]byte(*then))
	}
	return from, nil
}

// ContextHasWords tells whether AGENT_CONTEXT.md says something that the ledger does not
// have: replacing the file would lose it.
func (s *Ledger) ContextHasWords(ctx context.Context, p *projects.Project, text []byte) bool {
	m, err := ReadMemory(ctx, p)
	if err != nil {
		return true
	}
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return true
	}
	f, err := contextFacts(ctx, p, m, l)
	return err != nil || len(docs.ContextWords(text, f)) > 0
}
