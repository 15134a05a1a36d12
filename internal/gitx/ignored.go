package gitx

import (
	"context"
	"strings"
)

// NotIgnored gives those of the paths that git does not ignore in this work
// tree: tracked ones, and ones that no rule names.
func (r *Repo) NotIgnored(ctx context.Context, paths []string) ([]string, error) {
	for _, p := range paths {
		if err := checkPath(p); err != nil {
			return nil, err
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	ignored := map[string]bool{}
	err := r.withScratch(ctx, func(s *scratch) error {
		if err := s.seed(ctx); err != nil {
			return err
		}
		out, err := s.r.run(ctx, call{
			mode: inScratch, conf: s.conf, magic: true, stdin: []byte("./" + strings.Join(paths, "\x00./") + "\x00"),
			args: []string{"check-ignore", "-z", "--stdin"},
			env:  []string{"GIT_DIR=" + s.dir, "GIT_WORK_TREE=" + s.r.root, "GIT_INDEX_FILE=" + s.index()},
		})
		for _, p := range fields(out) {
			ignored[strings.TrimPrefix(p, "./")] = true
		}
		if exitCode(err) == 1 {
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
