package setup

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/scaffold"
)

// InitRemoveRequest asks to remove what init wrote.
type InitRemoveRequest struct{}

// InitRemoveReply says what was removed and what stays. The journal always stays;
// `project rm` forgets it.
type InitRemoveReply struct {
	Project kedge.Project `json:"project"`
	Removed []string      `json:"removed"` // files and refs of git
	Cut     []string      `json:"cut"`     // files of yours that lost Kedge's lines
	Kept    []string      `json:"kept"`    // what was changed since, or was never init's
	Left    []Leaving     `json:"left"`    // what stays in git, with what takes it out
	Commit  *string       `json:"commit"`
}

// InitRemove removes what init and Kedge wrote. A file that somebody edited stays and is
// named. The journal has everything that Kedge wrote.
func (s *Setup) InitRemove(ctx context.Context, who projects.Caller, _ InitRemoveRequest) (InitRemoveReply, error) {
	at, err := s.site(ctx, who)
	if err != nil {
		return InitRemoveReply{}, err
	}
	if at.Project, err = s.home.Open(ctx, who); err != nil {
		return InitRemoveReply{}, err
	}
	if err := refuseRunning(ctx, at.Project); err != nil {
		return InitRemoveReply{}, err
	}
	if at.repo != nil {
		if err := s.refuseUnlanded(ctx, at.Project); err != nil {
			return InitRemoveReply{}, err
		}
	}
	if err := s.clearTrials(ctx, at); err != nil {
		return InitRemoveReply{}, err
	}
	evs, err := s.home.Write(ctx, at.Project, who, func() ([]kedge.Event, error) { return s.takeOut(ctx, at, who) })
	if err != nil {
		return InitRemoveReply{}, err
	}
	r := InitRemoveReply{Project: at.Project.Project, Removed: []string{}, Cut: []string{}, Kept: []string{}, Left: []Leaving{}}
	if len(evs) > 0 {
		if err := r.tell(evs); err != nil {
			return r, err
		}
	}
	if at.repo == nil {
		return r, nil
	}
	if err := s.clearTrees(ctx, who, &r); err != nil {
		return r, err
	}
	return r, s.clearRefs(ctx, at, &r)
}

// tell says what the facts say.
func (r *InitRemoveReply) tell(evs []kedge.Event) error {
	data, err := projects.DataOf[kedge.InitData](evs, kedge.InitRemoved)
	if err != nil {
		return err
	}
	for _, f := range data.Files {
		if !slices.Contains(data.Cut, f.Path) {
			r.Removed = append(r.Removed, f.Path)
		}
	}
	r.Cut = append(r.Cut, data.Cut...)
	r.Kept = append(r.Kept, data.Kept...)
	if data.Commit != "" {
		r.Commit = &data.Commit
	}
	return nil
}

// takeOut runs under the project's lock.
func (s *Setup) takeOut(ctx context.Context, at *site, who projects.Caller) ([]kedge.Event, error) {
	records, err := initRecords(ctx, at.Project)
	if err != nil {
		return nil, err
	}
	projections, err := s.ledger.Projections(ctx, at.Project)
	if err != nil {
		return nil, err
	}
	files, kept, err := at.fileRemovals(records, projections)
	if err != nil {
		return nil, err
	}
	pieces, keptPieces, err := at.pieceRemovals(records)
	if err != nil {
		return nil, err
	}
	changes := append(files, pieces...)
	if len(changes) == 0 {
		return nil, nil
	}
	if err := at.refuseCommit(ctx, changes); err != nil {
		return nil, err
	}
	commit, _, err := s.carryOut(ctx, at, changes, "Remove Kedge\n\nThe files that Kedge wrote and that are unchanged since.")
	if err != nil {
		return nil, err
	}
	if err := s.forgetWritten(at); err != nil {
		return nil, err
	}
	for _, dir := range []string{ledger.DecisionsDir, ledger.NotesDir, kedge.Dir} {
		_ = os.Remove(at.Path(dir)) // only if it is empty now
	}
	data := kedge.InitData{Files: []kedge.InitFile{}, Commit: commit, Kept: append(kept, keptPieces...)}
	for _, c := range changes {
		data.Files = append(data.Files, kedge.InitFile{Path: c.path})
		if c.text != nil {
			data.Cut = append(data.Cut, c.path)
		}
	}
	data.Kept = append(data.Kept, at.strangers(data.Kept)...)
	ev, err := projects.Event(kedge.InitRemoved, who, data)
	evs := []kedge.Event{ev}
	if seen, ok, err := s.status.FilesSeen(ctx, at.Project, who, "init"); err == nil && ok {
		evs = append(evs, seen) // what Kedge took out is no drift
	}
	return evs, err
}

