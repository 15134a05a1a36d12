package verify

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
	"kedge/internal/journal"
)

func (s *Verifier) gateDir(p *projects.Project, id kedge.EvidenceID) string {
	return filepath.Join(s.home.StateDir(p.ID), "gate", string(id))
}

// holdGate makes a gate that outlives the daemon of q: the one that the same request
// began before, or a new one, which is written down before anything starts.
func (s *Verifier) holdGate(ctx context.Context, p *projects.Project, who projects.Caller, j judgement, ev *kedge.Evidence, q *gate.Request) error {
	q.Runner = s.lines()
	if q.Runner == nil || who.Key == "" {
		return nil
	}
	was, ok, err := s.unfinishedGate(ctx, p, who.Key)
	if err != nil {
		return err
	}
	if ok {
		ev.ID, ev.At, q.Expect = was.ID, was.At, was.Tree
		return nil
	}
	q.Begin = func(tree string) error {
		d := kedge.GateStartedData{
			ID: ev.ID, Key: who.Key, At: ev.At, By: who.Actor, Dir: p.Dir, Tree: tree,
			Feature: j.feature, Names: j.names, All: j.scope == gate.Full,
		}
		started := who
		started.Key = "gate-" + string(ev.ID)
		_, err := s.home.Write(ctx, p, started, func() ([]kedge.Event, error) {
			e, err := projects.Event(kedge.GateStarted, who, d)
			return []kedge.Event{e}, err
		})
		return err
	}
	return nil
}

// unfinishedGate is the gate that a request began and that has no end yet.
func (s *Verifier) unfinishedGate(ctx context.Context, p *projects.Project, key string) (kedge.GateStartedData, bool, error) {
	d, ok, err := journal.Get[kedge.GateStartedData](ctx, p.Store, journal.KindGate, key)
	if err != nil || !ok || d.Dropped != "" {
		return d, false, err
	}
	_, finished, err := journal.Get[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(d.ID))
	return d, !finished, err
}

// gateOver clears up after a gate, unless it was left: one that gave no verdict
// is written down as dropped, and its holders go.
func (s *Verifier) gateOver(ctx context.Context, p *projects.Project, who projects.Caller, failed error) {
	if s.lines() == nil || who.Key == "" || errors.Is(failed, gate.ErrLeft) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	d, ok, err := journal.Get[kedge.GateStartedData](ctx, p.Store, journal.KindGate, who.Key)
	if err != nil || !ok {
		return // it never began
	}
	if failed != nil && d.Dropped == "" {
		err = s.dropGate(ctx, p, d, failed.Error())
	}
	if err = errors.Join(err, gate.Forget(ctx, s.gateDir(p, d.ID))); err != nil {
		s.home.Log.Error("cannot remove temporary files after the checks", "gate", string(d.ID), "error", err.Error())
	}
}

func (s *Verifier) dropGate(ctx context.Context, p *projects.Project, d kedge.GateStartedData, reason string) error {
	who := projects.Caller{Actor: kedge.ActorDaemon, Key: "dropped-" + string(d.ID)}
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		e, err := projects.Event(kedge.GateDropped, who, kedge.GateDroppedData{ID: d.ID, Key: d.Key, Reason: reason})
		return []kedge.Event{e}, err
	})
	return err
}

// AdoptGates finishes the gates that an earlier daemon left. Each gets its verdict, even
// if the caller is gone.
func (s *Verifier) AdoptGates(ctx context.Context, p *projects.Project) error {
	docs, err := projects.All[kedge.GateStartedData](ctx, p, journal.KindGate)
	if err != nil || s.lines() == nil {
		return err
	}
	for _, d := range docs {
		d, unfinished, err := s.unfinishedGate(ctx, p, d.Key)
		if err != nil {
			return err
		}
		if unfinished {
			s.life.Go(func() { s.finishGate(p, d) })
		}
	}
	return nil
}

// finishGate makes the request again that began a gate, in the environment that
// its holders have kept.
func (s *Verifier) finishGate(p *projects.Project, d kedge.GateStartedData) {
	ctx := context.Background() // it ends when it is finished, or left
	who := projects.Caller{Dir: d.Dir, Actor: d.By, Key: d.Key}
	env, ok := s.environOf(ctx, p, d)
	var err error
	switch {
	case s.life.Leaving().Err() != nil:
		return
	case !ok:
		err = kedge.Errorf(kedge.Interrupted, "the checks stopped while Kedge's background process (the daemon) was not running")
	case d.Feature != "":
		_, err = s.FeatureSubmit(ctx, who, FeatureSubmitRequest{ID: d.Feature, Env: env})
	default:
		_, err = s.Gate(ctx, who, GateRequest{Names: d.Names, All: d.All, Env: env})
	}
	if err == nil || errors.Is(err, gate.ErrLeft) {
		return
	}
	s.home.Log.Warn("cannot finish checks that an earlier daemon left unfinished", "gate", string(d.ID), "error", err.Error())
	s.gateOver(ctx, p, who, err)
}

// environOf asks the holders of a gate for its environment, again while one of
// them does not answer.
func (s *Verifier) environOf(ctx context.Context, p *projects.Project, d kedge.GateStartedData) ([]string, bool) {
	for {
		env, ok, silent := gate.Environ(ctx, s.gateDir(p, d.ID))
		if ok || !silent {
			return env, ok
		}
		select {
		case <-s.life.Leaving().Done():
			return nil, false
		case <-time.After(askAgain):
		}
	}
}

// askAgain is how long to wait before a holder that is silent is asked again.
const askAgain = time.Second
