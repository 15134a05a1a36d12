package supply

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// How much of the past a brief looks at, and shows.
const (
	recentCommits = 8
	searchedLog   = 300
	notesShown    = 5
	notesFound    = 30
)

// past fills in what was done before: commits, how many features are done, the notes that
// may matter, and what the session before said.
func (b Writer) past(ctx context.Context, c run.Command, at engine.Position, l ledger.Snapshot, in *brief.RunInput) error {
	for _, f := range l.Features() {
		if f.Status.Over() {
			in.Finished++
		} else {
			in.Remaining++
		}
	}
	ses, err := b.sessionBefore(ctx, c, at)
	if err != nil {
		return err
	}
	in.Closing = ses.Closing
	if err := b.recent(ctx, c, ses, in); err != nil {
		return err
	}
	if in.Feature == nil {
		return nil
	}
	in.Notes, err = b.notesFor(ctx, *in.Feature)
	return err
}

// recent lists the last commits at the base that are work: what Kedge wrote down about it
// is left out.
func (b Writer) recent(ctx context.Context, c run.Command, ses kedge.Session, in *brief.RunInput) error {
	repo, err := b.s.home.Git(ctx, b.p)
	if err != nil || c.Base == "" {
		return err
	}
	list, err := repo.Recent(ctx, c.Base, searchedLog)
	if err != nil {
		return err
	}
	in.Recent = workOf(list, b.savedAt(ctx, ses))
	if f := in.Feature; f != nil && len(f.Paths)+len(f.Files) == 0 {
		return b.likely(ctx, repo, c.Base, list, in)
	}
	return nil
}

// savedAt is the commit of the last checkpoint of a session; empty: unknown.
func (b Writer) savedAt(ctx context.Context, ses kedge.Session) string {
	list, err := journal.About[kedge.Checkpoint](ctx, b.p.Store, journal.KindCheckpoint, string(ses.ID))
	if err != nil || len(list) == 0 {
		return ""
	}
	return list[len(list)-1].Commit
}

// workOf are the newest commits that are no ledger commits; those are new that come after
// the one that a checkpoint names.
func workOf(list []git.Logged, saved string) []brief.Done {
	known := slices.IndexFunc(list, func(c git.Logged) bool { return c.SHA == saved })
	var out []brief.Done
	for i, c := range list {
		if len(out) == recentCommits {
			break
		}
		if (git.CommitInfo{Message: c.Message}).Trailer("Kedge-Ledger") == "" {
			out = append(out, brief.Done{Commit: c.SHA, Subject: c.Subject, New: i < known})
		}
	}
	return out
}

// likely gives a feature that names no file those that it is likely to need.
func (b Writer) likely(ctx context.Context, repo *git.Repo, base string, log []git.Logged, in *brief.RunInput) error {
	keys := brief.Keywords(*in.Feature)
	entries, err := repo.List(ctx, base, "")
	if err != nil || len(keys) == 0 {
		return err
	}
	var files []string
	for _, e := range entries {
		if e.Type == "blob" {
			files = append(files, e.Path)
		}
	}
	contain := map[string][]string{}
	for _, k := range keys {
		if contain[k], err = repo.Grep(ctx, base, k); err != nil {
			return err
		}
	}
	mentions := make([]brief.Mention, 0, len(log))
	for _, c := range log {
		if (git.CommitInfo{Message: c.Message}).Trailer("Kedge-Ledger") == "" {
			mentions = append(mentions, brief.Mention{Commit: c.SHA, Message: c.Message, Files: c.Files})
		}
	}
	if in.Why == nil {
		in.Why = map[string]string{}
	}
	for _, l := range brief.LikelyFiles(keys, files, mentions, contain) {
		if !slices.ContainsFunc(in.Reread, func(f kedge.FileRef) bool { return f.Path == l.Path }) {
			in.Reread = append(in.Reread, kedge.FileRef{Path: l.Path})
			in.Why[l.Path] = l.Why
		}
	}
	return nil
}

// notesFor finds the notes that may matter to a feature: those on what it builds on, and
// those that a search for its words and files finds.
func (b Writer) notesFor(ctx context.Context, f kedge.Feature) ([]kedge.Note, error) {
	var out []kedge.Note
	add := func(n kedge.Note) {
		known := slices.ContainsFunc(out, func(o kedge.Note) bool { return o.ID == n.ID })
		if !known && len(out) < notesShown && brief.NoteMatters(n, f) {
			out = append(out, n)
		}
	}
	for _, id := range append([]kedge.FeatureID{f.ID}, f.Dependencies...) {
		list, err := journal.About[kedge.Note](ctx, b.p.Store, journal.KindNote, string(id))
		if err != nil {
			return nil, err
		}
		for _, n := range slices.Backward(list) {
			add(n)
		}
	}
	for _, query := range append(brief.Keywords(f), f.Paths...) {
		hits, err := b.p.Store.Search(ctx, query, notesFound)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			if h.Kind != journal.KindNote {
				continue
			}
			n, ok, err := journal.Get[kedge.Note](ctx, b.p.Store, journal.KindNote, h.ID)
			if err != nil {
				return nil, err
			}
			if ok {
				add(n)
			}
		}
	}
	return out, nil
}
