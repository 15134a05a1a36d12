package landing

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// work is commits on a feature that nobody accepted, the oldest first.
type work struct {
	Feature kedge.FeatureID
	Commits []string
}

// unaccepted is the work that a tip has, a branch of the user's at a commit has not,
// and nobody accepted, let land or took back. It asks every run whose commits these
// may be: what one forgot, or never knew of, another remembers.
func (s *Landing) unaccepted(ctx context.Context, p *projects.Project, repo *git.Repo, tip, at string) ([]work, error) {
	docs, err := p.Store.Runs(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	l := looking{p: p, repo: repo, tip: tip, at: at, seen: map[string]bool{}}
	for _, d := range slices.Backward(docs) {
		if in, err := l.has(ctx, at, d.State.Tip); err != nil || in {
			if err != nil {
				return nil, err
			}
			continue
		}
		doc, err := ledger.FindRun(ctx, p, d.State.Run)
		if err != nil {
			return nil, err
		}
		if err := l.askRun(ctx, doc.State.Features); err != nil {
			return nil, err
		}
	}
	return l.found, nil
}

// looking goes through the runs from the newest to the oldest: of a commit that two
// of them know, the newer one's word counts.
type looking struct {
	p       *projects.Project
	repo    *git.Repo
	tip, at string
	seen    map[string]bool
	back    map[string]bool // taken back on the way to the tip; nil: not looked at yet
	found   []work
}

func (l *looking) askRun(ctx context.Context, features []run.Feature) error {
	for i := range features {
		f := &features[i]
		if f.Work == "" {
			continue
		}
		var mine []string
		for sha := range strings.SplitSeq(f.Work, ",") {
			if l.seen[sha] {
				continue
			}
			l.seen[sha] = true
			waits, err := l.waits(ctx, f, sha)
			if err != nil {
				return err
			}
			if waits {
				mine = append(mine, sha)
			}
		}
		l.add(f.ID, mine)
	}
	return nil
}

func (l *looking) add(id kedge.FeatureID, commits []string) {
	if len(commits) == 0 {
		return
	}
	i := slices.IndexFunc(l.found, func(w work) bool { return w.Feature == id })
	if i < 0 {
		l.found = append(l.found, work{id, commits})
		return
	}
	l.found[i].Commits = append(commits, l.found[i].Commits...)
}

// waits tells whether one commit is in what would land and nobody accepted it. That a
// person accepted it the ledger says, for as long as they do not reopen it.
func (l *looking) waits(ctx context.Context, f *run.Feature, sha string) (bool, error) {
	if f.Let == run.LetUnseen || f.Let == run.LetLanded {
		return false, nil
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, l.p.Store, journal.KindFeature, string(f.ID))
	if err != nil || ok && d.Status == kedge.Completed {
		return false, err
	}
	if in, err := l.has(ctx, l.tip, sha); err != nil || !in {
		return false, err
	}
	if in, err := l.has(ctx, l.at, sha); err != nil || in {
		return false, err
	}
	back, err := l.takenBack(ctx, sha)
	return err == nil && !back, err
}

// has tells whether a commit has another in its past; one that is not in the
// repository is in nobody's.
func (l *looking) has(ctx context.Context, commit, other string) (bool, error) {
	if commit == "" || other == "" {
		return false, nil
	}
	if _, err := l.repo.ReadCommit(ctx, other); err != nil {
		return false, unlessNone(err)
	}
	return l.repo.Descends(ctx, commit, other)
}

// takenBack tells whether a later commit on the way to the tip took the work back. The
// way is gone once, whatever is asked.
func (l *looking) takenBack(ctx context.Context, sha string) (bool, error) {
	if l.back == nil {
		way, err := l.repo.Since(ctx, l.at, l.tip)
		if err != nil {
			return false, err
		}
		l.back = map[string]bool{}
		for _, c := range way {
			for back := range strings.SplitSeq(c.Trailer("Kedge-Reverts"), ",") {
				l.back[back] = true
			}
		}
	}
	return l.back[sha], nil
}

// AddUnaccepted puts into the specs of a run that begins on a base which work is in it
// that you have not accepted yet, whatever became of its feature and whichever run
// made it. It gives the specs that have any.
func (s *Landing) AddUnaccepted(ctx context.Context, p *projects.Project, repo *git.Repo, base, head string, specs []run.Spec) ([]run.Spec, error) {
	if base == head {
		return nil, nil
	}
	found, err := s.unaccepted(ctx, p, repo, base, head)
	var out []run.Spec
	for _, w := range found {
		for i := range specs {
			if specs[i].ID == w.Feature {
				specs[i].Work = strings.Join(w.Commits, ",")
				out = append(out, specs[i])
			}
		}
	}
	return out, err
}

// AddRemembered puts into the specs of a run that begins what the last one that worked knows
// of the features and the ledger does not: that there is nothing to accept, for the
// work was set aside; and, where it stands on work which has not landed, what that
// broke, whoever has taken it up since.
func AddRemembered(ctx context.Context, p *projects.Project, unlanded bool, specs []run.Spec) error {
	last, err := ledger.LastWorkRun(ctx, p)
	for i := range specs {
		f := last.FeatureOf(specs[i].ID)
		if f == nil {
			continue
		}
		specs[i].Denied = f.Denied && strings.HasPrefix(specs[i].Hash, f.Hash)
		switch specs[i].Status {
		case kedge.Completed, kedge.Skipped:
			continue
		case kedge.NeedsReview:
			specs[i].Aside = f.Aside
		default:
		}
		if unlanded && f.Red {
			specs[i].Broken = max(f.Regressions, 1)
		}
	}
	return err
}

// Waiting is the work in a run that people have to accept or to refuse, as a run
// is told of it that may not know it.
func (s *Landing) Waiting(ctx context.Context, p *projects.Project, st run.State) ([]run.Spec, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	_, at, _ := s.Target(ctx, p, st.Run)
	found, err := s.unaccepted(ctx, p, repo, st.Tip, at)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	specs, err := ledger.Specs(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []run.Spec
	for _, w := range found {
		spec := run.Spec{ID: w.Feature, Status: kedge.NeedsReview}
		if i := slices.IndexFunc(specs, func(have run.Spec) bool { return have.ID == w.Feature }); i >= 0 {
			spec = specs[i]
		}
		spec.Work = strings.Join(w.Commits, ",")
		out = append(out, spec)
	}
	return out, nil
}

// Unaccepted are the features whose work a tip has, your branch at a commit has
// not, and that you neither accepted nor let land.
func (s *Landing) Unaccepted(ctx context.Context, p *projects.Project, tip, at string) ([]kedge.FeatureID, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	found, err := s.unaccepted(ctx, p, repo, tip, at)
	var out []kedge.FeatureID
	for _, w := range found {
		out = append(out, w.Feature)
	}
	return out, err
}

// WaitingRun is the run that has the work on a feature which people have to accept or
// to refuse: the newest that has not landed it. Specs is what the run is told of it.
func (s *Landing) WaitingRun(ctx context.Context, p *projects.Project, id kedge.FeatureID) (st run.State, specs []run.Spec, found bool, err error) {
	left, err := s.Unlanded(ctx, p)
	if err != nil {
		return st, nil, false, err
	}
	for _, u := range left {
		doc, err := ledger.FindRun(ctx, p, u.Run)
		if err != nil {
			return st, nil, false, err
		}
		specs, err := s.Waiting(ctx, p, doc.State)
		if err != nil {
			return st, nil, false, err
		}
		specs = slices.DeleteFunc(specs, func(spec run.Spec) bool { return spec.ID != id })
		if len(specs) > 0 {
			return doc.State, specs, true, nil
		}
	}
	return st, nil, false, nil
}
