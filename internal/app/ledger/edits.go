package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/words"
)

// The projections of the feature list and the plan.
const (
	FeaturesFile = ".kedge/features.json"
	PlanFile     = ".kedge/plan.md"
)

// shownEdits is how many edits of one file are reported one by one.
const shownEdits = 20

// Settle looks for hand edits of the files that Kedge writes, and answers them.
// It runs under the project's lock, before any decision, so that no command ever
// acts on what was edited.
func (s *Book) Settle(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	if p.Driven != nil {
		return nil, nil // whose hand that was the run looks at, and takes nothing over
	}
	inMemory, err := s.settleMemory(ctx, p, who)
	if err != nil {
		return nil, err
	}
	inLedger, err := s.settleLedger(ctx, p, who)
	return append(inMemory, inLedger...), err
}

// SettleLocked is Settle for whoever does not hold the project's lock.
func (s *Book) SettleLocked(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	return s.Settle(ctx, p, who)
}

// settleLedger is Settle for features.json and plan.md: the journal wins, what
// was found is reported to the journal and to the caller, and the edited file is
// kept aside.
func (s *Book) settleLedger(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.HandEditData, error) {
	l, err := ReadLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	p = s.AtRest(ctx, p)
	edits := s.HandEdits(ctx, p, l)
	var later unwritten // what cannot be written is told when the command has written
	switch {
	case len(edits) == 0 && s.asCommitted(ctx, p):
		return nil, nil // those of an older commit follow when the command has written: one that is refused writes nothing
	case len(edits) == 0:
		s.writeProjections(p, l, &later) // a crash may have left them behind
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
	s.writeProjections(p, l, &later)
	return edits, nil
}

// asCommitted tells whether feature list and plan are as in the last commit, so that
// nothing is in the way of git.
func (s *Book) asCommitted(ctx context.Context, p *projects.Project) bool {
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

// HandEdits gives what was edited in the files that belong to the ledger; it
// changes nothing, so that reading commands can report it too.
func (s *Book) HandEdits(ctx context.Context, p *projects.Project, l Ledger) []kedge.HandEditData {
	known := s.Projected(p)
	if _, ok, err := p.Read(FeaturesFile); err == nil && !ok && !s.isCommitted(ctx, p, FeaturesFile) {
		return planEdits(p, l, known) // git took it away, by a stash or a checkout: see isCommitted
	}
	return append(featureEdits(p, l, known), planEdits(p, l, known)...)
}

// isCommitted tells whether the last commit has a file. One that is gone and was
// never committed there was not taken out by anybody's hand: git itself does
// that, when it stashes or changes branches, and the file is simply written again.
func (s *Book) isCommitted(ctx context.Context, p *projects.Project, name string) bool {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return true // a plain folder, where only hands take files away
	}
	has, err := repo.Exists(ctx, "HEAD", name)
	return has || err != nil
}

// featureEdits compares features.json with the journal. A text that Kedge wrote
// earlier is only behind, after a crash or in an older checkout, and no edit:
// unless it says completed where the journal does not.
func featureEdits(p *projects.Project, l Ledger, known map[string]bool) []kedge.HandEditData {
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

// Behind lists the projections of the ledger that are an older text of Kedge's
// own, for example after a checkout: no edit, and written anew by the next
// command that writes.
func (s *Book) Behind(p *projects.Project, l Ledger) []string {
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
		if s.LacksOpen(p, l) {
			out = append(out, PlanFile)
		}
	case l.Plan != nil:
		old(PlanFile, l.PlanText())
	}
	return out
}

// planEdits compares plan.md with the approved plan. A file with another id, or
// without one, is somebody's next draft and theirs.
func planEdits(p *projects.Project, l Ledger, known map[string]bool) []kedge.HandEditData {
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
	return []kedge.HandEditData{{Path: PlanFile, Found: "the approved plan was changed by hand", Action: plan.Restored}}
}

// keepEdited copies the edited files into the project's state: what somebody
// typed is never lost.
func (s *Book) keepEdited(p *projects.Project, edits []kedge.HandEditData) error {
	var last string
	for i, e := range edits {
		if e.Path == last {
			continue
		}
		last = e.Path
		kept, err := s.SetAside(p, e.Path)
		if err != nil {
			return err
		}
		if kept != "" {
			edits[i].Found += "; the edited file was kept as " + kept
		}
	}
	return nil
}

// SetAside copies a file of the project, of whatever size, to where edited files
// are kept, and says where; empty when there is none.
func (s *Book) SetAside(p *projects.Project, name string) (kept string, err error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "open the project's folder: %w", err)
	}
	defer func() { _ = root.Close() }()
	if fi, err := root.Stat(name); err != nil || !fi.Mode().IsRegular() {
		return "", nil // there is nothing to keep
	}
	from, err := root.Open(name)
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "keep the edited file: %w", err)
	}
	defer func() { _ = from.Close() }() // it was only read
	return s.Keep(p, name, from)
}

