package ledger

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/text/words"
)

// The projections of the feature list and the plan.
const (
	FeaturesFile = kedge.FeaturesFile
	PlanFile     = kedge.PlanFile
)

// shownEdits is how many edits of one file are reported one by one.
const shownEdits = 20

// ResolveEdits finds hand edits of the files that Kedge writes, and answers them: it
// imports what may be imported, and restores the rest. It needs the project's lock and
// runs before any decision, so that no command acts on an edit that the journal refuses.
func (s *Ledger) ResolveEdits(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	if p.RunSession != nil {
		return nil, nil // whose hand that was the run looks at, and takes nothing over
	}
	inMemory, err := s.resolveMemoryEdits(ctx, p, who)
	if err != nil {
		return nil, err
	}
	inLedger, err := s.resolveListEdits(ctx, p, who)
	return append(inMemory, inLedger...), err
}

// LockAndResolveEdits takes the project's lock and runs ResolveEdits.
func (s *Ledger) LockAndResolveEdits(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	return s.ResolveEdits(ctx, p, who)
}

// resolveListEdits restores features.json and plan.md: the journal wins. The edit is
// recorded, reported to the caller, and a copy of the edited file is kept.
func (s *Ledger) resolveListEdits(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	l, err := ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	p = s.AsCheckedOut(ctx, p)
	edits := s.HandEdits(ctx, p, l)
	var later failures // what cannot be written is told when the command has written
	switch {
	case len(edits) == 0 && s.asCommitted(ctx, p):
		return nil, nil // those of an older commit follow when the command has written: one that is refused writes nothing
	case len(edits) == 0:
		s.writeList(p, l, &later) // a crash may have left them behind
		return nil, nil
	}
	if err := s.keepEdited(p, edits); err != nil {
		return nil, err
	}
	evs := make([]kedge.Event, len(edits))
	for i, e := range edits {
		if evs[i], err = kedge.NewEvent(kedge.HandEditFound, kedge.ActorDaemon, e); err != nil {
			return nil, err
		}
		evs[i].Project = p.ID
	}
	if _, _, err := p.Store.Append(ctx, "", evs...); err != nil {
		return nil, err
	}
	for _, e := range edits {
		who.Tell(e)
	}
	s.writeList(p, l, &later)
	return edits, nil
}

// asCommitted tells whether feature list and plan equal the last commit, so that they
// are not in the way of your own git commands.
func (s *Ledger) asCommitted(ctx context.Context, p *projects.Project) bool {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return false
	}
	for _, name := range []string{FeaturesFile, PlanFile} {
		then, err := repo.HeadText(ctx, name)
		now, ok, readErr := p.Read(name)
		if err != nil || readErr != nil || ok != (then != nil) || ok && !SameText(now, ToLF([]byte(*then))) {
			return false
		}
	}
	return true
}

// HandEdits gives the hand edits of feature list and plan. It changes nothing, so that
// reading commands can report them too.
func (s *Ledger) HandEdits(ctx context.Context, p *projects.Project, l Snapshot) []kedge.HandEditData {
	known := s.Projected(p)
	if _, ok, err := p.Read(FeaturesFile); err == nil && !ok && !s.isCommitted(ctx, p, FeaturesFile) {
		return planEdits(p, l, known) // git took it away, by a stash or a checkout: see isCommitted
	}
	return append(featureEdits(p, l, known), planEdits(p, l, known)...)
}

// isCommitted tells whether the last commit has a file. A missing file that was never
// committed was not deleted by hand: git removes it when it stashes or changes branches.
// Kedge then writes it again.
func (s *Ledger) isCommitted(ctx context.Context, p *projects.Project, name string) bool {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return true // a plain folder, where only hands take files away
	}
	has, err := repo.Exists(ctx, "HEAD", name)
	return has || err != nil
}