// forgetWritten makes features.json count as never written once Kedge took it
// out: that it is not there is then nobody's edit.
func (s *Setup) forgetWritten(at *site) error {
	if _, there, err := at.Read(ledger.FeaturesFile); err != nil || there {
		return err
	}
	if err := os.Remove(s.ledger.ProjectedPath(at.Project)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot delete the list of the files that Kedge wrote: %w", err)
	}
	return nil
}

// initRecords reads from the journal how init left each file.
func initRecords(ctx context.Context, p *projects.Project) (map[string]kedge.InitFile, error) {
	records := map[string]kedge.InitFile{}
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if ev.Type != kedge.InitFinished {
			continue
		}
		var data kedge.InitData
		if err := json.Unmarshal(ev.Data, &data); err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		for _, f := range data.Files {
			records[f.Path] = f
		}
	}
	return records, nil
}

// fileRemovals takes away Kedge's own files that are as init or Kedge since
// wrote them.
func (at *site) fileRemovals(records map[string]kedge.InitFile, projections []ledger.Projection) (changes []change, kept []string, err error) {
	empty := scaffold.Files(scaffold.Input{
		Agents: catalog.Kinds().Offered, Protect: protectedByDefault(),
		Features: plan.WriteFeatures(ledger.Snapshot{}.File(at.Project)), Progress: docs.WriteProgress(nil, docs.Facts{}),
	})
	add := func(path string, perm fs.FileMode, ours, was func(string) bool) error {
		old, err := at.text(path)
		if err != nil || old == nil {
			return err
		}
		if !ours(*old) {
			kept = append(kept, path+": changed since Kedge wrote it")
			return nil
		}
		again := func(t *string) *string {
			if t != nil && (ours(*t) || was(*t)) {
				return nil
			}
			return t
		}
		changes = append(changes, change{path: path, perm: perm, old: old, again: again})
		return nil
	}
	for _, f := range empty {
		written := func(t string) bool { return t == f.Text || projects.Sum([]byte(t)) == records[f.Path].SHA256 }
		ours, was := written, written
		if i := slices.IndexFunc(projections, func(pr ledger.Projection) bool { return pr.Path == f.Path }); i >= 0 {
			pr := projections[i]
			ours = func(t string) bool { return written(t) || pr.Ours(t) }
			was = func(t string) bool { return written(t) || pr.Was(t) }
			projections = slices.Delete(slices.Clone(projections), i, i+1)
		}
		if err := add(f.Path, f.Perm, ours, was); err != nil {
			return nil, nil, err
		}
	}
	for _, pr := range projections {
		if err := add(pr.Path, 0o644, pr.Ours, pr.Was); err != nil {
			return nil, nil, err
		}
	}
	return changes, kept, nil
}

// pieceRemovals takes Kedge's lines out of files of the user's.
func (at *site) pieceRemovals(records map[string]kedge.InitFile) (changes []change, kept []string, err error) {
	root, err := os.OpenRoot(at.Root)
	if err != nil {
		return nil, nil, kedge.Errorf(kedge.Invalid, "cannot open the project's folder %q: %w", at.Root, err)
	}
	defer func() { _ = root.Close() }()
	all := scaffold.Pieces(at.repo != nil)
	if piece, there := scaffold.IgnoredBy(records[scaffold.GitignoreFile].Inserted); there {
		all = append(all, piece)
	}
	for _, piece := range all {
		name, err := resolve(root, piece.Path)
		if err != nil {
			continue // init left it alone too
		}
		old, err := at.text(name)
		if err != nil {
			return nil, nil, err
		}
		if old == nil || !piece.In(*old) {
			continue
		}
		cut := cutter(piece, records[name])
		if text := cut(old); same(text, old) {
			kept = append(kept, name+": Kedge's lines were changed since init")
		} else {
			changes = append(changes, change{path: name, perm: at.mode(name), old: old, text: text, again: cut})
		}
	}
	return changes, kept, nil
}

// cutter takes a piece out of a text; a file that init made for it alone goes
// with it.
func cutter(piece scaffold.Piece, record kedge.InitFile) func(*string) *string {
	return func(t *string) *string {
		if t == nil {
			return nil
		}
		out, ok := piece.Cut(*t, record.Inserted)
		if !ok {
			return t
		}
		if record.Created && strings.TrimSpace(out) == "" {
			return nil
		}
		return &out
	}
}

// strangers names what is left under .kedge/ and was never init's.
func (at *site) strangers(kept []string) []string {
	entries, err := os.ReadDir(at.Path(kedge.Dir))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := path.Join(kedge.Dir, e.Name())
		named := false
		for _, k := range kept {
			named = named || strings.HasPrefix(k, name+":") || strings.HasPrefix(k, name+"/")
		}
		switch {
		case named:
		case name == kedge.Dir+"/id":
			out = append(out, name+": names the journal, which stays")
		default:
			out = append(out, name+": not written by Kedge")
		}
	}
	return out
}
