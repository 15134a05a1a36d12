package gitx

import (
	"context"
	"strings"

	"kedge"
)

// MergeBase is the best commit that both have among their ancestors; NotFound
// when there is none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	for _, rev := range []string{a, b} {
		if err := checkRev(rev); err != nil {
			return "", err
		}
	}
	out, err := r.git(ctx, "merge-base", "--end-of-options", a, b)
	if exitCode(err) == 1 {
		return "", kedge.Errorf(kedge.NotFound, "%q and %q have nothing in common", a, b).WithHint("git log --oneline --graph --all")
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first, err
}
