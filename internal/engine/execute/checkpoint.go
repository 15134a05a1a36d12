package execute

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/git/slot"
)

// checkpoint saves where a job stands, with a copy of its worktree: what is not
// committed outlives the session that wrote it.
func (x *Executor) checkpoint(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	origin, place := x.sessions.Saves(c)
	at, err := x.standing(ctx, c)
	if err != nil {
		return run.Input{}, err
	}
	what, err := saved(at)
	if err != nil {
		return run.Input{}, err
	}
	j, err := x.job(c)
	if err != nil {
		return run.Input{}, err
	}
	id := j.Checkpoint
	if id == "" || j.Saved != what { // else the last one says it all
		if id, err = x.cfg.Briefs.Checkpoint(ctx, c, at); err != nil {
			return run.Input{}, err
		}
	}
	if c.Scope == run.Unfinished {
		if err := x.handoff(ctx, c, at); err != nil {
			return run.Input{}, err
		}
	}
	_, err = x.keep(c, func(j *slot.Job) {
		j.Checkpoint, j.Saved = id, what
		if j.Epoch == origin {
			j.Place = max(j.Place, place)
		}
	})
	if err != nil {
		return run.Input{}, err
	}
	return c.Reply(run.OK), nil
}

// handoff saves what the next session has to know of the job's latest one. Planning goes
// on from its plan and the answers alone.
func (x *Executor) handoff(ctx context.Context, c run.Command, at engine.Position) error {
	if at.Session == "" || c.Purpose == run.MakePlan {
		return nil
	}
	return x.cfg.Briefs.Handoff(ctx, c, at)
}

// saved names what a checkpoint holds of a job: its work, and what its session did.
func saved(at engine.Position) (string, error) {
	b, err := json.Marshal([]any{at.Session, at.Commit, at.Tree, at.Trail})
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot save the progress of session %q: %w", at.Session, err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
