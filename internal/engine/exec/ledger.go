package exec

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/run"
	"kedge/internal/slot"
)

// ledger is the end of a job: its status is journaled, the projections are
// written into the clean work tree, and what changed of them is committed on
// Base. Nothing but what is Kedge's is in that commit.
func (x *Executor) ledger(ctx context.Context, c run.Command, _ func(run.Event)) (run.Event, error) {
	if err := x.markEnd(ctx, c); err != nil {
		return run.Event{}, err
	}
	repo, err := x.ledgerTree(ctx, c)
	if err != nil {
		return run.Event{}, err
	}
	ev := answer(c, run.OK)
	head, err := repo.Head(ctx)
	if err != nil {
		return run.Event{}, err
	}
	if head.Commit != c.Base {
		done, err := x.isLedger(ctx, c, head.Commit)
		switch {
		case err != nil:
			return run.Event{}, err
		case !done:
			ev.Outcome, ev.Reason = run.Drifted, "the branch "+slot.Branch(c.Run)+" is at "+short(head.Commit)+", not at "+short(c.Base)
			return ev, nil
		}
		ev.Commit = head.Commit
		return ev, x.forgetCopy(ctx, c)
	}
	if err := x.cfg.Ledger.Project(ctx, repo.Root()); err != nil {
		return run.Event{}, err
	}
	if ev.Commit, err = x.commitLedger(ctx, c, repo); err != nil {
		return run.Event{}, err
	}
	return ev, x.forgetCopy(ctx, c)
}

func short(sha string) string { return sha[:min(len(sha), 12)] }

// markEnd journals what became of the feature, and which others are red again.
func (x *Executor) markEnd(ctx context.Context, c run.Command) error {
	if c.Feature != "" {
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
	if c.Commit != "" {
		if data.Files, err = x.filesOf(ctx, c); err != nil {
			return err
		}
	}
	switch c.Status {
	case kedge.Completed:
		at := c.At
		data.CompletedAt = &at
	case kedge.BlockedWork:
		notes := explanation(c)
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

// explanation is why a feature is blocked, for the person who looks at it.
func explanation(c run.Command) string {
	var b strings.Builder
	b.WriteString("Blocked: " + strings.TrimSpace(c.Reason))
	if f := strings.TrimSpace(c.Failure); f != "" && f != strings.TrimSpace(c.Reason) {
		b.WriteString("\nThe first failure, which the one repair was told: " + f)
	}
	b.WriteString("\nThe work was set aside (kedge salvage ls) and the files are as before. Next: kedge feature show " + string(c.Feature) +
		", then kedge feature amend or kedge feature reopen.")
	return b.String()
}

// ledgerTree is the run's clean work tree, made where a run got no further than
// this without one.
func (x *Executor) ledgerTree(ctx context.Context, c run.Command) (*gitx.Repo, error) {
	dir := x.cfg.Slots.CleanDir(c.Run)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		q := gitx.WorktreeRequest{Path: dir, Branch: slot.Branch(c.Run), Base: c.Base}
		if err := x.cfg.Repo.AddWorktree(ctx, q); err != nil {
			return nil, err
		}
	}
	return x.cfg.Repo.In(ctx, dir)
}

// isLedger tells whether a commit is the one that this command made before.
func (x *Executor) isLedger(ctx context.Context, c run.Command, sha string) (bool, error) {
	if sha == "" {
		return false, nil
	}
	info, err := x.cfg.Repo.ReadCommit(ctx, sha)
	if err != nil {
		return false, err
	}
	return len(info.Parents) == 1 && info.Parents[0] == c.Base && strings.TrimSpace(info.Message) == strings.TrimSpace(ledgerMessage(c)), nil
}

// commitLedger commits what the projections changed; empty when nothing did.
func (x *Executor) commitLedger(ctx context.Context, c run.Command, repo *gitx.Repo) (string, error) {
	tree, err := repo.Tree(ctx)
	if err != nil {
		return "", err
	}
	changes, err := repo.Diff(ctx, c.Base, tree)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, ch := range changes {
		if ours(ch.Path) && !peoples(ch.Path) {
			paths = append(paths, ch.Path)
		}
	}
	if len(paths) == 0 {
		return "", nil
	}
	author, err := x.cfg.Repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	return repo.CommitPaths(ctx, gitx.CommitPathsRequest{Paths: paths, Message: ledgerMessage(c), Date: c.At, Author: author})
}

// peoples tells whether a file under .kedge is people's, which no ledger commit
// changes, or a leftover.
func peoples(path string) bool {
	switch path {
	case ".kedge/config.toml", ".kedge/gate.toml", ".kedge/rules.md", ".kedge/id":
		return true
	}
	return strings.HasPrefix(path, ".kedge/skills/") || strings.HasPrefix(path, ".kedge/.")
}

// ledgerMessage says what the ledger says from now on.
func ledgerMessage(c run.Command) string {
	what := "the baseline is mended"
	if c.Status != kedge.Completed {
		what = "the baseline is red"
	}
	if c.Feature != "" {
		what = string(c.Feature) + " is " + string(c.Status)
	}
	work := c.Commit
	if work == "" {
		work = "none"
	}
	return "kedge: " + what + "\n\nKedge-Ledger: " + work + "\nKedge-Run: " + string(c.Run)
}

// forgetCopy drops the copies of a work tree whose work is committed, or was set
// aside as a whole.
func (x *Executor) forgetCopy(ctx context.Context, c run.Command) error {
	if c.Job == 0 {
		return nil
	}
	return x.cfg.Repo.DropCopy(ctx, copyID(c))
}
