package drive

import (
	"context"
	"log/slog"
	"time"

	"kedge"
	"kedge/internal/book"
	"kedge/internal/care"
	"kedge/internal/clerk"
	"kedge/internal/gating"
	"kedge/internal/keep"
	"kedge/internal/life"
	"kedge/internal/project"
	"kedge/internal/standing"
	"kedge/internal/store"
)

// wiring is what a test says of the service around the runs.
type wiring struct {
	Home        string
	ReadOnly    bool
	Now         func() time.Time
	Engine      func(ctx context.Context, p kedge.Project, st *store.Store) (RunEngine, error)
	EnvPatience time.Duration
}

// Service is a driver with all that it works with, as package service has it.
type Service struct {
	*Driver
	*care.Care
	*clerk.Clerk
	*gating.Gater
	*keep.Keeper
	*standing.Teller
}

func newService(w wiring) *Service {
	if w.Now == nil {
		w.Now = time.Now
	}
	home := &project.Home{Dir: w.Home, ReadOnly: w.ReadOnly, Clock: w.Now, Log: slog.New(slog.DiscardHandler)}
	alive := life.New()
	s := &Service{Driver: New(home, alive, Config{Engine: w.Engine, EnvPatience: w.EnvPatience})}
	entries := book.New(home, s.AtRest)
	s.Care = care.New(home, entries, s.ForCare())
	s.Teller = standing.New(home, entries, s.ForStanding())
	s.Keeper = keep.New(home, alive, s.Teller, keep.Sessions{}, func(ctx context.Context, p *project.Project) error {
		return s.AdoptGates(ctx, p)
	})
	s.Gater = gating.New(home, entries, alive, s.Runner, gating.With{})
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
