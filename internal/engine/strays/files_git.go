package strays

import (
	"context"
	"slices"
	"strings"

	"kedge/internal/git"
)

// Fill tells the files of the work from those that the merge has otherwise.
func (q *Pair) Fill(ctx context.Context, repo *git.Repo, work, merged string) error {
	q.Same, q.Other = map[string]bool{}, map[string]bool{}
	theirs, err := repo.List(ctx, work, "")
	if err != nil {
		return err
	}
	list, err := repo.List(ctx, merged, "")
	if err != nil {
		return err
	}
	has := map[string]git.Entry{}
	for _, e := range list {
		has[e.Path], q.Other[e.Path] = e, true
	}
	for _, e := range theirs {
		if q.Other[e.Path] = has[e.Path] != e; q.Other[e.Path] {
			continue
		}
		if e.Type == "commit" {
			q.Modules = append(q.Modules, e.Path)
		} else {
			q.Same[e.Path] = true
		}
	}
	return nil
}

// Ignored tells which differences git ignores; nil where git does not say.
func Ignored(ctx context.Context, work *git.Repo, found []Difference) func(string) bool {
	var paths []string
	for _, d := range found[:min(len(found), maxShown)] {
		if !d.Module {
			paths = append(paths, strings.TrimSuffix(d.Path, "/"))
		}
	}
	shown, err := work.NotIgnored(ctx, paths)
	if err != nil {
		return nil
	}
	return func(p string) bool { return slices.Contains(paths, p) && !slices.Contains(shown, p) }
}
