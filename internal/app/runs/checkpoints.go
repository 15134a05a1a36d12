package runs

import (
	"context"
	"slices"
	"strconv"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/run"
)

// saveLiving has a checkpoint saved of the work under way: of the run's session that
// asks, of all of them when you do, and where no run works of what your own sessions do. What goes wrong is logged: the fact that
// made it necessary is written down already.
func (s *Runs) saveLiving(ctx context.Context, who projects.Caller, reason string) {
	if err := s.wantCheckpoints(ctx, who, reason); err != nil {
		s.home.Log.Error("cannot save a checkpoint of the work in progress", "because", reason, "error", err.Error())
	}
}

func (s *Runs) wantCheckpoints(ctx context.Context, who projects.Caller, reason string) error {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return err
	}
	st, found, err := ledger.LiveRun(ctx, p)
	if err != nil {
		return err
	}
	if !found || !slices.ContainsFunc(st.Outbox, func(c run.Command) bool { return c.Kind == run.StartSession }) {
		return s.saveYours(ctx, p, who)
	}
	asks, _ := who.Session()
	for _, c := range st.Outbox {
		if c.Kind != run.StartSession || who.IsAgent() && !worksIn(st, c.Job, asks) {
			continue
		}
		eng, err := s.Engine(ctx, p)
		if err != nil {
			return err
		}
		err = eng.Deliver(ctx, st.Run, run.Input{
			ID: ledger.RunEventID(who) + kedge.EventID("-"+strconv.FormatInt(c.Epoch, 10)), Kind: run.Signalled, Epoch: c.Epoch, At: s.home.Now(),
			Actor: who.Actor, Outcome: run.WantCheckpoint, Reason: reason,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// saveYours saves a checkpoint of work that you drive yourself, if your session
// is at it.
func (s *Runs) saveYours(ctx context.Context, p *projects.Project, who projects.Caller) error {
	if driven, err := s.keeper.Driven(ctx, p); !driven || err != nil {
		return err
	}
	if ses, _, err := projects.RunSessionOf(ctx, p.Store, who); ses != nil || err != nil {
		return err // its run saves what it does
	}
	who.Key += "-checkpoint"
	_, err := s.status.CheckpointSave(ctx, who, status.CheckpointSaveRequest{})
	return err
}

// worksIn tells whether the job's session is the one given.
func worksIn(st run.State, job int, id kedge.SessionID) bool {
	return slices.ContainsFunc(st.Jobs, func(j run.Job) bool { return j.ID == job && j.Session == id })
}
