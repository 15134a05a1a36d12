package execute

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// ledger is the end of a job: its status is journaled, the projections are
// written into the clean worktree, and what changed of them is committed on
// Base. Nothing but what is Kedge's is in that commit.
func (x *Executor) ledger(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	c, err := x.settledWork(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	if err := x.markEnd(ctx, c); err != nil {
		return run.Input{}, err
	}
	ev := c.Reply(run.OK)
	done, err := x.madeLedger(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	if done != "" {
		ev.Commit = done
		return ev, nil
	}
	if err := x.settledCheckpoint(ctx, c); err != nil {
		return run.Input{}, err
	}
	repo, err := x.ledgerTree(ctx, c)
	if kedge.Conflict.Is(err) {
		ev.Outcome, ev.Reason = run.Drifted, err.Error()
		return ev, nil
	}
	if err != nil {
		return run.Input{}, err
	}
	if err := x.cfg.Ledger.Project(ctx, repo.Root()); err != nil {
		return run.Input{}, err
	}
	if ev.Commit, err = x.commitLedger(ctx, c, repo); err != nil {
		return run.Input{}, err
	}
	return ev, nil
}

// settledCheckpoint saves where the run stands once a job ended without work of its own:
// the checkpoint before says that it is still worked on.
func (x *Executor) settledCheckpoint(ctx context.Context, c run.Command) error {
	if c.Commit != "" || c.Feature == "" {
		return nil
	}
	tree, err := x.cfg.Repo.TreeOf(ctx, c.Base)
	if err != nil {
		return err
	}
	j, err := x.job(c)
	if err != nil {
		return err
	}
	_, err = x.cfg.Briefs.Checkpoint(ctx, c, engine.Position{Dir: x.cfg.Slots.CleanDir(c.Run), Session: j.Session, Commit: c.Base, Tree: tree})
	return err
}

// settledWork is the command of a person's yes or no to work with its commit by its
// whole name. Of what was taken back no note says any more that it is good.
func (x *Executor) settledWork(ctx context.Context, c run.Command) (run.Command, error) {
	switch {
	case c.Purpose == run.TakeOn:
		work, err := x.cfg.Repo.ReadCommit(ctx, c.Commit)
		if err != nil {
			return c, err
		}
		c.Commit = work.SHA
	case c.Purpose == run.TakeBack && c.Commit != "":
		return c, x.cfg.Briefs.TakenBack(ctx, c)
	}
	return c, nil
}

// markEnd journals what became of the feature, and which others are red again. Where
// the journal has it already that a person accepted it, it is their word that counts.
func (x *Executor) markEnd(ctx context.Context, c run.Command) error {
	said, err := x.acceptedBefore(ctx, c)
	if err != nil {
		return err
	}
	if c.Feature != "" && !said {
		if err := x.markFeature(ctx, c); err != nil {
			return err
		}
	}
	for _, id := range c.Features {
		data := kedge.FeatureStatusData{ID: id, Status: kedge.Regressed, Reason: "red again: \"" + string(id) + "\""}
		if err := x.cfg.Ledger.Mark(ctx, key(c, "regressed-"+string(id)), kedge.ActorDaemon, data); err != nil {
			return err
		}
	}
	return nil
}

func (x *Executor) acceptedBefore(ctx context.Context, c run.Command) (bool, error) {
	if c.Purpose != run.TakeOn {
		return false, nil
	}
	f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
	return f.Status == kedge.Completed, err
}

func (x *Executor) markFeature(ctx context.Context, c run.Command) error {
	_, err := x.cfg.Ledger.Feature(ctx, c.Feature, c.Hash)
	if kedge.Conflict.Is(err) {
		return nil // amended meanwhile: what was proven is not what is asked for now
	}
	if err != nil {
		return err
	}
	data := kedge.FeatureStatusData{ID: c.Feature, Status: c.Status, Reason: c.Reason}
	if c.Evidence != "" {
		data.Evidence = &c.Evidence
	}
	if c.Purpose == run.TakeBack && c.Status == kedge.Pending {
		data.Wanted = &c.Reason
	}
	if c.Commit != "" && c.Purpose != run.TakeBack && c.Purpose != run.TakeOn {
		if data.Files, err = x.filesOf(ctx, c); err != nil {
			return err
		}
	}
	switch c.Status {
	case kedge.Completed:
		at := c.At
		data.CompletedAt = &at
	case kedge.BlockedWork:
		notes, err := x.explanation(ctx, c)
		if err != nil {
			return err
		}
		data.Notes = &notes
	default:
	}
	return x.cfg.Ledger.Mark(ctx, key(c, "status"), kedge.ActorDaemon, data)
}

// filesOf are the files of the work commit.
func (x *Executor) filesOf(ctx context.Context, c run.Command) ([]string, error) {
	at, err := x.committedStanding(ctx, run.Command{Run: c.Run, Feature: c.Feature, Commit: c.Commit})
	files := make([]string, 0, len(at.Files))
	for _, f := range at.Files {
		files = append(files, f.Path)
	}
	return files, err
}

// ledgerTree is the run's clean worktree, with the files of Base.
func (x *Executor) ledgerTree(ctx context.Context, c run.Command) (*git.Repo, error) {
	q := slot.Request{
		Run: c.Run, Job: c.Job, Origin: c.Origin(), Base: c.Base, Name: key(c, "ledger"), Reason: "what checks left in the clean worktree", At: c.At,
	}
	w, err := x.cfg.Slots.Clean(ctx, q)
	if err != nil {
		return nil, err
	}
	tree, err := w.TreeOf(ctx, c.Base)
	if err != nil {
		return nil, err
	}
	saved, err := x.cfg.Slots.PutClean(ctx, w, tree, q)
	if err == nil && saved.Ref != "" {
		err = x.cfg.Ledger.Salvaged(ctx, key(c, "salvage"), saved)
	}
	return w, err
}

// madeLedger is the commit that this command made before; empty when it has not.
func (x *Executor) madeLedger(ctx context.Context, c run.Command) (string, error) {
	info, err := x.cfg.Repo.ReadCommit(ctx, "refs/heads/"+slot.Branch(c.Run))
	if kedge.NotFound.Is(err) {
		return "", nil
	}
	same := strings.TrimSpace(info.Message) == strings.TrimSpace(engine.LedgerMessage(c))
	if err != nil || !same || len(info.Parents) != 1 || info.Parents[0] != c.Base {
		return "", err
	}
	return info.SHA, nil
}

// commitLedger commits what the projections changed; empty when nothing did.
func (x *Executor) commitLedger(ctx context.Context, c run.Command, repo *git.Repo) (string, error) {
	return slot.CommitGenerated(ctx, repo, c.Base, x.cfg.Repo, git.CommitPathsRequest{Message: engine.LedgerMessage(c), Date: c.At})
}
