package status

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
)

// outOfBand leaves out of the changes since Kedge last looked what runs brought:
// a file that is as a run verified it was changed by Kedge, and is no drift.
func (s *Reporter) outOfBand(ctx context.Context, p *projects.Project, seen kedge.FilesSeenData, st State, changes []git.Change) ([]git.Change, error) {
	tip, err := s.broughtSince(ctx, p, seen, st.head)
	if err != nil || tip == "" {
		return changes, err
	}
	fromTip, err := s.Diff(ctx, p, tip, st.tree)
	if err != nil {
		return changes, err
	}
	byRuns, err := s.pathsSince(ctx, p, seen.Head, tip)
	if err != nil {
		return changes, err
	}
	return withoutRuns(changes, fromTip, byRuns), nil
}

// broughtSince is the newest commit of a run that the branch has and that Kedge
// had not seen there when it last looked; empty when there is none.
func (s *Reporter) broughtSince(ctx context.Context, p *projects.Project, seen kedge.FilesSeenData, head git.Head) (string, error) {
	tip, err := s.runs.LastTip(ctx, p)
	if err != nil || tip == "" || head.Commit == "" {
		return "", err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return "", err
	}
	if there, err := keptBelow(ctx, repo, head.Commit, tip); err != nil || !there {
		return "", err
	}
	if seen.Head == "" {
		return tip, nil
	}
	if had, err := keptBelow(ctx, repo, seen.Head, tip); err != nil || had {
		return "", err
	}
	return tip, nil
}

// keptBelow is Descends for commits that the repository may not have any more.
func keptBelow(ctx context.Context, repo *git.Repo, commit, from string) (bool, error) {
	for _, c := range []string{commit, from} {
		if known, err := repo.Has(ctx, c); err != nil || !known {
			return false, err
		}
	}
	return repo.Descends(ctx, commit, from)
}

// pathsSince are the paths that differ between a commit and what is left of it in
// the history of tip; nil when that cannot be told.
func (s *Reporter) pathsSince(ctx context.Context, p *projects.Project, from, tip string) ([]string, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil || from == "" {
		return nil, err
	}
	if known, err := repo.Has(ctx, from); err != nil || !known {
		return nil, err
	}
	base, err := repo.MergeBase(ctx, from, tip)
	if kedge.NotFound.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	changes, err := s.Diff(ctx, p, base, tip)
	out := make([]string, 0, len(changes))
	for _, c := range changes {
		out = append(out, c.Path)
	}
	return out, err
}

// withoutRuns is drift where runs changed files too: what they changed is
// measured from their end (fromTip), everything else from when Kedge last looked
// (fromSeen). Where it is unknown what they changed (nil), a file that is as they
// left it is theirs.
func withoutRuns(fromSeen, fromTip []git.Change, byRuns []string) []git.Change {
	at := func(list []git.Change, path string) bool {
		return slices.ContainsFunc(list, func(c git.Change) bool { return c.Path == path })
	}
	var out []git.Change
	for _, c := range fromSeen {
		if byRuns == nil && at(fromTip, c.Path) || byRuns != nil && !slices.Contains(byRuns, c.Path) {
			out = append(out, c)
		}
	}
	for _, c := range fromTip {
		if slices.Contains(byRuns, c.Path) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b git.Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}
