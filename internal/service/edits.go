package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/atomicfile"
	"kedge/internal/plan"
)

// The projections of the feature list and the plan.
const (
	featuresFile = ".kedge/features.json"
	planFile     = ".kedge/plan.md"
)

// shownEdits is how many edits of one file are reported one by one.
const shownEdits = 20

// settle looks for hand edits of the files that Kedge writes, and answers them.
// It runs under the project's lock, before any decision, so that no command ever
// acts on what was edited.
func (s *Service) settle(ctx context.Context, p *project, who Caller) ([]kedge.HandEditData, error) {
	inMemory, err := s.settleMemory(ctx, p, who)
	if err != nil {
		return nil, err
	}
	inLedger, err := s.settleLedger(ctx, p, who)
	return append(inMemory, inLedger...), err
}

// settleLedger is settle for features.json and plan.md: the journal wins, what
// was found is reported to the journal and to the caller, and the edited file is
// kept aside.
func (s *Service) settleLedger(ctx context.Context, p *project, who Caller) ([]kedge.HandEditData, error) {
	l, err := readLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	p = s.atRest(ctx, p)
	edits := s.handEdits(ctx, p, l)
	var later unwritten // what cannot be written is told when the command has written
	if len(edits) == 0 {
		s.writeProjections(p, l, &later) // they may be behind
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

// handEdits gives what was edited in the files that belong to the ledger; it
// changes nothing, so that reading commands can report it too.
func (s *Service) handEdits(ctx context.Context, p *project, l ledger) []kedge.HandEditData {
	known := s.projected(p)
	if _, ok, err := p.Read(featuresFile); err == nil && !ok && !s.isCommitted(ctx, p, featuresFile) {
		return planEdits(p, l, known) // git took it away, by a stash or a checkout: see isCommitted
	}
	return append(featureEdits(p, l, known), planEdits(p, l, known)...)
}

// isCommitted tells whether the last commit has a file. One that is gone and was
// never committed there was not taken out by anybody's hand: git itself does
// that, when it stashes or changes branches, and the file is simply written again.
func (s *Service) isCommitted(ctx context.Context, p *project, name string) bool {
	repo, err := s.git(ctx, p)
	if err != nil {
		return true // a plain folder, where only hands take files away
	}
	has, err := repo.Exists(ctx, "HEAD", name)
	return has || err != nil
}

// featureEdits compares features.json with the journal. A text that Kedge wrote
// earlier is only behind, after a crash or in an older checkout, and no edit:
// unless it says completed where the journal does not.
func featureEdits(p *project, l ledger, known map[string]bool) []kedge.HandEditData {
	if len(l.docs) == 0 {
		return nil // nothing is locked yet: see unlocked
	}
	b, ok, err := p.Read(featuresFile)
	if err != nil && p.IsFolder(featuresFile) {
		return nil // it cannot be restored: see unwritten
	}
	if err != nil {
		return []kedge.HandEditData{{Path: featuresFile, Found: err.Error(), Action: plan.Restored}} // an unreadable file is a finding
	}
	if !ok {
		if len(known) == 0 {
			return nil // never written
		}
		return []kedge.HandEditData{{Path: featuresFile, Found: "the file was removed", Action: plan.Restored}}
	}
	if bytes.Equal(b, plan.WriteFeatures(l.file(p))) || stays(p, featuresFile) {
		return nil
	}
	file, err := plan.ParseFeatures(featuresFile, b)
	if err != nil {
		return []kedge.HandEditData{{Path: featuresFile, Found: err.Error(), Action: plan.Restored}} // likewise
	}
	edits := plan.Drifted(l.features(), file)
	if known[sum(b)] {
		edits = slices.DeleteFunc(edits, func(e plan.Edit) bool { return e.Status != kedge.Completed })
	}
	return editData(edits)
}

func editData(edits []plan.Edit) []kedge.HandEditData {
	var out []kedge.HandEditData
	for i, e := range edits {
		if i == shownEdits {
			more := howMany(len(edits)-shownEdits, "more edit")
			return append(out, kedge.HandEditData{Path: featuresFile, Found: more, Action: plan.Restored})
		}
		out = append(out, kedge.HandEditData{Path: featuresFile, Found: e.Found, Action: e.Action})
	}
	return out
}

// howMany is a number of things in words.
func howMany(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// behind lists the projections of the ledger that are an older text of Kedge's
// own, for example after a checkout: no edit, and written anew by the next
// command that writes.
func (s *Service) behind(p *project, l ledger) []string {
	known := s.projected(p)
	var out []string
	old := func(name string, want []byte) {
		if b, ok, err := p.Read(name); err == nil && ok && !bytes.Equal(b, want) && known[sum(b)] && !stays(p, name) {
			out = append(out, name)
		}
	}
	if len(l.docs) > 0 {
		old(featuresFile, plan.WriteFeatures(l.file(p)))
	}
	if l.plan != nil {
		old(planFile, l.planText())
	}
	return out
}

// planEdits compares plan.md with the approved plan. A file with another id, or
// without one, is somebody's next draft and theirs.
func planEdits(p *project, l ledger, known map[string]bool) []kedge.HandEditData {
	if l.plan == nil {
		return nil
	}
	b, ok, err := p.Read(planFile)
	if err != nil || !ok || known[sum(b)] || bytes.Equal(b, l.planText()) || l.isDraft(b) {
		return nil // what cannot be read is told when it cannot be written either
	}
	if d, err := plan.ParsePlan(planFile, b); err == nil && d.Plan.ID == "" {
		return nil // the approved text itself: the frozen one was not written yet
	}
	return []kedge.HandEditData{{Path: planFile, Found: "the approved plan was changed by hand", Action: plan.Restored}}
}

// keepEdited copies the edited files into the project's state: what somebody
// typed is never lost.
func (s *Service) keepEdited(p *project, edits []kedge.HandEditData) error {
	var last string
	for i, e := range edits {
		if e.Path == last {
			continue
		}
		last = e.Path
		kept, err := s.setAside(p, e.Path)
		if err != nil {
			return err
		}
		if kept != "" {
			edits[i].Found += "; the edited file was kept as " + kept
		}
	}
	return nil
}

// setAside copies a file of the project, of whatever size, to where edited files
// are kept, and says where; empty when there is none.
func (s *Service) setAside(p *project, name string) (kept string, err error) {
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
	dir := filepath.Join(s.storeDir(p.ID), "edits")
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

// unlocked refuses to write a feature list over one that the journal has never
// seen: a fresh clone, or a list that a person put there.
func unlocked(p *project, l ledger) error {
	if len(l.docs) > 0 {
		return nil
	}
	b, ok, err := p.Read(featuresFile)
	if err != nil || !ok {
		return err
	}
	im, err := plan.Import(featuresFile, "", b)
	if err != nil {
		return kedge.Errorf(kedge.Conflict, "%w", err).WithHint("correct the file, or move it away")
	}
	if n := len(im.Features); n > 0 {
		return kedge.Errorf(kedge.Conflict, "%s has %s that the journal does not know", featuresFile, howMany(n, "feature")).
			WithHint("kedge features import %s", featuresFile)
	}
	return nil
}

// replaceProjected is putProjected for a text that is Kedge's alone. What stands
// there and is not Kedge's was typed after the edits were settled, while a gate
// ran perhaps: it is kept before it is replaced.
func (s *Service) replaceProjected(p *project, name string, b []byte) error {
	if stays(p, name) {
		return nil
	}
	old, ok, err := p.Read(name)
	if (err != nil || ok) && !bytes.Equal(old, b) && !s.projected(p)[sum(old)] {
		kept, err := s.setAside(p, name)
		if err != nil {
			return err
		}
		if kept != "" {
			s.cfg.Log.Warn("a file that Kedge writes was edited meanwhile and is kept", "path", name, "kept", kept)
		}
	}
	return s.putProjected(p, name, b)
}

// putProjected writes a projection and remembers that Kedge wrote it, before it
// does: a crash in between must not make its own text look like an edit.
func (s *Service) putProjected(p *project, name string, b []byte) error {
	if p.Still != nil {
		switch r := p.Still(name); {
		case r.Stays:
			return nil
		case r.Back != nil:
			return p.Put(name, r.Back)
		}
	}
	was := s.projectedLines(p)
	if err := s.rememberProjected(p, sum(b)); err != nil {
		return err
	}
	err := p.Put(name, b)
	if err != nil && !slices.Contains(was, sum(b)) {
		err = errors.Join(err, s.saveProjected(p, was))
	}
	return err
}

// projectedMax bounds how many of its own texts Kedge remembers.
const projectedMax = 4000

func (s *Service) projectedPath(p *project) string {
	return filepath.Join(s.storeDir(p.ID), "projected")
}

// projected gives the hashes of the texts that Kedge wrote. Without the file
// the worst that happens is a report of an edit that was none.
func (s *Service) projected(p *project) map[string]bool {
	known := map[string]bool{}
	for _, line := range s.projectedLines(p) {
		known[line] = true
	}
	return known
}

func (s *Service) projectedLines(p *project) []string {
	b, err := os.ReadFile(s.projectedPath(p))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.cfg.Log.Warn("what was projected is not known", "project", p.ID, "err", err)
	}
	return strings.Fields(string(b))
}

func (s *Service) rememberProjected(p *project, hash string) error {
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

func (s *Service) saveProjected(p *project, lines []string) error {
	if err := atomicfile.Write(s.projectedPath(p), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return kedge.Errorf(kedge.Internal, "remember what is written: %w", err)
	}
	return nil
}
