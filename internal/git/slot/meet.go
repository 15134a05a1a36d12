package slot

import (
	"context"
	"slices"
	"time"

	"kedge"
	"kedge/internal/git"
)

// Way is how a branch of yours stands to work that is to land on it.
type Way int

// The ways.
const (
	Behind    Way = iota // it can be moved ahead, or has the work
	Diverged             // it has commits of its own, and not those of the work
	Rewritten            // besides, it no longer has commits that the work was made on
)

// Meeting is a branch of yours beside the work of a run that is to land on it.
type Meeting struct {
	Run    kedge.RunID
	Work   string // the commit that is to land
	Branch string // yours
	At     string // its commit

	Way       Way
	Has       bool             // it has what the work changed, in commits of its own: squashed, rebased or picked
	Here      bool             // the branch is checked out
	Busy      string           // the git command that is unfinished there, by the file that says so
	InRun     bool             // the run's own branch is checked out instead
	Own       int              // how many commits of it the work does not have
	Lost      []git.CommitInfo // Rewritten: those of yours that it no longer has, the newest first
	Tree      string           // Diverged: both merged
	Conflicts []string         // Diverged: the files in which that conflicts; none: there is no conflict
}

// Meet finds out how the two stand. Everything that it makes has the date.
func Meet(ctx context.Context, repo *git.Repo, m Meeting, date time.Time) (Meeting, error) {
	for _, of := range [][2]string{{m.Work, m.At}, {m.At, m.Work}} {
		if is, err := repo.Descends(ctx, of[0], of[1]); err != nil || is {
			return m, err
		}
	}
	base, err := m.look(ctx, repo)
	if err != nil || base == "" {
		return m, err
	}
	if m.Has, err = m.hasContent(ctx, repo, base, date); err != nil || m.Way == Rewritten {
		return m, err
	}
	merged, err := MergeYours(ctx, repo, base, m.Work, m.At, date)
	if err == nil && len(merged.Conflicts) > 0 { // as your own git merge will find them
		merged, err = repo.Merge(ctx, git.MergeRequest{Base: base, Ours: m.At, Theirs: m.Work, Date: date})
	}
	m.Tree, m.Conflicts = merged.Tree, merged.Conflicts
	return m, err
}

// look says what each of the two has that the other does not. The base is the commit of yours
// that the work was made on; empty: it is not known.
func (m *Meeting) look(ctx context.Context, repo *git.Repo) (base string, err error) {
	h, err := repo.Head(ctx)
	if err != nil {
		return "", err
	}
	own, err := repo.Since(ctx, m.Work, m.At)
	if err != nil {
		return "", err
	}
	m.Way, m.Here, m.Own, m.InRun = Diverged, h.Branch == m.Branch, len(own), h.Branch == Branch(m.Run)
	if m.Here || h.Detached { // in the middle of a rebase HEAD is on no branch
		m.Busy = repo.Busy()
	}
	if m.Lost, err = lost(ctx, repo, m.At, m.Work); err != nil {
		return "", err
	}
	if len(m.Lost) > 0 {
		m.Way = Rewritten
		return m.Lost[0].SHA, nil
	}
	base, err = repo.MergeBase(ctx, m.At, m.Work)
	if kedge.NotFound.Is(err) {
		m.Way = Rewritten
		return "", nil
	}
	return base, err
}

// lost are the commits below the work that the branch does not have and no run made.
func lost(ctx context.Context, repo *git.Repo, at, work string) ([]git.CommitInfo, error) {
	list, err := repo.Since(ctx, at, work)
	return slices.DeleteFunc(list, func(c git.CommitInfo) bool {
		return c.Trailer("Kedge-Run") != "" || c.Trailer("Kedge-Ledger") != "" || c.Trailer("Kedge-Feature") != ""
	}), err
}

// hasContent tells whether a merge of the work, which was made on base, would change nothing
// on the branch.
func (m *Meeting) hasContent(ctx context.Context, repo *git.Repo, base string, date time.Time) (bool, error) {
	var trees [3]string
	for i, commit := range []string{base, m.At, m.Work} {
		var err error
		if trees[i], err = repo.TreeWithout(ctx, commit, Kedges...); err != nil {
			return false, err
		}
	}
	both, err := repo.Merge(ctx, git.MergeRequest{Base: trees[0], Ours: trees[1], Theirs: trees[2], Date: date})
	return err == nil && len(both.Conflicts) == 0 && both.Tree == trees[1], err
}

// MergeYours merges what is on a branch of yours into work. Of the files that Kedge writes
// those of the work count: the journal has it all.
func MergeYours(ctx context.Context, repo *git.Repo, base, work, at string, date time.Time) (git.Merged, error) {
	q := git.MergeRequest{Ours: work, Date: date}
	for to, commit := range map[*string]string{&q.Base: base, &q.Theirs: at} {
		tree, err := repo.TreeOf(ctx, commit)
		if err == nil {
			*to, err = repo.TreeWithout(ctx, tree, kedge.GeneratedPaths()...)
		}
		if err != nil {
			return git.Merged{}, err
		}
	}
	return repo.Merge(ctx, q)
}
