package runs

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"

	"kedge/internal/core/config"
	"kedge/internal/engine/execute"
	"kedge/internal/engine/gate"
	"kedge/internal/engine/local"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/process/hold"
)

// localEngine is the engine in this process: a loop over the project's journal
// whose commands are carried out with git, holders and agents.
func (s *Runs) localEngine(ctx context.Context, known kedge.Project, st *journal.Store) (RunEngine, error) {
	o, err := s.home.Opened(known.ID)
	if err != nil {
		return nil, err
	}
	p := &projects.Project{Project: known, Opened: o}
	p.Git = true
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	x := execute.New(s.execConfig(p, repo))
	x.Sweep()
	return executing{x: x, Local: local.New(local.Config{
		Project: p.ID, Store: st, Executor: x, Now: s.home.Clock, Log: s.home.Log,
	})}, nil
}

// executing is the engine in this process with its executor, which leaves with
// it.
type executing struct {
	*local.Local
	x *execute.Executor
}

// Leave implements RunEngine.
func (e executing) Leave() {
	e.Local.Leave()
	e.x.Leave()
}

func (s *Runs) execConfig(p *projects.Project, repo *git.Repo) execute.Config {
	cfg := execute.Config{
		Project: p.ID, Home: s.home.Dir, Repo: repo,
		Slots:  s.home.Slots(p, repo),
		Agent:  func(route string) (agents.Adapter, string, error) { return s.adapter(p, repo, route) },
		Env:    func(id kedge.RunID) []string { return s.runEnv(p, repo, id) },
		Holder: s.cfg.Sessions.Holder, Sockets: s.cfg.Sessions.Sockets, Program: s.cfg.Sessions.Program, Runner: s.keeper.Runner(), Now: s.home.Now, Log: s.home.Log,
	}
	s.supply.Equip(p, &cfg)
	return cfg
}

// runConfig is config.toml as the newest run has it: at its tip, which no agent
// can write to, over the user's own.
func (s *Runs) runConfig(ctx context.Context, p *projects.Project, repo *git.Repo) (config.Config, string, error) {
	st, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return config.Config{}, "", err
	}
	base := "HEAD"
	if found && st.Tip != "" {
		base = st.Tip
	}
	cfg, err := projects.Source{Project: p, Repo: repo, Base: base}.Config(ctx, projects.UserFile(s.callerEnv(st.Run)))
	return cfg, st.Rules.Agent, err
}

// adapter is the agent behind a route, "agent[:model]"; empty is the run's own.
func (s *Runs) adapter(p *projects.Project, repo *git.Repo, route string) (agents.Adapter, string, error) {
	cfg, usual, err := s.runConfig(context.Background(), p, repo)
	if err != nil {
		return nil, "", err
	}
	name, model, _ := strings.Cut(cmp.Or(route, usual), ":")
	a, err := cfg.Agent(name)
	if err != nil {
		return nil, "", err
	}
	if strings.HasPrefix(model, "-") { // it becomes an argument, and a plan may name it
		return nil, "", kedge.Errorf(kedge.Invalid, "the name of a model must not begin with a dash, and %q does", model).WithHint("correct the part after the colon in AGENT:MODEL; it is in --agent, in .kedge/config.toml or in the plan (kedge plan show)")
	}
	ad, err := catalog.New(name, a)
	return ad, model, err
}

// runEnv is the environment of a run: its caller's, which this daemon knows, or
// which a program of the run that still lives was started with; else what
// config.toml passes of the daemon's own.
func (s *Runs) runEnv(p *projects.Project, repo *git.Repo, id kedge.RunID) []string {
	if env := s.callerEnv(id); len(env) > 0 {
		return env
	}
	ctx := context.Background()
	if !s.envUnknown(id) {
		if env := s.heldEnv(ctx, p, id); len(env) > 0 {
			s.KeepEnv(id, env)
			return env
		}
		if env := s.awaitEnv(id); len(env) > 0 {
			return env
		}
		s.noteUnknownEnv(id)
	}
	cfg, _, err := s.runConfig(ctx, p, repo)
	if err != nil {
		s.home.Log.Warn("cannot read config.toml, so sessions get only the environment variables that Kedge passes by default", "project", string(p.ID), "error", err.Error())
		cfg = config.Default(catalog.Kinds())
	}
	return passed(os.Environ(), cfg.Env.Pass)
}

// heldEnv asks the holders of a run's sessions and checks for the environment
// that they keep in memory; nil when none lives.
func (s *Runs) heldEnv(ctx context.Context, p *projects.Project, id kedge.RunID) []string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // a holder that is stopped must not hold up the run
	defer cancel()
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return nil
	}
	for _, ses := range sessions {
		if ses.Run != id || !ses.Live() {
			continue
		}
		if c, err := hold.Dial(ctx, s.keeper.SessionDir(ses.ID)); err == nil {
			env, err := c.Environ(ctx)
			_ = c.Close()
			if err == nil {
				return withoutOurs(env)
			}
		}
	}
	held, err := filepath.Glob(filepath.Join(s.home.StateDir(p.ID), "gate", "*", "*.held"))
	if err != nil {
		return nil
	}
	for _, dir := range held {
		if gate.RunOf(filepath.Dir(dir)) != id {
			continue // another run's, or a person's own
		}
		if env, ok, _ := gate.Environ(ctx, filepath.Dir(dir)); ok {
			return withoutOurs(env)
		}
	}
	return nil
}

// withoutOurs takes out what Kedge itself added for one program.
func withoutOurs(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		return strings.HasPrefix(kv, "KEDGE_") && !strings.HasPrefix(kv, "KEDGE_HOME=")
	})
}
