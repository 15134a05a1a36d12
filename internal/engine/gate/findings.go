package gate

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/review"
	"kedge/internal/git"
)

// decides tells whether a file decides about the work rather than does it. To add one is
// as much as to change one.
func decides(p string) bool {
	return matchAny(config.Deciding(), p) || matchAny(catalog.Kinds().Guards, p)
}

// inspect looks at what changed since the base, and since every other revision
// that counts, for what no check would see. What was put into a commit meanwhile
// is seen as well as what was not.
func (g *gate) inspect(ctx context.Context) error {
	if err := g.inspectSince(ctx, g.Base, g.changed); err != nil || g.Repo == nil {
		return err
	}
	for _, rev := range g.Since {
		changed, err := g.Repo.Diff(ctx, rev, g.before)
		if err == nil {
			err = g.inspectSince(ctx, rev, changed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *gate) inspectSince(ctx context.Context, rev string, changed []git.Change) error {
	for _, c := range changed {
		if err := g.inspectProtected(ctx, rev, c); err != nil {
			return err
		}
	}
	if err := g.inspectFiles(ctx, rev, changed); err != nil {
		return err
	}
	return g.inspectTests(ctx, rev, changed)
}

// once tells whether a finding is new: several revisions may show the same.
func (g *gate) once(key ...string) bool {
	k := strings.Join(key, "\x00")
	was := g.told[k]
	g.told[k] = true
	return !was
}

func (g *gate) inspectProtected(ctx context.Context, rev string, c git.Change) error {
	if kedge.IsGenerated(c.Path) {
		return nil
	}
	found, guarded := review.Guarded(g.Protect, g.obeyed(), c.Path)
	added := c.Status == "A"
	if !guarded || added && !decides(c.Path) && !found.Obeyed || !g.once("protected", c.Path) {
		return nil
	}
	if g.Review && !kedge.IsOwnPath(c.Path) {
		g.await(rev, c, found)
		return nil
	}
	level := kedge.LevelError
	if decides(c.Path) {
		level = g.Guard
	}
	switch {
	case c.Status == "D":
		g.find(level, protectedWords(c), c.Path, restore(rev, c.Path))
	case level == kedge.LevelWarning && kedge.IsUserFile(c.Path):
		return g.meant(ctx, c.Path)
	default:
		g.find(level, protectedWords(c), c.Path, undo(rev, c.Path, added))
	}
	return nil
}

// meant warns of a file that is for people to write, and that a person changed:
// to undo it would be wrong advice. What remains to be done is to commit it, and
// to vouch for it before agents.
func (g *gate) meant(ctx context.Context, p string) error {
	committed, err := g.Repo.ReadFile(ctx, "HEAD", p)
	if err != nil && !kedge.NotFound.Is(err) {
		return err
	}
	isNew := err != nil
	now, err := g.Repo.ReadFile(ctx, g.before, p)
	if err != nil {
		return err
	}
	commit := fmt.Sprintf("git commit -m 'settings of Kedge' -- %s", quote(p))
	switch {
	case isNew:
		g.find(kedge.LevelWarning, "not committed yet", p, fmt.Sprintf("git add -- %s && %s", quote(p), commit))
	case !bytes.Equal(committed, now):
		g.find(kedge.LevelWarning, "has changes that are not committed yet", p, commit)
	default:
		g.find(kedge.LevelWarning, "changed since the last green verdict", p, "kedge gate --all")
	}
	return nil
}

func restore(base, p string) string {
	return fmt.Sprintf("git restore --source=%s -- %s", base, quote(p))
}
