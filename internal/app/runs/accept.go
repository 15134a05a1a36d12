package runs

import (
	"context"
	"slices"

	"kedge/internal/app/features"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/journal"
)

// acceptInRun accepts a feature of a run that lives: its work is not in the
// user's branch yet, so the run integrates it first and then completes it.
func (s *Runs) acceptInRun(ctx context.Context, who projects.Caller, in features.FeatureStatusRequest) (reply features.FeatureReply, done bool, err error) {
	l, p, err := s.book.ReadFeatures(ctx, who)
	if err != nil {
		return reply, false, err
	}
	if err := s.refuseSetAside(ctx, p, l, in.ID); err != nil {
		return reply, false, err
	}
	st, live, err := ledger.LiveRun(ctx, p)
	if err != nil || !live {
		return reply, false, err
	}
	word := run.Input{Kind: run.Accepted, Feature: in.ID, Reason: in.Reason}
	seen, err := ledger.WasTold(ctx, p, who, st.Run, word)
	if err != nil {
		return reply, false, err
	}
	f := st.FeatureOf(in.ID)
	if !seen && (f == nil || f.Status != kedge.NeedsReview && !f.Waits()) {
		return reply, false, nil // the ledger says why not
	}
	j := st.JobOf(in.ID)
	if !seen && f.Work != "" && j == nil {
		return reply, false, nil // a person's word is all it takes: the ledger has it, and the run is told
	}
	if !seen && j != nil && !j.Acceptable() {
		return reply, false, s.notHeld(ctx, p, &st, in.ID)
	}
	if !seen && j != nil && j.Phase == run.Reviewing {
		if err := s.supply.ApproveBrought(ctx, p, who, st.Run, in.ID); err != nil {
			return reply, false, err
		}
	}
	if err := s.tellRun(ctx, p, who, word); err != nil {
		return reply, false, err
	}
	d, err := l.Find(in.ID)
	if err != nil {
		return reply, false, err
	}
	return features.FeatureReply{Feature: d.Feature}, true, nil
}

// tellAccepted lets the run know that has the work on a feature which a person
// accepted, and waits until that is in the ledger of its branch, or cannot be now.
func (s *Runs) tellAccepted(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Input) error {
	st, found, err := s.runOf(ctx, p, ev.Feature)
	if err != nil || !found {
		return err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return err
	}
	ctx, done := s.life.UntilLeft(ctx)
	defer done()
	if err := s.deliverWord(ctx, p, eng, who, st.Run, ev); err != nil {
		return err
	}
	return written(ctx, eng, st.Run, ev.Feature)
}

// runOf is the run that has to know when a feature is accepted: the newest, where it
// lives or has it waiting, else the newest that has work on it which has not landed.
func (s *Runs) runOf(ctx context.Context, p *projects.Project, id kedge.FeatureID) (run.State, bool, error) {
	has := func(st *run.State) bool {
		f := st.FeatureOf(id)
		return f != nil && f.Work != ""
	}
	st, live, err := ledger.LiveRun(ctx, p)
	f := st.FeatureOf(id)
	found := live || has(&st) || f != nil && f.Status == kedge.NeedsReview
	if err != nil || found || !p.Git || st.Run == "" {
		return st, found, err
	}
	left, err := s.landing.Unlanded(ctx, p)
	for _, u := range left {
		doc, err := ledger.FindRun(ctx, p, u.Run)
		if err != nil || has(&doc.State) {
			return doc.State, err == nil, err
		}
	}
	return st, false, err
}

// written waits until the ledger says what a person said of a feature. Where the run
// is at something else first, or cannot go on, that comes later.
func written(ctx context.Context, eng RunEngine, id kedge.RunID, feature kedge.FeatureID) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	over := false
	err := eng.Watch(ctx, id, func(step engine.Step) {
		j := step.State.JobOf(feature)
		if over || j != nil && j.Kind == run.Accept && !j.Phase.Parked() || step.State.Ended() && !step.State.Resting() {
			return
		}
		over = true
		stop()
	})
	if over {
		return nil
	}
	return err
}

// refuseSetAside: of a feature whose work was set aside when it came to wait for
// review there is nothing to accept. It says where the work is.
func (s *Runs) refuseSetAside(ctx context.Context, p *projects.Project, l ledger.Snapshot, id kedge.FeatureID) error {
	d, err := l.Find(id)
	if err != nil || d.Status != kedge.NeedsReview {
		return nil // the ledger says why not
	}
	last, err := ledger.LastWorkRun(ctx, p)
	if f := last.FeatureOf(id); err != nil || f == nil || !f.Aside {
		return err
	}
	all, err := projects.All[kedge.Salvage](ctx, p, journal.KindSalvage)
	if err != nil {
		return err
	}
	for _, sal := range slices.Backward(all) {
		if sal.Reason == string(id)+": "+d.Reason {
			return kedge.Errorf(kedge.Blocked, "you cannot accept feature %q now, because Kedge set its work aside (salvage %s): %s", id, sal.ID, d.Reason).
				WithHint("let an agent build the feature again: kedge feature reopen %s --reason WHY; or restore the work and let Kedge check it: kedge salvage restore %s && kedge feature reopen %s && kedge feature submit %s",
					id, sal.ID, id, id)
		}
	}
	return nil
}