// featureEdits compares features.json with the journal. A text that Kedge wrote earlier
// is outdated, after a crash or in an older checkout, and no edit; unless it says
// completed where the journal does not.
func featureEdits(p *projects.Project, l Snapshot, known map[string]bool) []kedge.HandEditData {
	if len(l.Docs) == 0 {
		return nil // nothing is locked yet: see Unlocked
	}
	b, ok, err := p.Read(FeaturesFile)
	if err != nil && p.IsFolder(FeaturesFile) {
		return nil // it cannot be restored: see unwritten
	}
	if err != nil {
		return []kedge.HandEditData{{Path: FeaturesFile, Found: err.Error(), Action: plan.Restored}} // an unreadable file is a finding
	}
	if !ok {
		if len(known) == 0 {
			return nil // never written
		}
		return []kedge.HandEditData{{Path: FeaturesFile, Found: "the file was removed", Action: plan.Restored}}
	}
	if bytes.Equal(b, plan.WriteFeatures(l.File(p))) || p.Stays(FeaturesFile) {
		return nil
	}
	file, err := plan.ParseFeatures(FeaturesFile, b)
	if err != nil {
		return []kedge.HandEditData{{Path: FeaturesFile, Found: err.Error(), Action: plan.Restored}} // likewise
	}
	edits := plan.Drifted(l.Features(), file)
	if known[projects.Sum(b)] {
		edits = slices.DeleteFunc(edits, func(e plan.Edit) bool { return e.Status != kedge.Completed })
	}
	return editData(edits)
}

func editData(edits []plan.Edit) []kedge.HandEditData {
	var out []kedge.HandEditData
	for i, e := range edits {
		if i == shownEdits {
			more := words.Count(len(edits)-shownEdits, "more edit")
			return append(out, kedge.HandEditData{Path: FeaturesFile, Found: more, Action: plan.Restored})
		}
		out = append(out, kedge.HandEditData{Path: FeaturesFile, Found: e.Found, Action: e.Action})
	}
	return out
}

// OutdatedFiles lists the files of feature list and plan that have an older text of
// Kedge's, for example after a checkout. That is no edit; the next command that writes
// updates them.
func (s *Ledger) OutdatedFiles(p *projects.Project, l Snapshot) []string {
	known := s.Projected(p)
	var out []string
	old := func(name string, want []byte) {
		if b, ok, err := p.Read(name); err == nil && ok && !bytes.Equal(b, want) && known[projects.Sum(b)] && !p.Stays(name) {
			out = append(out, name)
		}
	}
	if len(l.Docs) > 0 {
		old(FeaturesFile, plan.WriteFeatures(l.File(p)))
	}
	switch {
	case l.Open != nil:
		if s.OpenPlanUnwritten(p, l) {
			out = append(out, PlanFile)
		}
	case l.Plan != nil:
		old(PlanFile, l.PlanText())
	}
	return out
}

// planEdits compares plan.md with the approved plan. A file with another id, or without
// one, is your next draft.
func planEdits(p *projects.Project, l Snapshot, known map[string]bool) []kedge.HandEditData {
	if l.Plan == nil || l.Open != nil {
		return nil // a plan that is not approved is edited by whoever likes
	}
	b, ok, err := p.Read(PlanFile)
	if err != nil || !ok || known[projects.Sum(b)] || bytes.Equal(b, l.PlanText()) || l.IsDraft(b) {
		return nil // what cannot be read is told when it cannot be written either
	}
	if d, err := plan.ParsePlan(PlanFile, b); err == nil && d.Plan.ID == "" {
		return nil // the approved text itself: the frozen one was not written yet
	}
	return []kedge.HandEditData{{Path: PlanFile, Found: "the approved plan was changed by hand; to change it: kedge plan amend --reason WHY", Action: plan.Restored}}
}

// Settles says what the next command that changes something does with a hand edit, by
// the action that answers the edit.
func Settles(action string) string {
	does, ok := map[string]string{
		plan.Restored: "restores the file and keeps a copy of your edit", plan.Reset: "restores what the journal has",
		plan.Refused: "refuses this edit", imported: "imports this edit",
		kept: "leaves this edit in the file, without importing it",
	}[action]
	if !ok {
		does = "settles this edit: " + action
	}
	return "the next command that changes something " + does
}

// RefuseUnknownList refuses to write over a features.json that the journal has never
// seen: that of a fresh clone, or one that you put there.
func RefuseUnknownList(p *projects.Project, l Snapshot) error {
	if len(l.Docs) > 0 {
		return nil
	}
	b, ok, err := p.Read(FeaturesFile)
	if err != nil || !ok {
		return err
	}
	file := filepath.Join(p.Dir, FeaturesFile)
	im, err := plan.Import(FeaturesFile, "", b)
	if err != nil {
		return kedge.Errorf(kedge.Conflict, "%w", err).WithHint("correct the file; or, to begin with an empty list, move the file away: %s", kedge.Step("mv", file, file+".old"))
	}
	if n := len(im.Features); n > 0 {
		return kedge.Errorf(kedge.Conflict, "%s lists %s that Kedge on this machine does not know yet", FeaturesFile, words.Count(n, "feature")).
			WithHint("first import the file, then repeat your command: %s", kedge.Step("kedge", "features", "import", file))
	}
	return nil
}
