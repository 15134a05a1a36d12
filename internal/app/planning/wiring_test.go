package planning

import (
	"context"
	"log/slog"
	"time"

	"kedge/internal/app/memory"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"

	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/app/supply"
	"kedge/internal/app/verify"
	"kedge/internal/journal"
)

// wiring is what a test says of the service around the runs.
type wiring struct {
	Home     string
	ReadOnly bool
	Now      func() time.Time
	Engine   func(ctx context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error)
}

// Service is planning and runs with all that they work with, as package app has it.
type Service struct {
	*Planner
	*runs.Runs
	*maintenance.Maintenance
	*features.FeatureList
	*memory.Memory
	*verify.Verifier
	*sessions.Manager
	*status.Reporter

	projects *projects.Home
	alive    *projects.Life
	given    *supply.Supply
}

func newService(w wiring) *Service {
	if w.Now == nil {
		w.Now = time.Now
	}
	home := &projects.Home{Dir: w.Home, ReadOnly: w.ReadOnly, Clock: w.Now, Log: slog.New(slog.DiscardHandler)}
	alive := projects.NewLife()
	land := landing.New(home)
	s := &Service{Planner: New(home, alive), Runs: runs.New(home, alive, runs.Config{Engine: w.Engine}), projects: home, alive: alive}
	entries := ledger.New(home, land.FilesWait)
	land.UseBook(entries)
	s.Maintenance = maintenance.New(home, entries, s.MaintenanceWork())
	s.Reporter = status.New(home, entries, s.StatusRuns())
	s.Manager = sessions.New(home, alive, s.Reporter, sessions.Sessions{}, func(ctx context.Context, p *projects.Project) error {
		return s.AdoptGates(ctx, p)
	})
	s.Verifier = verify.New(home, entries, alive, s.Runner, verify.With{})
	s.FeatureList = features.New(home, entries, s.ForFeatures())
	s.Memory = memory.New(home, entries, s.ForMemory())
	s.given = supply.New(home, supply.Parts{Book: entries, Status: s.Reporter, Sessions: s.Manager, Landing: land, Planning: s.Planner})
	s.Runs.Use(runs.Parts{Book: entries, Status: s.Reporter, Sessions: s.Manager, Landing: land, Supply: s.given, Planning: s.Planner})
	s.Planner.Use(Parts{Book: entries, Landing: land, Supply: s.given, Runs: s.Runs, Verify: s.Verifier})
	return s
}

// Close lets go of everything, as the service does.
func (s *Service) Close() error {
	s.alive.Leave()
	s.LeaveRuns()
	s.alive.End()
	s.CloseSpare()
	return s.projects.Close()
}
