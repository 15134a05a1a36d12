package runs

import (
	"context"
	"log/slog"
	"time"

	"kedge"
	"kedge/internal/app/clerk"
	"kedge/internal/app/features"
	"kedge/internal/app/ledger"
	"kedge/internal/app/lifecycle"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/memory"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/app/verify"
	"kedge/internal/journal"
)

// wiring is what a test says of the service around the runs.
type wiring struct {
	Home        string
	ReadOnly    bool
	Now         func() time.Time
	Engine      func(ctx context.Context, p kedge.Project, st *journal.Store) (RunEngine, error)
	EnvPatience time.Duration
}

// Service is a driver with all that it works with, as package app has it.
type Service struct {
	*Driver
	*maintenance.Care
	*clerk.Clerk
	*features.FeatureList
	*memory.Memory
	*verify.Gater
	*sessions.Keeper
	*status.Teller
}

func newService(w wiring) *Service {
	if w.Now == nil {
		w.Now = time.Now
	}
	home := &projects.Home{Dir: w.Home, ReadOnly: w.ReadOnly, Clock: w.Now, Log: slog.New(slog.DiscardHandler)}
	alive := lifecycle.New()
	s := &Service{Driver: New(home, alive, Config{Engine: w.Engine, EnvPatience: w.EnvPatience})}
	entries := ledger.New(home, s.AtRest)
	s.Care = maintenance.New(home, entries, s.ForCare())
	s.Teller = status.New(home, entries, s.ForStanding())
	s.Keeper = sessions.New(home, alive, s.Teller, sessions.Sessions{}, func(ctx context.Context, p *projects.Project) error {
		return s.AdoptGates(ctx, p)
	})
	s.Gater = verify.New(home, entries, alive, s.Runner, verify.With{})
	s.FeatureList = features.New(home, entries, s.ForFeatures())
	s.Memory = memory.New(home, entries, s.ForMemory())
	s.Clerk = clerk.New(home, entries, s.ForClerk())
	s.Bind(entries, s.Clerk, s.Teller, s.Keeper)
	return s
}

// Close lets go of everything, as the service does.
func (s *Service) Close() error {
	s.life.Leave()
	s.LeaveRuns()
	s.life.End()
	s.CloseSpare()
	return s.home.Close()
}
