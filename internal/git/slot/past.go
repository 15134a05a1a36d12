package slot

import (
	"cmp"
	"context"
	"slices"

	"kedge/internal/git"
)

// How far back it is looked: enough for a day of commits.
const (
	farBack    = 64 // commits
	mostOthers = 32 // commits of others, the newest ones
)

// Past is what led to a commit.
type Past struct {
	Verified string           // the newest commit before it that a run verified; empty: none near
	others   []git.CommitInfo // since then, what no run made, the oldest first
	work     []git.CommitInfo // where there is nothing of others, and somebody asks: the work of runs
}

// PastOf walks back from a commit to the newest one that was committed as it was
// verified. One that somebody amended since is not that.
func (s *Slots) PastOf(ctx context.Context, commit string, work bool) (Past, error) {
	var p Past
	for range farBack {
		info, err := s.cfg.Repo.ReadCommit(ctx, commit)
		if err != nil {
			return p, err
		}
		switch verified := info.Trailer("Kedge-Validated") == info.Tree; {
		case verified:
			p.Verified = cmp.Or(p.Verified, info.SHA)
			p.work = append(p.work, info)
		case p.Verified == "" && info.Trailer("Kedge-Ledger") == "":
			if err := s.addOthers(ctx, &p, info); err != nil {
				return p, err
			}
		}
		if len(info.Parents) == 0 || p.Verified != "" && (len(p.others) > 0 || !work) {
			break
		}
		commit = info.Parents[0]
	}
	slices.Reverse(p.others)
	slices.Reverse(p.work)
	p.others = p.others[max(0, len(p.others)-mostOthers):]
	return p, nil
}

// addOthers takes in a commit, and what a merge brought.
func (s *Slots) addOthers(ctx context.Context, p *Past, info git.CommitInfo) error {
	p.others = append(p.others, info)
	if len(info.Parents) < 2 {
		return nil
	}
	merged, err := s.cfg.Repo.Since(ctx, info.Parents[0], info.Parents[1])
	for _, m := range merged {
		if m.Trailer("Kedge-Ledger") == "" && len(p.others) < farBack {
			p.others = append(p.others, m)
		}
	}
	return err
}

// Suspects are the commits of which one may have broken something, the oldest first, and
// the commit before them.
func (p Past) Suspects() (before string, list []git.CommitInfo) {
	list = p.others
	if len(list) == 0 {
		list = p.work
	}
	if len(list) == 0 {
		return "", nil
	}
	first := list[0]
	switch {
	case len(p.others) > 0 && len(p.others) < mostOthers && p.Verified != "":
		return p.Verified, list
	case len(first.Parents) == 0:
		return first.SHA, list[1:]
	default:
		return first.Parents[0], list
	}
}

// mostSince bounds the commits among which it is looked for who has made the same.
const mostSince = 50

// FirstWith finds the first commit of tip's own line, after another one, that has all of some
// work: merged into it, that changes nothing. Work is merged into each as Ours. Zero: none.
func (s *Slots) FirstWith(ctx context.Context, after, tip string, work git.MergeRequest) (git.CommitInfo, error) {
	since, err := s.cfg.Repo.Since(ctx, after, tip)
	if err != nil {
		return git.CommitInfo{}, err
	}
	slices.Reverse(since)
	for _, at := range since[max(0, len(since)-mostSince):] {
		if at.Trailer("Kedge-Ledger") != "" {
			continue
		}
		if work.Ours, err = s.cfg.Repo.TreeWithout(ctx, at.SHA, Kedges...); err != nil {
			return git.CommitInfo{}, err
		}
		with, err := s.cfg.Repo.Merge(ctx, work)
		if err != nil {
			return git.CommitInfo{}, err
		}
		if len(with.Conflicts) == 0 && with.Tree == work.Ours {
			return at, nil
		}
	}
	return git.CommitInfo{}, nil
}
