package checkout

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// Filtered gives the filter of each of the paths that the attributes give one
// that the configuration defines. One that nobody defines does nothing, in git
// as well. cached reads the attributes from the scratch index.
func (s *Scratch) Filtered(ctx context.Context, paths []string, cached bool) (map[string]hardened.Filter, error) {
	found := map[string]hardened.Filter{}
	if !s.HasFilters() {
		return found, nil
	}
	args := []string{"check-attr", "--stdin", "-z", "filter"}
	if cached {
		args = []string{"check-attr", "--cached", "--stdin", "-z", "filter"}
	}
	out, err := s.List(ctx, paths, args...)
	if err != nil {
		return nil, err
	}
	f := hardened.Fields(out)
	for i := 0; i+2 < len(f); i += 3 {
		if filter, ok := s.set.Filters[f[i+2]]; ok {
			found[f[i]] = filter
		}
	}
	return found, nil
}

// refuseFiltered is Blocked when one of the paths, as files, needs a filter that
// nobody approved. A path that is gone needs none.
func (s *Scratch) refuseFiltered(ctx context.Context, paths []string) error {
	found, err := s.Filtered(ctx, paths, false)
	if err != nil {
		return err
	}
	for path := range found {
		if _, err := os.Lstat(filepath.Join(s.r.g.Root(), path)); err != nil {
			delete(found, path)
		}
	}
	return s.blocked(found)
}

// RefuseWriting is Blocked when a file to be written needs a filter that nobody
// approved, by the attributes in the scratch index.
func (s *Scratch) RefuseWriting(ctx context.Context, paths []string) error {
	found, err := s.Filtered(ctx, paths, true)
	if err != nil {
		return err
	}
	return s.blocked(found)
}

func (s *Scratch) blocked(found map[string]hardened.Filter) error {
	var paths []string
	for path, f := range found {
		if !s.r.g.IsApproved(f) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	f := found[paths[0]]
	more := ""
	if len(paths) > 1 {
		more = fmt.Sprintf(" and %d more", len(paths)-1)
	}
	return kedge.Errorf(kedge.Blocked, "%q%s cannot be checked out: you have not approved the commands of the git filter %q (%s)", paths[0], more, f.Name, commandsOf(f)).
		WithHint("read the commands, then approve them: kedge approve filter:%s@%s", f.Name, f.Hash[:hardened.FilterDigits])
}

// commandsOf shows what would run.
func commandsOf(f hardened.Filter) string {
	var out []string
	for _, c := range []string{f.Clean, f.Smudge, f.Process} {
		if c != "" {
			out = append(out, fmt.Sprintf("%q", c))
		}
	}
	return strings.Join(out, ", ")
}
