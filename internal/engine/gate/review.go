package gate

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/git"
)

// Reviewed is a request that judges work by the rules in a configuration: what needs your
// approval waits for it.
func (q Request) Reviewed(c config.Config) Request {
	q.Protect, q.MaxBytes = c.Protect.Paths, c.Protect.MaxBytes()
	q.Tests = slices.Concat(c.Gate.Tests, detect.Runners(TestChecks(q.Checks)))
	q.Review, q.Obeyed = true, catalog.Trust().Heeds
	return q
}

// obeyed is who obeys a path, where somebody is asked about it.
func (g *gate) obeyed() func(string) bool {
	if !g.Review {
		return nil
	}
	return g.Obeyed
}

// inspectFiles looks at what the changed files contain: big files, executables and
// archives, which no reader of a diff would see through, and other binary files.
func (g *gate) inspectFiles(ctx context.Context, rev string, changed []git.Change) error {
	if len(changed) == 0 {
		return nil
	}
	files, err := g.Repo.Files(ctx, rev, g.before)
	if err != nil {
		return err
	}
	list := make([]review.File, 0, len(files))
	for _, f := range files {
		if !kedge.IsOwnPath(f.Path) {
			list = append(list, review.File(f))
		}
	}
	for _, f := range review.Files(list, g.MaxBytes) {
		if g.once("file", f.Path) {
			g.await(rev, git.Change{Path: f.Path, Status: statusOf(f)}, f)
		}
	}
	return nil
}

func statusOf(f review.Found) string {
	if f.New {
		return "A"
	}
	return "M"
}

// await says of a file what there is to say: that the work waits because of it, unless the
// feature's definition names it.
func (g *gate) await(rev string, c git.Change, f review.Found) {
	if f.Why == review.Protected {
		f.What = protectedWords(c)
	}
	out := f.Finding(undo(rev, c.Path, c.Status == "A"))
	if g.Review && out.Waits && review.Names(g.Named, f) {
		out.Level, out.Waits, out.Fix = kedge.LevelInfo, false, "nothing to do: the feature's paths name it"
	}
	out.Waits = out.Waits && g.Review
	g.verdict.Findings = append(g.verdict.Findings, out)
}

func protectedWords(c git.Change) string {
	switch c.Status {
	case "D":
		return "a protected file was deleted"
	case "A":
		return "a file was added in a protected folder"
	default:
		return "a protected file was changed"
	}
}

// undo is how a change of a file is taken back.
func undo(rev, path string, added bool) string {
	if added {
		return "rm " + quote(path)
	}
	return restore(rev, path)
}
