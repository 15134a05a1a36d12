package history

import (
	"context"

	"kedge/internal/git/hardened"
)

// What the packages above need besides the methods of a Repo. These are functions, so
// that whoever is given a repository has none of them.

// MoveRef is UpdateRef for a valid name, HEAD included. The caller holds the
// repository.
func MoveRef(ctx context.Context, g *hardened.Git, ref, to, old string) error {
	return Of(g).moveRef(ctx, ref, to, old)
}

// RefValue is what a ref stands at; empty when it does not exist.
func RefValue(ctx context.Context, g *hardened.Git, ref string) (string, error) {
	return Of(g).refValue(ctx, ref)
}

// NoRef tells for certain that there is no such ref, without asking git.
func NoRef(g *hardened.Git, ref string) bool { return Of(g).noRef(ref) }

// KeptBy lists the refs, but for the given branch, that hold a commit.
func KeptBy(ctx context.Context, g *hardened.Git, commit, but string) ([]string, error) {
	return Of(g).keptBy(ctx, commit, but)
}

// CommitOf gives the full name of the commit behind a revision; NotFound when there
// is none.
func CommitOf(ctx context.Context, g *hardened.Git, rev string) (string, error) {
	return Of(g).commitOf(ctx, rev)
}

// PlainCommit is the commit behind a revision; false when git has to be asked.
func PlainCommit(g *hardened.Git, rev string) (sha string, text []byte, ok bool) {
	return Of(g).plainCommit(rev)
}

// BaseTree is the tree of a commit; the empty one for no commit.
func BaseTree(ctx context.Context, g *hardened.Git, commit string) (string, error) {
	return Of(g).baseTree(ctx, commit)
}

// Find finds one path of a revision; nil when it is not there.
func Find(ctx context.Context, g *hardened.Git, rev, path string) (*Entry, error) {
	return Of(g).entry(ctx, rev, path)
}

// Finder finds n paths of a revision; nil is one that is not there.
func Finder(ctx context.Context, g *hardened.Git, rev string, n int) (func(path string) (*Entry, error), error) {
	return Of(g).entries(ctx, rev, n)
}
