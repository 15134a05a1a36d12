package service

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"strings"

	"kedge"
	docs "kedge/internal/ledger"
	"kedge/internal/plan"
	"kedge/internal/setup"
)

// InitRemoveRequest asks for what init put in to be taken out again.
type InitRemoveRequest struct{}

// InitRemoveReply says what was taken out and what stays. The journal stays in
// any case: `project rm` is what forgets it.
type InitRemoveReply struct {
	Project kedge.Project `json:"project"`
	Removed []string      `json:"removed"` // files, and files that lost Kedge's lines
	Kept    []string      `json:"kept"`    // what was changed since, or was never init's
	Commit  *string       `json:"commit"`
}

// InitRemove takes out exactly what init put in. A file that was changed since
// stays and is named.
func (s *Service) InitRemove(ctx context.Context, who Caller, _ InitRemoveRequest) (InitRemoveReply, error) {
	at, err := s.site(ctx, who)
	if err != nil {
		return InitRemoveReply{}, err
	}
	if at.project, err = s.project(ctx, who); err != nil {
		return InitRemoveReply{}, err
	}
	evs, err := s.write(ctx, at.project, who, func() ([]kedge.Event, error) { return s.takeOut(ctx, at, who) })
	if err != nil {
		return InitRemoveReply{}, err
	}
	r := InitRemoveReply{Project: at.Project, Removed: []string{}, Kept: []string{}}
	if len(evs) == 0 {
		return r, nil
	}
	data, err := dataOf[kedge.InitData](evs, kedge.InitRemoved)
	if err != nil {
		return r, err
	}
	for _, f := range data.Files {
		r.Removed = append(r.Removed, f.Path)
	}
	r.Kept = append(r.Kept, data.Kept...)
	if data.Commit != "" {
		r.Commit = &data.Commit
	}
	return r, nil
}

// takeOut runs under the project's lock.
func (s *Service) takeOut(ctx context.Context, at *site, who Caller) ([]kedge.Event, error) {
	records, err := initRecords(ctx, at.project)
	if err != nil {
		return nil, err
	}
	files, kept, err := at.fileRemovals(records)
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
	commit, _, err := s.carryOut(ctx, at, changes, "Take Kedge out\n\nWhat kedge init put in, as far as nobody changed it since.")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(at.path(".kedge")) // only if it is empty now
	data := kedge.InitData{Files: []kedge.InitFile{}, Commit: commit, Kept: append(kept, keptPieces...)}
	for _, c := range changes {
		data.Files = append(data.Files, kedge.InitFile{Path: c.path})
	}
	data.Kept = append(data.Kept, at.strangers(data.Kept)...)
	ev, err := event(kedge.InitRemoved, who, data)
	return []kedge.Event{ev}, err
}

// initRecords reads from the journal how init left each file.
func initRecords(ctx context.Context, p *project) (map[string]kedge.InitFile, error) {
	records := map[string]kedge.InitFile{}
	const page = 1000
	for after := int64(0); ; {
		evs, err := p.store.Events(ctx, after, page)
		if err != nil {
			return nil, err
		}
		for _, ev := range evs {
			after = ev.Seq
			if ev.Type != kedge.InitFinished {
				continue
			}
			var data kedge.InitData
			if err := json.Unmarshal(ev.Data, &data); err != nil {
				return nil, kedge.Errorf(kedge.Internal, "read event %d: %w", ev.Seq, err)
			}
			for _, f := range data.Files {
				records[f.Path] = f
			}
		}
		if len(evs) < page {
			return records, nil
		}
	}
}

// fileRemovals takes away Kedge's own files that are as init wrote them.
func (at *site) fileRemovals(records map[string]kedge.InitFile) (changes []change, kept []string, err error) {
	empty := setup.Files(setup.Input{
		Features: plan.WriteFeatures(ledger{}.file(at.project)), Progress: docs.WriteProgress(nil, docs.Facts{}),
	})
	for _, f := range empty {
		old, err := at.text(f.Path)
		if err != nil {
			return nil, nil, err
		}
		if old == nil {
			continue
		}
		untouched := func(t *string) bool {
			return t != nil && (*t == f.Text || sum([]byte(*t)) == records[f.Path].SHA256)
		}
		if !untouched(old) {
			kept = append(kept, f.Path+": changed since init")
			continue
		}
		again := func(t *string) *string {
			if untouched(t) {
				return nil
			}
			return t
		}
		changes = append(changes, change{path: f.Path, perm: f.Perm, old: old, again: again})
	}
	return changes, kept, nil
}

// pieceRemovals takes Kedge's lines out of files of the user's.
func (at *site) pieceRemovals(records map[string]kedge.InitFile) (changes []change, kept []string, err error) {
	root, err := os.OpenRoot(at.root)
	if err != nil {
		return nil, nil, kedge.Errorf(kedge.Invalid, "open %q: %w", at.root, err)
	}
	defer func() { _ = root.Close() }()
	for _, piece := range setup.Pieces(at.repo != nil) {
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
func cutter(piece setup.Piece, record kedge.InitFile) func(*string) *string {
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
	entries, err := os.ReadDir(at.path(".kedge"))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := path.Join(".kedge", e.Name())
		named := false
		for _, k := range kept {
			named = named || strings.HasPrefix(k, name+":")
		}
		switch {
		case named:
		case name == ".kedge/id":
			out = append(out, name+": names the journal, which stays")
		default:
			out = append(out, name+": not put there by init")
		}
	}
	return out
}
