package drive

import (
	"bytes"
	"context"

	"kedge"
	"kedge/internal/book"
	"kedge/internal/gitx"
	docs "kedge/internal/ledger"
	"kedge/internal/project"
	"kedge/internal/run"
	"kedge/internal/slot"
	"kedge/internal/standing"
)

// A run begins on a commit, and its end comes to the user's checkout by git: by
// kedge land, or by a git merge of the user's own. Nothing of Kedge's must be in
// the way of that. So what Kedge wrote into the checkout is committed before a
// run begins, and until its work has landed Kedge's files there stay as they are
// committed: the run's own ledger commits bring the rest.

// commitLedger commits the files of the user's checkout that Kedge wrote and
// nobody has committed, and nothing else, and gives the head that is there then.
// Words of people's in one of them keep it out; so does a git command that is
// unfinished.
func (s *Driver) commitLedger(ctx context.Context, p *project.Project, who project.Caller, repo *gitx.Repo, head gitx.Head) (gitx.Head, error) {
	if repo.Busy() != "" {
		return head, nil
	}
	if _, err := s.book.SettleLocked(ctx, p, who); err != nil {
		return head, err
	}
	if _, err := s.book.BringFilesUp(ctx, p); err != nil {
		return head, err
	}
	paths, err := s.uncommitted(ctx, p, repo)
	if err != nil || len(paths) == 0 {
		return head, err
	}
	author, err := repo.Identity(ctx)
	if err != nil {
		return head, err
	}
	_, err = repo.CommitPaths(ctx, gitx.CommitPathsRequest{
		Paths: paths, Message: "kedge: the ledger as the run begins\n\nKedge-Ledger: none", Date: s.home.Now(), Author: author,
	})
	if err != nil {
		return head, err
	}
	return repo.Head(ctx)
}

// uncommitted are the files of the checkout that are Kedge's alone and differ
// from the last commit.
func (s *Driver) uncommitted(ctx context.Context, p *project.Project, repo *gitx.Repo) ([]string, error) {
	tree, err := repo.Tree(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := repo.Diff(ctx, "HEAD", tree)
	if err != nil {
		return nil, err
	}
	l, err := book.ReadLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range changes {
		if !standing.OwnFile(c.Path) || c.Path == book.PlanFile && !isPlan(l, p) {
			continue
		}
		if s.landable(ctx, p, c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, nil
}

// isPlan tells whether plan.md is the approved plan, and no draft.
func isPlan(l book.Ledger, p *project.Project) bool {
	b, ok, err := p.Read(book.PlanFile)
	return err == nil && ok && l.Plan != nil && bytes.Equal(b, l.PlanText())
}

// AtRest is the project as its checkout is while the work of a run is still to
// land there: files of Kedge's stay as they are committed. A plan that is being made
// is shown all the same: people have to read it.
func (s *Driver) AtRest(ctx context.Context, p *project.Project) *project.Project {
	if p.Still != nil || p.Driven != nil || !p.Git || project.MainFolder(p.Dir) != p.Dir {
		return p
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return p
	}
	last, found, err := lastRun(ctx, p)
	if err != nil || !found {
		return p // what cannot be told is no reason to write less
	}
	if awaited, err := s.awaited(ctx, repo, last); err != nil || !awaited {
		return p
	}
	shown, err := s.showsPlan(ctx, p, last)
	if err != nil {
		return p
	}
	q := *p
	q.Still = func(name string) project.Stillness {
		if shown && name == book.PlanFile {
			return project.Stillness{}
		}
		return s.restOf(ctx, p, repo, name)
	}
	q.Ahead = func(name string, text []byte) string {
		rev := slot.Branch(last.Run)
		if b, err := repo.ReadFile(ctx, "refs/heads/"+rev, name); err != nil || !book.SameText(b, text) {
			return ""
		}
		return "git show " + rev + ":" + name
	}
	return &q
}

// showsPlan tells whether a run makes a plan, and nobody approved or dropped it.
func (s *Driver) showsPlan(ctx context.Context, p *project.Project, st run.State) (bool, error) {
	if !isPlanning(st) {
		return false, nil
	}
	d, ok, err := planOf(ctx, p, st.Run)
	return ok && book.IsOpenPlan(d), err
}

func (s *Driver) restOf(ctx context.Context, p *project.Project, repo *gitx.Repo, name string) project.Stillness {
	then, err := repo.HeadText(ctx, name)
	if err != nil {
		return project.Stillness{}
	}
	now, ok, err := p.Read(name)
	switch {
	case err != nil:
		return project.Stillness{}
	case then == nil:
		return project.Stillness{Stays: !ok}
	case ok && book.SameText(now, book.ToLF([]byte(*then))):
		return project.Stillness{Stays: true}
	case ok && name == book.ProgressFile && !s.noWordsLost(ctx, p, now):
		return withWords(now, []byte(*then))
	case s.book.Projected(p)[project.Sum([]byte(*then))]:
		return project.Stillness{Back: []byte(*then)}
	}
	return project.Stillness{}
}

// withWords: people wrote into progress.md, and their words are theirs until they
// commit them. Lines of Kedge's are as they are committed all the same.
func withWords(now, then []byte) project.Stillness {
	back := docs.RestoreProgress(now, then)
	if book.SameText(now, back) {
		return project.Stillness{Stays: true}
	}
	return project.Stillness{Back: back}
}

// awaited tells whether a run has work that the checkout does not have yet, or may
// still make some. One that only plans stands on the work of those before it, which
// its branch holds where it has not landed.
func (s *Driver) awaited(ctx context.Context, repo *gitx.Repo, st run.State) (bool, error) {
	if !st.Ended() && !isPlanning(st) {
		return true, nil // its branch is made with the first feature that is done: until then there is none
	}
	if behind, err := leftBehind(ctx, repo, st); err != nil || behind {
		return false, err // people have it in commits of their own
	}
	if st.Halt != "" && !isPlanning(st) {
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
func goesOn(ctx context.Context, repo *gitx.Repo, st run.State) (bool, error) {
	head, err := repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return false, err
	}
	gone, err := takenAway(ctx, repo, head, st)
	return err == nil && !gone, err
}
