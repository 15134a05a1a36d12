package drive

import (
	"context"

	"kedge"
	"kedge/internal/care"
	"kedge/internal/gitx"
	"kedge/internal/project"
	"kedge/internal/run"
)

// trusted refuses a run on a commit that brings along what agents run or obey, and
// nobody approved: there is no person at an unattended session to be asked.
func trusted(ctx context.Context, p *project.Project, repo *gitx.Repo, commit string) error {
	open, err := care.Unapproved(ctx, p, repo, commit)
	if err != nil {
		return err
	}
	return care.RefuseUnapproved(open)
}

// trusted looks at a work tree before a session starts in it: files that git ignores
// outlive a feature there, and a session may have written any. What is found is
// written down, so that people see it where they approve.
func (l runLedger) trusted(ctx context.Context, c run.Command, dir string, after kedge.SessionID) error {
	approved, err := care.Approvals(ctx, l.p)
	if err != nil {
		return err
	}
	repo, err := l.s.home.Git(ctx, l.p)
	if err != nil {
		return err
	}
	found, err := care.InDir(ctx, repo, dir)
	if err != nil {
		return err
	}
	open := found.Without(approved)
	if open.None() {
		return nil
	}
	data := kedge.TrustFoundData{Dir: dir, Run: c.Run, Feature: c.Feature, After: after, Items: open.Items()}
	if err := l.add(ctx, runKey(c, "untrusted"), kedge.ActorDaemon, kedge.TrustFound, data); err != nil {
		return err
	}
	return care.RefuseUnapproved(open)
}
