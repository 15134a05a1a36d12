package reports

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// describedEnds takes back that an end is clean where its commit does not say what was
// done.
func describedEnds(ctx context.Context, repo *git.Repo, ends []SessionEnd) error {
	for i := range ends {
		if !ends[i].Clean {
			continue
		}
		c, err := repo.ReadCommit(ctx, ends[i].Commit)
		if kedge.NotFound.Is(err) {
			ends[i].Clean, ends[i].Why = false, "its commit is gone"
			continue
		}
		if err != nil {
			return err
		}
		if !brief.Describes(c.Message) {
			ends[i].Clean, ends[i].Why = false, "its commit does not say what was done"
		}
	}
	return nil
}

// toldEnds fills in what the sessions' own records say: what the agents of those that
// had a failure to repair gave as its cause, and what was compared before the first edit.
func toldEnds(ctx context.Context, p *projects.Project, ends []SessionEnd) error {
	for i := range ends {
		ses, _, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(ends[i].Session))
		if err != nil {
			return err
		}
		if ends[i].Failure != "" {
			ends[i].Cause = brief.StatedCause(ses.Closing)
		}
		if ses.Begun != nil {
			ends[i].Compared = ses.Begun.Compared
		}
	}
	return nil
}
