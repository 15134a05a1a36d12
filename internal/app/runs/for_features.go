package runs

import (
	"context"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
)

// clerkRuns are the runs as package clerk needs them.
type clerkRuns struct{ s *Runs }

// Tell implements clerk.Runs.
func (r clerkRuns) Tell(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Event) error {
	return r.s.tellRun(ctx, p, who, ev)
}

// Accept implements clerk.Runs.
func (r clerkRuns) Accept(ctx context.Context, who projects.Caller, in clerk.FeatureStatusRequest) (clerk.FeatureReply, bool, error) {
	return r.s.acceptInRun(ctx, who, in)
}

// Holds implements clerk.Runs.
func (r clerkRuns) Holds(ctx context.Context, who projects.Caller, id kedge.FeatureID) (bool, error) {
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

// Save implements clerk.Runs.
func (r clerkRuns) Save(ctx context.Context, who projects.Caller, reason string) {
	r.s.saveLiving(ctx, who, reason)
}

// ClerkRuns are the runs as package clerk needs them.
func (s *Runs) ClerkRuns() clerk.Runs { return clerkRuns{s} }