// Keep is SetAside for a text that is in no file of the project.
func (s *Book) Keep(p *projects.Project, name string, from io.Reader) (kept string, err error) {
	dir := filepath.Join(s.home.StateDir(p.ID), "edits")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", kedge.Errorf(kedge.Internal, "keep the edited file: %w", err)
	}
	kept, err = copyInto(dir, filepath.Base(name), from)
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "keep the edited file: %w", err)
	}
	return kept, nil
}

// copyInto makes a file in dir of what from holds, on disk when it returns. Its
// name has the hash of its content, so that the same text is kept once.
func copyInto(dir, base string, from io.Reader) (string, error) {
	to, err := os.CreateTemp(dir, atomicfile.TempPrefix)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, h), from)
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(to.Name()))
	}
	path := filepath.Join(dir, "edt-"+hex.EncodeToString(h.Sum(nil)[:13])+"-"+base)
	return path, os.Rename(to.Name(), path)
}

// Unlocked refuses to write a feature list over one that the journal has never
// seen: a fresh clone, or a list that a person put there.
func Unlocked(p *projects.Project, l Ledger) error {
	if len(l.Docs) > 0 {
		return nil
	}
	b, ok, err := p.Read(FeaturesFile)
	if err != nil || !ok {
		return err
	}
	im, err := plan.Import(FeaturesFile, "", b)
	if err != nil {
		return kedge.Errorf(kedge.Conflict, "%w", err).WithHint("correct the file, or move it away")
	}
	if n := len(im.Features); n > 0 {
		return kedge.Errorf(kedge.Conflict, "%s has %s that the journal does not know", FeaturesFile, words.Count(n, "feature")).
			WithHint("kedge features import %s", FeaturesFile)
	}
	return nil
}

// ReplaceProjected is PutProjected for a text that is Kedge's alone. What stands
// there and is not Kedge's was typed after the edits were settled, while a gate
// ran perhaps: it is kept before it is replaced.
func (s *Book) ReplaceProjected(p *projects.Project, name string, b []byte) error {
	if p.Driven != nil || p.Stays(name) {
		return nil
	}
	old, ok, err := p.Read(name)
	if (err != nil || ok) && !bytes.Equal(old, b) && !s.Projected(p)[projects.Sum(old)] {
		kept, err := s.SetAside(p, name)
		if err != nil {
			return err
		}
		if kept != "" {
			s.home.Log.Warn("a file that Kedge writes was edited meanwhile and is kept", "path", name, "kept", kept)
		}
	}
	return s.PutProjected(p, name, b)
}

// PutProjected writes a projection and remembers that Kedge wrote it, before it
// does: a crash in between must not make its own text look like an edit.
func (s *Book) PutProjected(p *projects.Project, name string, b []byte) error {
	if p.Driven != nil {
		return nil
	}
	if p.Still != nil {
		switch r := p.Still(name); {
		case r.Stays:
			return nil
		case r.Back != nil:
			return p.Put(name, r.Back)
		}
	}
	was := s.projectedLines(p)
	if err := s.RememberProjected(p, projects.Sum(b)); err != nil {
		return err
	}
	err := p.Put(name, b)
	if err != nil && !slices.Contains(was, projects.Sum(b)) {
		err = errors.Join(err, s.saveProjected(p, was))
	}
	return err
}

// projectedMax bounds how many of its own texts Kedge remembers.
const projectedMax = 4000

// ProjectedPath is the file that holds the hashes of Projected.
func (s *Book) ProjectedPath(p *projects.Project) string {
	return filepath.Join(s.home.StateDir(p.ID), "projected")
}

// Projected gives the hashes of the texts that Kedge wrote. Without the file
// the worst that happens is a report of an edit that was none.
func (s *Book) Projected(p *projects.Project) map[string]bool {
	known := map[string]bool{}
	for _, line := range s.projectedLines(p) {
		known[line] = true
	}
	return known
}

func (s *Book) projectedLines(p *projects.Project) []string {
	b, err := os.ReadFile(s.ProjectedPath(p))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.home.Log.Warn("what was projected is not known", "project", p.ID, "err", err)
	}
	return strings.Fields(string(b))
}

// RememberProjected adds a text, by its hash, to those that Kedge wrote.
func (s *Book) RememberProjected(p *projects.Project, hash string) error {
	lines := s.projectedLines(p)
	if slices.Contains(lines, hash) {
		return nil
	}
	lines = append(lines, hash)
	if len(lines) > projectedMax {
		lines = lines[len(lines)-projectedMax/2:]
	}
	return s.saveProjected(p, lines)
}

func (s *Book) saveProjected(p *projects.Project, lines []string) error {
	if err := atomicfile.Write(s.ProjectedPath(p), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "remember what is written: %w", err)
	}
	return nil
}
