package strays

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge/internal/git"
)

// maxShown is how many differences are named.
const maxShown = 5

// Told names the files that may be why a check is red in the clean worktree, and that they
// are in the work alone; empty where there is none. Green is whether the check was green in
// the work: if it never ran there, only what may well be why is told.
func Told(ctx context.Context, q Pair, work *git.Repo, green bool) string {
	found, where := Files(q), "green in the agent's worktree, red in a clean checkout: "
	if !green {
		where = "red in a clean checkout; in the agent's worktree, "
		found = slices.DeleteFunc(found, func(d Difference) bool { return !d.Likely() })
	}
	if len(found) == 0 {
		return ""
	}
	return where + Text(found, Ignored(ctx, work, found))
}

// Text names differences, each with why the commit has it not. Ignored tells which paths git
// ignores; nil: unknown.
func Text(list []Difference, ignored func(path string) bool) string {
	var parts []string
	for _, d := range list[:min(len(list), maxShown)] {
		parts = append(parts, d.text(ignored))
	}
	if n := len(list) - maxShown; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

func (d Difference) text(ignored func(string) bool) string {
	what := map[How]string{
		Missing:    "is not in the commit",
		Changed:    "was changed but is not in the commit",
		Executable: "can be executed only there",
		Empty:      "is an empty folder, and git keeps none",
		Repository: "is a git repository of its own, so its files are not in the commit",
	}[d.How]
	why := ""
	switch {
	case d.Module && d.How != Empty:
		why = "submodule"
	case d.Same && d.How == Changed:
		what, why = "differs from what is in the commit", "line endings or a git filter"
	case d.Same && d.How == Executable:
		why = "git does not see modes here: git update-index --chmod=+x"
	case d.How != Empty && d.How != Repository && ignored != nil && ignored(strings.TrimSuffix(d.Path, "/")):
		why = "git ignores it"
	}
	if why != "" {
		why = " (" + why + ")"
	}
	return d.Path + " " + what + why
}
