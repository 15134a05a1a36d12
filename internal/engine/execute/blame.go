package execute

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

// What is looked at to find who broke a feature: enough for a day of commits, and few
// enough runs of its check.
const (
	mostBlamed = 3  // features
	farBack    = 64 // commits
	mostOthers = 32 // commits of others, the newest ones
)

// past is what led to a commit.
type past struct {
	verified string           // the newest commit before it that a run verified; empty: none near
	others   []git.CommitInfo // since then, what no run made, the oldest first
	work     []git.CommitInfo // where there is nothing of others, and somebody asks: the work of runs
}

// pastOf walks back from a commit to the newest one that was committed as it was
// verified. One that somebody amended since is not that.
func (x *Executor) pastOf(ctx context.Context, commit string, work bool) (past, error) {
	var p past
	for range farBack {
		info, err := x.cfg.Repo.ReadCommit(ctx, commit)
		if err != nil {
			return p, err
		}
		switch verified := info.Trailer("Kedge-Validated") == info.Tree; {
		case verified:
			p.verified = cmp.Or(p.verified, info.SHA)
			p.work = append(p.work, info)
		case p.verified == "" && info.Trailer("Kedge-Ledger") == "":
			if err := x.addOthers(ctx, &p, info); err != nil {
				return p, err
			}
		}
		if len(info.Parents) == 0 || p.verified != "" && (len(p.others) > 0 || !work) {
			break
		}
		commit = info.Parents[0]
	}
	slices.Reverse(p.others)
	slices.Reverse(p.work)
	p.others = p.others[max(0, len(p.others)-mostOthers):]
	return p, nil
}

// addOthers takes in a commit, and what a merge brought.
func (x *Executor) addOthers(ctx context.Context, p *past, info git.CommitInfo) error {
	p.others = append(p.others, info)
	if len(info.Parents) < 2 {
		return nil
	}
	merged, err := x.cfg.Repo.Since(ctx, info.Parents[0], info.Parents[1])
	for _, m := range merged {
		if m.Trailer("Kedge-Ledger") == "" && len(p.others) < farBack {
			p.others = append(p.others, m)
		}
	}
	return err
}

// blame says since when a feature is red that is so at the command's base: since which
// commit of others, or else whose work. Its check is green before that one, and red at
// it. Empty where that cannot be told.
func (x *Executor) blame(ctx context.Context, c run.Command, clean *git.Repo, b broken) (string, error) {
	p, err := x.pastOf(ctx, c.Base, true)
	if err != nil {
		return "", err
	}
	good, list := p.suspects()
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

// suspects are the commits of which one may have broken something, the oldest first, and
// the commit before them.
func (p past) suspects() (before string, list []git.CommitInfo) {
	list = p.others
	if len(list) == 0 {
		list = p.work
	}
	if len(list) == 0 {
		return "", nil
	}
	first := list[0]
	switch {
	case len(p.others) > 0 && len(p.others) < mostOthers && p.verified != "":
		return p.verified, list
	case len(first.Parents) == 0:
		return first.SHA, list[1:]
	default:
		return first.Parents[0], list
	}
}

// greenAt tells whether a feature's checks are green at a commit.
func (x *Executor) greenAt(ctx context.Context, c run.Command, clean *git.Repo, commit string, b broken) (bool, error) {
	red, other, err := x.redAt(ctx, c, clean, commit, []broken{b})
	if err == nil && other.Outcome != "" {
		err = kedge.Errorf(kedge.Blocked, "%s cannot be checked: %s", words.Hash(commit), other.Reason)
	}
	return len(red) == 0, err
}

// since names a commit, whose work it is, or who wrote it.
func (x *Executor) since(ctx context.Context, at git.CommitInfo) (string, error) {
	if id := at.Trailer("Kedge-Feature"); id != "" {
		return fmt.Sprintf("since the work on %q: %s", id, words.Hash(at.SHA)), nil
	}
	info, err := x.cfg.Repo.ReadCommit(ctx, at.SHA)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("since commit %s by %s: %s", words.Hash(info.SHA), info.Author, subject(strings.SplitN(info.Message, "\n", 2)[0])), nil
}
