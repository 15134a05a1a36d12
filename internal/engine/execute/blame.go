package execute

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

// mostBlamed is for how many features who broke them is looked for at a time.
const mostBlamed = 3

// blame says since when a feature is red that is so at the command's base: since which
// commit of others, or else whose work. Its check is green before that one, and red at
// it. Empty where that cannot be told.
func (x *Executor) blame(ctx context.Context, c run.Command, clean *git.Repo, b plan.Broken) (string, error) {
	p, err := x.cfg.Slots.PastOf(ctx, c.Base, true)
	if err != nil {
		return "", err
	}
	good, list := p.Suspects()
	if len(list) == 0 {
		return "", nil
	}
	if green, err := x.greenAt(ctx, c, clean, good, b); err != nil || !green {
		return "", err
	}
	lo, hi := -1, len(list)-1
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		green, err := x.greenAt(ctx, c, clean, list[mid].SHA, b)
		switch {
		case err != nil:
			return "", err
		case green:
			lo = mid
		default:
			hi = mid
		}
	}
	return x.since(ctx, list[hi])
}

// greenAt tells whether a feature's checks are green at a commit.
func (x *Executor) greenAt(ctx context.Context, c run.Command, clean *git.Repo, commit string, b plan.Broken) (bool, error) {
	red, other, err := x.redAt(ctx, c, clean, commit, []plan.Broken{b})
	if err == nil && other.Outcome != "" {
		err = kedge.Errorf(kedge.Blocked, "Kedge cannot run the checks on commit %s: %s", words.Hash(commit), other.Reason)
	}
	return len(red) == 0, err
}

// since names a commit, whose work it is, or who wrote it.
func (x *Executor) since(ctx context.Context, at git.CommitInfo) (string, error) {
	if id := at.Trailer("Kedge-Feature"); id != "" {
		return fmt.Sprintf("red since commit %s, the work on feature %q", words.Hash(at.SHA), id), nil
	}
	info, err := x.cfg.Repo.ReadCommit(ctx, at.SHA)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("red since commit %s by %s (%s)", words.Hash(info.SHA), info.Author, engine.Subject(strings.SplitN(info.Message, "\n", 2)[0])), nil
}
