package checkout

import (
	"context"
	"strings"

	"kedge/internal/git/hardened"
)

// NotIgnored gives those of the paths that git does not ignore in this work
// tree: tracked ones, and ones that no rule names.
func (r *Repo) NotIgnored(ctx context.Context, paths []string) ([]string, error) {
	for _, p := range paths {
		if err := hardened.CheckPath(p); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	ignored := map[string]bool{}
	err := r.withScratch(ctx, func(s *Scratch) error {
		if err := s.seed(ctx); err != nil {
			return err
		}
		out, err := s.r.g.Run(ctx, hardened.Call{
			Mode: hardened.InScratch, Conf: s.conf, Magic: true, Stdin: []byte("./" + strings.Join(paths, "\x00./") + "\x00"),
			Args: []string{"check-ignore", "-z", "--stdin"},
			Env:  []string{"GIT_DIR=" + s.dir, "GIT_WORK_TREE=" + s.r.g.Root(), "GIT_INDEX_FILE=" + s.index()},
		})
		for _, p := range hardened.Fields(out) {
			ignored[strings.TrimPrefix(p, "./")] = true
		}
		if hardened.ExitCode(err) == 1 {
			return nil
		}
		return err
	})
	var out []string
	for _, p := range paths {
		if !ignored[p] {
			out = append(out, p)
		}
	}
	return out, err
}
