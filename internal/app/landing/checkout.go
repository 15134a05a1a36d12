package landing

import (
	"bytes"
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// A run begins on a commit, and its end comes to the user's checkout by git: by
// kedge land, or by a git merge of the user's own. Nothing of Kedge's must be in
// the way of that. So what Kedge wrote into the checkout is committed before a
// run begins, and until its work has landed Kedge's files there stay as they are
// committed: the run's own ledger commits bring the rest.

// CommitLedger commits the files of the user's checkout that Kedge wrote and
// nobody has committed, and nothing else, and gives the head that is there then.
// Words of people's in one of them keep it out; so does a git command that is
// unfinished.
func (s *Landing) CommitLedger(ctx context.Context, p *projects.Project, who projects.Caller, repo *git.Repo, head git.Head) (git.Head, error) {
	if repo.Busy() != "" {
		return head, nil
	}
	if _, err := s.book.LockAndResolveEdits(ctx, p, who); err != nil {
		return head, err
	}
	if _, err := s.book.SyncFiles(ctx, p); err != nil {
		return head, err
	}
	paths, err := s.Uncommitted(ctx, p, repo)
	if err != nil || len(paths) == 0 {
		return head, err
	}
	author, err := repo.Identity(ctx)
	if err != nil {
		return head, err
	}
	_, err = repo.CommitPaths(ctx, git.CommitPathsRequest{
		Paths: paths, Message: "kedge: the ledger as the run begins\n\nKedge-Ledger: none", Date: s.home.Now(), Author: author,
	})
	if err != nil {
		return head, err
	}
	return repo.Head(ctx)
}

// Uncommitted are the files of the checkout that are Kedge's alone and differ
// from the last commit.
func (s *Landing) Uncommitted(ctx context.Context, p *projects.Project, repo *git.Repo) ([]string, error) {
	tree, err := repo.Tree(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := repo.Diff(ctx, "HEAD", tree)
	if err != nil {
		return nil, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range changes {
		if !kedge.IsGenerated(c.Path) || c.Path == ledger.PlanFile && !isPlan(l, p) {
			continue
		}
		if s.Replaceable(ctx, p, c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, nil
}

// isPlan tells whether plan.md is the approved plan, and no draft.
func isPlan(l ledger.Snapshot, p *projects.Project) bool {
	b, ok, err := p.Read(ledger.PlanFile)
	return err == nil && ok && l.Plan != nil && bytes.Equal(b, l.PlanText())
}

// FilesWait is the project as its checkout is while the work of a run is still to
// land there: files of Kedge's stay as they are committed. A plan that is being made
// is shown all the same: people have to read it.
func (s *Landing) FilesWait(ctx context.Context, p *projects.Project) *projects.Project {
	if p.Still != nil || p.RunSession != nil || !p.Git || git.MainFolder(p.Dir) != p.Dir {
		return p
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return p
	}
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil || !found {
		return p // what cannot be told is no reason to write less
	}
	if awaited, err := s.Awaited(ctx, repo, last); err != nil || !awaited {
		return p
	}
	shown, err := s.showsPlan(ctx, p, last)
	if err != nil {
		return p
	}
	q := *p
	q.Still = func(name string) projects.Stillness {
		if shown && name == ledger.PlanFile {
			return projects.Stillness{}
		}
		return s.restOf(ctx, p, repo, name)
	}
	q.Ahead = func(name string, text []byte) string {
		rev := slot.Branch(last.Run)
		if b, err := repo.ReadFile(ctx, "refs/heads/"+rev, name); err != nil || !ledger.SameText(b, text) {
			return ""
		}
		return "git show " + rev + ":" + name
	}
	return &q
}

// showsPlan tells whether a run makes a plan, and nobody approved or dropped it.
func (s *Landing) showsPlan(ctx context.Context, p *projects.Project, st run.State) (bool, error) {
	if !st.Planning() {
		return false, nil
	}
	d, ok, err := ledger.PlanOf(ctx, p, st.Run)
	return ok && ledger.IsOpenPlan(d), err
}

func (s *Landing) restOf(ctx context.Context, p *projects.Project, repo *git.Repo, name string) projects.Stillness {
	then, err := repo.HeadText(ctx, name)
	if err != nil {
		return projects.Stillness{}
	}
	now, ok, err := p.Read(name)
	switch {
	case err != nil:
		return projects.Stillness{}
	case then == nil:
		return projects.Stillness{Stays: !ok}
	case ok && ledger.SameText(now, ledger.ToLF([]byte(*then))):
		return projects.Stillness{Stays: true}
	case ok && name == ledger.ProgressFile && !s.noWordsLost(ctx, p, now):
		return withWords(now, []byte(*then))
	case ok && name == ledger.ContextFile && s.book.ContextHasWords(ctx, p, now):
		return projects.Stillness{Stays: true} // they are yours until you commit them
	case s.book.Projected(p)[projects.Sum([]byte(*then))]:
		return projects.Stillness{Back: []byte(*then)}
	}
	return projects.Stillness{}
}

// withWords: people wrote into progress.md, and their words are theirs until they
// commit them. Lines of Kedge's are as they are committed all the same.
func withWords(now, then []byte) projects.Stillness {
	back := docs.RestoreProgress(now, then)
	if ledger.SameText(now, back) {
		return projects.Stillness{Stays: true}
	}
	return projects.Stillness{Back: back}
}

// Awaited tells whether a run has work that the checkout does not have yet, or may
// still make some. One that only plans stands on the work of those before it, which
// its branch holds where it has not landed.
func (s *Landing) Awaited(ctx context.Context, repo *git.Repo, st run.State) (bool, error) {
	if !st.Ended() && !st.Planning() {
		return true, nil // its branch is made with the first feature that is done: until then there is none
	}
	if behind, err := LeftBehind(ctx, repo, st); err != nil || behind {
		return false, err // people have it in commits of their own
	}
	if st.Halt != "" && !st.Planning() {
		return goesOn(ctx, repo, st)
	}
	tip, err := repo.Resolve(ctx, "refs/heads/"+slot.Branch(st.Run))
	if kedge.NotFound.Is(err) {
		return false, nil // it made nothing, people took it away, or it landed and was cleared up
	}
	if err != nil {
		return false, err
	}
	head, err := repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return false, err
	}
	has, err := repo.Descends(ctx, head.Commit, tip)
	return err == nil && !has, err
}

// goesOn tells whether a halted run can go on from where people's branch is now:
// then it is the run's own ledger commits that bring what Kedge writes meanwhile.
func goesOn(ctx context.Context, repo *git.Repo, st run.State) (bool, error) {
	head, err := repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return false, err
	}
	gone, err := RemovedByUser(ctx, repo, head, st)
	return err == nil && !gone, err
}
