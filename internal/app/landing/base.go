package landing

import (
	"cmp"
	"context"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// Base is the commit that a run begins on, or goes on from: what the run of
// st integrated and what people committed, both. Where each has commits that the
// other does not, they are merged; nothing is built on that, and it does not
// land, before it is checked. What landed and is not on the branch any more,
// people took away: it stays away, and a note says so. So does one of what an agent may
// have put on the branch.
func (s *Landing) Base(ctx context.Context, p *projects.Project, repo *git.Repo, head git.Head, st run.State) (base string, notes []string, err error) {
	if base, notes, err = s.baseOf(ctx, p, repo, head, st); err != nil {
		return "", nil, err
	}
	more, err := notesOnMoved(ctx, p, repo, head, st)
	return base, append(notes, more...), err
}

func (s *Landing) baseOf(ctx context.Context, p *projects.Project, repo *git.Repo, head git.Head, st run.State) (base string, notes []string, err error) {
	if st.Tip == "" || st.Tip == head.Commit {
		return head.Commit, nil, nil
	}
	gone, err := RemovedByUser(ctx, repo, head, st)
	if err != nil {
		return "", nil, err
	}
	if gone {
		notes, err = s.notesOnGone(ctx, p, head, st)
		return head.Commit, notes, err
	}
	if known, err := repo.Has(ctx, st.Tip); err != nil || !known {
		return head.Commit, nil, cmp.Or[error](err, s.refuseLost(ctx, p, st))
	}
	if landed, err := repo.Descends(ctx, head.Commit, st.Tip); err != nil || landed {
		return head.Commit, nil, err
	}
	ahead, err := repo.Descends(ctx, st.Tip, head.Commit)
	if err != nil || ahead {
		return st.Tip, nil, err
	}
	base, err = s.mergedBase(ctx, repo, head, st)
	return base, nil, err
}

// RemovedByUser tells whether people took what the run left on their branch off it.
func RemovedByUser(ctx context.Context, repo *git.Repo, head git.Head, st run.State) (bool, error) {
	if st.Tip == "" || st.Tip == head.Commit || !st.AllLanded() {
		return false, nil
	}
	known, err := repo.Has(ctx, st.Tip)
	if err != nil || !known {
		return err == nil, err
	}
	there, err := repo.Descends(ctx, head.Commit, st.Tip)
	return err == nil && !there, err
}

// LeftBehind tells whether a run stands on commits of the user's that have its work
// without its own: its branch cannot be moved there.
func LeftBehind(ctx context.Context, repo *git.Repo, st run.State) (bool, error) {
	at, err := repo.Resolve(ctx, "refs/heads/"+slot.Branch(st.Run))
	if err != nil || st.Tip == "" || at == st.Tip || st.Landed != st.Tip {
		return false, unlessNone(err)
	}
	known, err := repo.Has(ctx, st.Tip)
	if err != nil || !known {
		return false, err
	}
	ahead, err := repo.Descends(ctx, st.Tip, at)
	return err == nil && !ahead, err
}

// RefuseRemoved keeps a run from going on whose integration branch holds what
// people took off theirs.
func RefuseRemoved(ctx context.Context, repo *git.Repo, head git.Head, st run.State) error {
	if behind, err := LeftBehind(ctx, repo, st); err != nil || behind {
		return cmp.Or[error](err, kedge.Errorf(kedge.Conflict, "you copied the commits of run %[2]q to branch %[1]q (rebase or cherry-pick), so this run cannot continue", head.Branch, st.Run).
			WithHint("stop this run, and start a new run from the branch as it is: %s", stopAndRun(st)))
	}
	gone, err := RemovedByUser(ctx, repo, head, st)
	if err != nil || !gone {
		return err
	}
	_, err = repo.Resolve(ctx, "refs/heads/"+slot.Branch(st.Run))
	if kedge.NotFound.Is(err) {
		return nil
	}
	return cmp.Or[error](err, kedge.Errorf(kedge.Conflict, "branch %q lost commits that run %q had moved to it, so this run cannot continue", head.Branch, st.Run).
		WithHint("stop this run, and start a new run from the branch as it is: %s", stopAndRun(st)))
}

// stopAndRun gives up a run and starts another one, with the agent that you gave it.
func stopAndRun(st run.State) kedge.NextStep {
	again := kedge.Step("kedge", "run")
	if a := st.Rules.Given.Agent; a != "" {
		again.Args = append(again.Args, "--agent", a)
	}
	return kedge.Step("kedge", "run", "--stop").AndThen(again)
}

// notesOnGone says that a run begins without what an earlier one had landed.
func (s *Landing) notesOnGone(ctx context.Context, p *projects.Project, head git.Head, st run.State) ([]string, error) {
	built, err := builtBy(ctx, p, st.Run)
	note := "branch \"" + head.Branch + "\" no longer has commit " + words.Hash(st.Tip) + " of the earlier run " + string(st.Run) + "; the new run begins at commit " + words.Hash(head.Commit)
	if len(built) > 0 {
		note += "; features whose commits are gone: " + verify.Listed(built) + "; to let Kedge build them again: " + reopenAll(built)
	}
	return []string{note}, err
}

// refuseLost: work that never landed, and whose commit nobody has any more, is
// not passed over in silence.
func (s *Landing) refuseLost(ctx context.Context, p *projects.Project, st run.State) error {
	built, err := builtBy(ctx, p, st.Run)
	if err != nil || len(built) == 0 {
		return err
	}
	return kedge.Errorf(kedge.Conflict, "run %[1]q cannot move its work to your branch, because its commit %[2]s is no longer in the repository; features in that commit: %[3]s", st.Run, words.Hash(st.Tip), verify.Listed(built)).
		WithHint("if a clone still has the commit: git fetch CLONE %s, then repeat your command; else let Kedge build the features again: %s", st.Tip, reopenAll(built))
}

func reopenAll(ids []string) string {
	return "kedge feature reopen " + strings.Join(ids, " && kedge feature reopen ")
}

// builtBy are the features that a run completed and that still count as such.
func builtBy(ctx context.Context, p *projects.Project, id kedge.RunID) ([]string, error) {
	doc, err := ledger.FindRun(ctx, p, id)
	if err != nil {
		return nil, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range l.Docs {
		if d.Status == kedge.Completed && d.CompletedAt != nil && d.CompletedAt.After(doc.BegunAt) {
			out = append(out, string(d.ID))
		}
	}
	return out, nil
}

// KeepBase puts a base that is on no branch of the user's under the run's own
// branch: git keeps what a branch holds.
func (s *Landing) KeepBase(ctx context.Context, p *projects.Project, repo *git.Repo, head git.Head, id kedge.RunID, base string) error {
	if base == "" || base == head.Commit {
		return nil
	}
	return s.home.Slots(p, repo).TakeAlong(ctx, id, base)
}

// mergedBase merges what people committed into what the run integrated.
func (s *Landing) mergedBase(ctx context.Context, repo *git.Repo, head git.Head, st run.State) (string, error) {
	common, err := repo.MergeBase(ctx, st.Tip, head.Commit)
	if err != nil {
		return "", err
	}
	date := s.home.Now()
	m, err := slot.MergeYours(ctx, repo, common, st.Tip, head.Commit, date)
	if err != nil {
		return "", err
	}
	if len(m.Conflicts) > 0 {
		return "", kedge.Errorf(kedge.Conflict, "the new commits on branch %q conflict with the work of run %q in these files: %s", head.Branch, st.Run, verify.Listed(m.Conflicts)).
			WithHint("merge the run's work yourself: git merge kedge/%s; then: kedge run", st.Run)
	}
	author, err := repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	return repo.Commit(ctx, git.CommitRequest{
		Tree: m.Tree, Parents: []string{st.Tip, head.Commit}, Author: author, Date: date,
		Message: "Merge branch '" + head.Branch + "' into kedge/" + string(st.Run) + "\n\nKedge-Run: " + string(st.Run),
	})
}
