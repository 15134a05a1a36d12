package service

import (
	"context"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/run"
)

// projections are what Kedge writes into a repository: in a merge the run's own
// word counts, for the journal has it all.
var projections = []string{
	"AGENT_CONTEXT.md", featuresFile, planFile, ".kedge/risks.md", ".kedge/progress.md", checkpointFile, handoffFile,
	".kedge/decisions", ".kedge/notes",
}

// runBase is the commit that a run begins on, or goes on from: what the run of
// st integrated and what people committed, both. Where each has commits that the
// other does not, they are merged; the baseline is checked before anything is
// built on that.
func (s *Service) runBase(ctx context.Context, repo *gitx.Repo, head gitx.Head, st run.State) (string, error) {
	if st.Tip == "" || st.Tip == head.Commit {
		return head.Commit, nil
	}
	known, err := has(ctx, repo, st.Tip)
	if err != nil || !known {
		return head.Commit, err // somebody removed its branch
	}
	if landed, err := repo.Descends(ctx, head.Commit, st.Tip); err != nil || landed {
		return head.Commit, err
	}
	ahead, err := repo.Descends(ctx, st.Tip, head.Commit)
	if err != nil || ahead {
		return st.Tip, err
	}
	return s.mergedBase(ctx, repo, head, st)
}

// mergedBase merges what people committed into what the run integrated.
func (s *Service) mergedBase(ctx context.Context, repo *gitx.Repo, head gitx.Head, st run.State) (string, error) {
	common, err := repo.MergeBase(ctx, st.Tip, head.Commit)
	if err != nil {
		return "", err
	}
	q := gitx.MergeRequest{Ours: st.Tip, Date: s.now()}
	if q.Base, err = withoutProjections(ctx, repo, common); err != nil {
		return "", err
	}
	if q.Theirs, err = withoutProjections(ctx, repo, head.Commit); err != nil {
		return "", err
	}
	m, err := repo.Merge(ctx, q)
	if err != nil {
		return "", err
	}
	if len(m.Conflicts) > 0 {
		return "", kedge.Errorf(kedge.Conflict, "branch %q and the work of %s changed the same: %s", head.Branch, st.Run, listed(m.Conflicts)).
			WithHint("bring them together: git merge kedge/%s", st.Run)
	}
	author, err := repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	return repo.Commit(ctx, gitx.CommitRequest{
		Tree: m.Tree, Parents: []string{st.Tip, head.Commit}, Author: author, Date: q.Date,
		Message: "Merge branch '" + head.Branch + "' into kedge/" + string(st.Run),
	})
}

func withoutProjections(ctx context.Context, repo *gitx.Repo, commit string) (string, error) {
	tree, err := repo.TreeOf(ctx, commit)
	if err != nil {
		return "", err
	}
	return repo.TreeWithout(ctx, tree, projections...)
}
