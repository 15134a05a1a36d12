// Package app is what the command line, the server and MCP call: one method per command.
// A method gets the caller and the request, and returns types of the root package. App
// creates the packages that answer for the projects of a KEDGE_HOME, and owns their life
// from New to Close. It acknowledges a writing command only when its facts are on disk.
// The same request (the same key) made twice has one effect. It holds no code of a
// command itself.
package app

import (
	"context"
	"log/slog"
	"time"

	"kedge"
	"kedge/internal/app/attend"
	"kedge/internal/app/features"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"

	"kedge/internal/app/maintenance"
	"kedge/internal/app/memory"
	"kedge/internal/app/planning"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/app/setup"
	"kedge/internal/app/status"
	"kedge/internal/app/supply"
	"kedge/internal/app/verify"
	"kedge/internal/engine/gate"
	"kedge/internal/journal"
)

// Config is what the service needs from outside.
type Config struct {
	Home     string
	ReadOnly bool // no daemon: nothing is written, not even projections
	Now      func() time.Time
	Log      *slog.Logger
	Sessions sessions.Sessions
	// Engine makes the engine of a project's runs; nil: the local one.
	Engine func(ctx context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error)
	// EnvPatience is how long a run whose environment is unknown waits for
	// whoever watches it to say it again, before it works in the usual one.
	EnvPatience time.Duration
}

// Service serves all projects of one KEDGE_HOME.
type Service struct {
	*attend.Attendant
	*maintenance.Maintenance
	*features.FeatureList
	*memory.Memory
	*planning.Planner
	*runs.Runs
	*setup.Setup
	*verify.Verifier
	*sessions.Manager
	*reports.Reports
	*status.Reporter

	cfg    Config
	home   *projects.Home
	ledger *ledger.Ledger
	life   *projects.Life
}

// New makes a service; it opens nothing until it is asked.
func New(cfg Config) *Service {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{cfg: cfg, life: projects.NewLife()}
	s.home = &projects.Home{Dir: cfg.Home, ReadOnly: cfg.ReadOnly, Clock: cfg.Now, Log: cfg.Log, Program: cfg.Sessions.Program}
	s.Runs = runs.New(s.home, s.life, runs.Config{Sessions: cfg.Sessions, Engine: cfg.Engine, EnvPatience: cfg.EnvPatience})
	s.Planner = planning.New(s.home, s.life)
	land := landing.New(s.home)
	s.ledger = ledger.New(s.home, land.FilesWait)
	land.UseBook(s.ledger)
	s.Maintenance = maintenance.New(s.home, s.ledger, s.MaintenanceWork())
	s.Reporter = status.New(s.home, s.ledger, s.StatusRuns())
	s.Manager = sessions.New(s.home, s.life, s.Reporter, cfg.Sessions, s.adoptGates)
	s.Setup = setup.New(s.home, s.ledger, s.Reporter, s.Maintenance, s.life, s.Manager.Runner, setup.With{Program: cfg.Sessions.Program, Sockets: cfg.Sessions.Sockets})
	s.Reports = reports.New(s.home, s.Manager)
	s.Verifier = verify.New(s.home, s.ledger, s.life, s.Manager.Runner, verify.With{Program: cfg.Sessions.Program, Sockets: cfg.Sessions.Sockets})
	s.Attendant = attend.New(s.home, s.life, s.Reporter, s.Verifier, s.Reports, s.Manager)
	s.FeatureList = features.New(s.home, s.ledger, s.ForFeatures())
	s.Memory = memory.New(s.home, s.ledger, s.ForMemory())
	s.bindRuns(land)
	return s
}

// bindRuns gives runs and planning what they ask: of the parts, some know them too.
func (s *Service) bindRuns(land *landing.Landing) {
	given := supply.New(s.home, supply.Parts{
		Book: s.ledger, Status: s.Reporter, Sessions: s.Manager, Landing: land, Planning: s.Planner, Program: s.cfg.Sessions.Program,
	})
	s.Runs.Use(runs.Parts{Book: s.ledger, Status: s.Reporter, Sessions: s.Manager, Landing: land, Supply: given, Planning: s.Planner})
	s.Planner.Use(planning.Parts{Book: s.ledger, Landing: land, Supply: given, Runs: s.Runs, Verify: s.Verifier})
}

// Leave lets go of what can go on without the service: calls that wait for it
// end with ErrLeft.
func (s *Service) Leave() { s.life.Leave() }

// Close lets go of the sessions, which live on, and closes every store.
func (s *Service) Close() error {
	s.life.Leave()
	s.Runs.LeaveRuns()
	s.life.End()
	s.Manager.CloseSpare()
	return s.home.Close()
}

// SyncFiles writes, for every project, the files that a crash kept behind the journal.
func (s *Service) SyncFiles(ctx context.Context) error { return s.ledger.SyncAll(ctx) }

// SyncFilesSoon runs SyncFiles in the background, for a daemon that starts.
func (s *Service) SyncFilesSoon() {
	s.life.Go(func() {
		if err := s.SyncFiles(s.life.Context()); err != nil && s.life.Context().Err() == nil {
			s.cfg.Log.Error("cannot synchronise all files with their journals", "error", err.Error())
		}
	})
}

// ErrLeft is given by a call whose work goes on without this service: the same
// request, made again to the next one, gets its answer.
var ErrLeft = gate.ErrLeft

func (s *Service) adoptGates(ctx context.Context, p *projects.Project) error {
	return s.Verifier.AdoptGates(ctx, p)
}
