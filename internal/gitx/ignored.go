package gitx

import "context"

// NotIgnored gives those of the paths that git does not ignore in this work
// tree: tracked ones, and ones that no rule names.
func (r *Repo) NotIgnored(ctx context.Context, paths []string) ([]string, error) {
	for _, p := range paths {
		if err := checkPath(p); err != nil {
			return nil, err
		}
	}
	ignored := map[string]bool{}
	err := r.withScratch(ctx, func(s *scratch) error {
		if err := s.seed(ctx); err != nil {
			return err
		}
		out, err := s.list(ctx, paths, "check-ignore", "-z", "--stdin")
		for _, p := range fields(out) {
			ignored[p] = true
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
