package strays

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// Beyond is what a session changed that is not its feature's to change. The limit
// says what is, and which line of which file made it so.
type Beyond struct {
	Paths []string
	Limit string
}

// Outside are the changed paths that a definition does not name; for one that names
// none, those that the plan at the base does not. Without either it may change
// everything.
func Outside(ctx context.Context, repo *git.Repo, base string, d kedge.Definition, changes []git.Change) (Beyond, error) {
	var out Beyond
	d, err := limited(ctx, repo, base, d)
	if err != nil || len(d.Paths) == 0 {
		return out, err
	}
	for _, ch := range changes {
		if !slices.ContainsFunc(d.Paths, func(p string) bool { return p == ch.Path || glob.Match(p, ch.Path) }) {
			out.Paths = append(out.Paths, ch.Path)
		}
	}
	if len(out.Paths) == 0 {
		return out, nil
	}
	at := plan.LimitedBy(d, func(file string) []byte {
		b, err := repo.ReadFile(ctx, base, file)
		if err != nil {
			return nil // the paths themselves are said all the same
		}
		return b
	})
	out.Limit = plan.LimitText(d, at)
	return out, nil
}

// limited is a definition with what the plan at the base says that it may change,
// where it does not say that itself.
func limited(ctx context.Context, repo *git.Repo, base string, d kedge.Definition) (kedge.Definition, error) {
	if len(d.Paths) > 0 || d.Phase == "" {
		return d, nil
	}
	text, err := repo.ReadFile(ctx, base, ".kedge/plan.md")
	if kedge.NotFound.Is(err) {
		return d, nil
	}
	return plan.Limited(d, text), err
}

// Conclude is what an inspection comes to: what nobody may change, what lies outside the feature's
// paths, and what waits for your approval besides.
func (b Beyond) Conclude(forbidden, brings string) (run.Outcome, string) {
	switch {
	case forbidden != "":
		return run.Forbidden, forbidden
	case len(b.Paths) > 0:
		parts := []string{words.Some(b.Paths, 20), b.Limit, brings}
		return run.Outside, strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
	case brings != "":
		return run.Unapproved, brings
	}
	return run.Clean, ""
}

// Stat are changes as an inspection records them.
func Stat(changes []git.Change) []kedge.FileChange {
	out := []kedge.FileChange{}
	for _, c := range changes {
		out = append(out, kedge.FileChange(c))
	}
	return out
}
