package execute

import (
	"context"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// commit makes the work commit: exactly the tree that was judged, on the tip,
// dated with the command, so that done twice it is the same commit.
func (x *Executor) commit(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	whole, err := x.cfg.Repo.TreeWith(ctx, c.Tree, c.Base, slot.Kedges...)
	if err != nil {
		return notAt(c, err)
	}
	sha, err := x.madeBefore(ctx, c, whole)
	if err == nil && sha == "" {
		sha, err = x.makeCommit(ctx, c, whole)
	}
	if err != nil {
		return notAt(c, err)
	}
	clean, err := x.cfg.Slots.Clean(ctx, slot.Request{Run: c.Run, Base: sha, Name: key(c, "clean"), At: c.At})
	if err != nil {
		return notAt(c, err)
	}
	if err := x.putClean(ctx, c, clean, whole); err != nil {
		return notAt(c, err)
	}
	ev := c.Reply(run.OK)
	ev.Commit = sha
	ev.Tree, err = x.cfg.Repo.TreeWithout(ctx, sha, slot.Kedges...)
	return ev, err
}

// madeBefore is the commit of this command where the branch has it already.
func (x *Executor) madeBefore(ctx context.Context, c run.Command, whole string) (string, error) {
	at, err := x.cfg.Repo.Resolve(ctx, "refs/heads/"+slot.Branch(c.Run))
	if err != nil || at == c.Base {
		return "", err
	}
	info, err := x.cfg.Repo.ReadCommit(ctx, at)
	if err != nil {
		return "", err
	}
	name, value := "Kedge-Feature", string(c.Feature)
	if c.Purpose == run.TakeBack {
		name, value = "Kedge-Reverts", c.Commit
	}
	if len(info.Parents) == 1 && info.Parents[0] == c.Base && info.Tree == whole && info.Trailer("Kedge-Run") == string(c.Run) &&
		info.Trailer(name) == value {
		return at, nil
	}
	return "", kedge.Errorf(kedge.Conflict, "Kedge could not commit on the run's branch %q, because another program moved the branch to commit %s meanwhile", slot.Branch(c.Run), words.Hash(at)).
		WithHint("see the newest commits on that branch: git log --oneline -5 %s", slot.Branch(c.Run))
}

func (x *Executor) makeCommit(ctx context.Context, c run.Command, whole string) (string, error) {
	j, err := x.job(c)
	if err != nil {
		return "", err
	}
	message, err := x.workMessage(ctx, c, j, whole)
	if err != nil {
		return "", err
	}
	author, err := x.cfg.Repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	sha, err := x.cfg.Repo.Commit(ctx, git.CommitRequest{
		Tree: whole, Parents: []string{c.Base}, Message: message, Date: c.At, Author: author,
	})
	if err != nil {
		return "", err
	}
	return sha, x.cfg.Repo.UpdateRef(ctx, "refs/heads/"+slot.Branch(c.Run), sha, c.Base)
}
