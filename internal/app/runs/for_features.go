package runs

import (
	"context"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/memory"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
)

// ledgerRuns are the runs as packages features and memory need them.
type ledgerRuns struct{ s *Runs }

// Tell implements features.Runs. The ledger has what it tells.
func (r ledgerRuns) Tell(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Input) error {
	if ev.Kind == run.Accepted {
		ev.Scope = run.InLedger
	}
	return r.s.tellRun(ctx, p, who, ev)
}

// Accept implements features.Runs.
func (r ledgerRuns) Accept(ctx context.Context, who projects.Caller, in features.FeatureStatusRequest) (features.FeatureReply, bool, error) {
	return r.s.acceptInRun(ctx, who, in)
}

// Holds implements features.Runs.
func (r ledgerRuns) Holds(ctx context.Context, who projects.Caller, id kedge.FeatureID) (bool, error) {
	if r.s.home.ReadOnly {
		return false, nil
	}
	p, err := r.s.home.Open(ctx, who)
	if err != nil || !p.Git {
		return false, err
	}
	_, _, found, err := r.s.landing.WaitingRun(ctx, p, id)
	return found, err
}

// Save implements features.Runs.
func (r ledgerRuns) Save(ctx context.Context, who projects.Caller, reason string) {
	r.s.saveLiving(ctx, who, reason)
}

// ForFeatures are the runs as package features needs them.
func (s *Runs) ForFeatures() features.Runs { return ledgerRuns{s} }

// ForMemory are the runs as package memory needs them.
func (s *Runs) ForMemory() memory.Runs { return ledgerRuns{s} }
