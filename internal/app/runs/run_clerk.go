package runs

import (
	"context"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/features"
	"kedge/internal/app/memory"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git"
)

// runsForClerk are the runs as packages features, memory and clerk need them.
type runsForClerk struct{ s *Driver }

// Tell implements features.Runs.
func (r runsForClerk) Tell(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Event) error {
	return r.s.tellRun(ctx, p, who, ev)
}

// Accept implements features.Runs.
func (r runsForClerk) Accept(ctx context.Context, who projects.Caller, in features.FeatureStatusRequest) (features.FeatureReply, bool, error) {
	return r.s.acceptInRun(ctx, who, in)
}

// Holds implements features.Runs.
func (r runsForClerk) Holds(ctx context.Context, who projects.Caller, id kedge.FeatureID) (bool, error) {
	if r.s.home.ReadOnly {
		return false, nil
	}
	p, err := r.s.home.Open(ctx, who)
	if err != nil || !p.Git {
		return false, err
	}
	_, _, found, err := r.s.runWith(ctx, p, id)
	return found, err
}

// Save implements memory.Runs.
func (r runsForClerk) Save(ctx context.Context, who projects.Caller, reason string) {
	r.s.saveLiving(ctx, who, reason)
}

// PlanMayGo implements clerk.Runs.
func (r runsForClerk) PlanMayGo(ctx context.Context, p *projects.Project) error {
	return r.s.planMayGo(ctx, p)
}

// PlanApproved implements clerk.Runs.
func (r runsForClerk) PlanApproved(ctx context.Context, p *projects.Project, who projects.Caller) (bool, error) {
	return r.s.planApproved(ctx, p, who)
}

// Uncommitted implements clerk.Runs.
func (r runsForClerk) Uncommitted(ctx context.Context, p *projects.Project, repo *git.Repo) ([]string, error) {
	return r.s.uncommitted(ctx, p, repo)
}

// ForFeatures are the runs as package features needs them.
func (s *Driver) ForFeatures() features.Runs { return runsForClerk{s} }

// ForMemory are the runs as package memory needs them.
func (s *Driver) ForMemory() memory.Runs { return runsForClerk{s} }

// ForClerk are the runs as package clerk needs them.
func (s *Driver) ForClerk() clerk.Runs { return runsForClerk{s} }
