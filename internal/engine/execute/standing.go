package execute

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// key names what a command writes to the ledger: the same for every owner that
// carries it out.
func key(c run.Command, what string) string {
	return string(c.Run) + "-" + strconv.FormatInt(c.Origin(), 10) + "-" + what
}

// theirs leaves out the changes of what is Kedge's.
func theirs(changes []git.Change) []git.Change {
	out := []git.Change{}
	for _, c := range changes {
		if !kedge.IsOwnPath(c.Path) {
			out = append(out, c)
		}
	}
	return out
}

// copyID is the salvage under which the copies of a job's worktree are.
func copyID(c run.Command) kedge.SalvageID {
	return kedge.SalvageID(kedge.DeriveID("sal", time.UnixMilli(0), string(c.Run)+"-copy-"+strconv.Itoa(c.Job)))
}

// standing says where the command's job stands: at its commit once it has one,
// else in its worktree.
func (x *Executor) standing(ctx context.Context, c run.Command) (engine.Position, error) {
	if c.Commit != "" {
		return x.committedStanding(ctx, c)
	}
	j, err := x.job(c)
	if err != nil {
		return engine.Position{}, err
	}
	if j.Parked != nil {
		return x.filled(ctx, c, j, engine.Position{Dir: x.cfg.Slots.Dir(j.Parked.Slot), Session: j.Session, Commit: c.Base, Tree: j.Parked.Tree})
	}
	repo, err := x.cfg.Slots.Open(ctx, j)
	if err != nil {
		return engine.Position{}, err
	}
	at := engine.Position{Dir: repo.Root(), Session: j.Session, Commit: c.Base}
	if j.Conflict.Concerns(c.Attempt) {
		at.Conflict = j.Conflict
	}
	if j.Session == "" && c.Kind == run.Brief {
		return at, nil // nobody worked there yet: there is nothing to keep, and nothing to tell
	}
	kept, err := repo.KeepCopy(ctx, git.CopyRequest{ID: copyID(c), Reason: "copy at a checkpoint of " + nameOf(c), Date: c.At})
	if err != nil {
		return at, err
	}
	at.Tree, at.Salvage = kept.Tree, ""
	if kept.Salvage.Ref != "" {
		at.Salvage = kept.Salvage.ID
	}
	return x.filled(ctx, c, j, at)
}

// filled adds what follows from the tree of a job, and from what its session printed.
func (x *Executor) filled(ctx context.Context, c run.Command, j slot.Job, at engine.Position) (engine.Position, error) {
	if c.Base != "" {
		changes, err := x.cfg.Repo.Diff(ctx, c.Base, at.Tree)
		if err != nil {
			return at, err
		}
		at.Files = theirs(changes)
	}
	var err error
	at.Trail, err = x.trail(ctx, c, j, at.Dir)
	return at, err
}

// committedStanding is that of work that is in a commit. A feature that was
// found done already has none of its own.
func (x *Executor) committedStanding(ctx context.Context, c run.Command) (engine.Position, error) {
	at := engine.Position{Dir: x.cfg.Slots.CleanDir(c.Run), Commit: c.Commit}
	info, err := x.cfg.Repo.ReadCommit(ctx, c.Commit)
	if err != nil {
		return at, err
	}
	at.Tree = info.Tree
	if c.Feature == "" || info.Trailer("Kedge-Feature") == string(c.Feature) {
		if at.Files, err = x.changesOf(ctx, info); err != nil {
			return at, err
		}
	}
	if c.Job == 0 {
		return at, nil
	}
	j, err := x.job(c)
	if err != nil {
		return at, err
	}
	at.Session = j.Session
	at.Trail, err = x.trail(ctx, c, j, at.Dir)
	return at, err
}

// changesOf is what a commit changes, beside what is Kedge's.
func (x *Executor) changesOf(ctx context.Context, info git.CommitInfo) ([]git.Change, error) {
	if len(info.Parents) == 0 {
		return nil, nil
	}
	changes, err := x.cfg.Repo.Diff(ctx, info.Parents[0], info.SHA)
	return theirs(changes), err
}

// sessionDir is where a session's output and brief are.
func (x *Executor) sessionDir(id kedge.SessionID) string {
	return filepath.Join(x.cfg.Home, "sessions", string(id))
}
