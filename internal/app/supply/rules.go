package supply

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
	"kedge/internal/git"
	"kedge/internal/process/sandbox"
)

// Rules are the rules of a run: those of config.toml at the base, and what
// the caller says beside it. The agents must be there before anything begins, of a run
// that plans also the one that plans; the notes say which versions they are.
func (s *Supply) Rules(ctx context.Context, p *projects.Project, repo *git.Repo, base string, flags Flags, env []string, plans bool) (config.Rules, []string, error) {
	cfg, err := projects.Source{Project: p, Repo: repo, Base: base}.Config(ctx, projects.UserFile(env))
	if err != nil {
		return config.Rules{}, nil, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return config.Rules{}, nil, err
	}
	if n := flags.Parallel; n < 0 || n > config.MaxParallel {
		return config.Rules{}, nil, kedge.Errorf(kedge.Invalid, "--parallel must be between 1 and %d, not %d", config.MaxParallel, n).WithHint("repeat your command with: --parallel 4")
	}
	r := RulesOf(cfg, flags)
	r.Phases = ledger.PhaseLimits(l)
	if r.Until, err = untilPhase(l, flags.Until); err != nil {
		return config.Rules{}, nil, err
	}
	r.Given.Until = r.Until.Phase
	if allDone(l.Features()) && !plans { // no session starts, so neither agent nor sandbox matters
		return r, nil, nil
	}
	if err := s.CheckSandbox(ctx, cfg, p, env); err != nil {
		return config.Rules{}, nil, err
	}
	again := flags.Command()
	if err := s.CheckCommitted(ctx, p, repo, base, r.Agent, again, sessions.CheckAgent(cfg, p, r.Agent, env, again)); err != nil {
		return r, nil, err
	}
	uses := usesOf(cfg, r.Agent, flags)
	if plans && cfg.Route.Plan != "" {
		uses = append(uses, config.Use{Key: "route.plan", Route: cfg.Route.Plan})
	}
	for _, use := range uses[1:] {
		if err := sessions.CheckAgent(cfg, p, use.Route, env, again); err != nil {
			return r, nil, kedge.Errorf(kedge.Blocked, "Kedge cannot use the setting %s in config.toml: %w", use.Key, err).WithHint("%s", kedge.HintOf(err))
		}
	}
	notes, err := s.CheckVersions(ctx, cfg, uses, env)
	return r, notes, err
}

// allDone tells whether there are features and nothing is left to do for any.
func allDone(features []kedge.Feature) bool {
	return len(features) > 0 && !slices.ContainsFunc(features, func(f kedge.Feature) bool {
		return f.Status != kedge.Completed && f.Status != kedge.Skipped
	})
}

// usesOf are the routes that a run may take, the usual one first. The agent that a
// person names does all but what comes after a provider's limit.
func usesOf(cfg config.Config, usual string, flags Flags) []config.Use {
	out := []config.Use{{Key: "run.agent", Route: usual}}
	for _, use := range cfg.Uses() {
		switch use.Key {
		case "run.agent", "route.plan", "route.implement":
		case "route.fallback":
			out = append(out, use)
		default:
			if flags.Agent == "" {
				out = append(out, use)
			}
		}
	}
	return out
}

// CheckVersions tells which versions the agents are, and refuses those that are
// known to be broken.
func (s *Supply) CheckVersions(ctx context.Context, cfg config.Config, uses []config.Use, env []string) ([]string, error) {
	var notes []string
	for _, i := range s.Installed(ctx, cfg, uses, env) {
		if err := i.Refuse(); err != nil {
			return nil, err
		}
		notes = append(notes, i.Text())
	}
	return notes, nil
}

// RulesOf are the rules that config.toml and the flags make.
func RulesOf(cfg config.Config, f Flags) config.Rules {
	r := config.Rules{
		Parallel: cfg.Run.Parallel, Land: cfg.Run.Land, Regression: cfg.Run.Regression,
		Agent:    cmp.Or(f.Agent, cfg.Route.Implement, cfg.Run.Agent),
		Handover: cfg.Context.Handover, MaxSessions: f.MaxSessions, Tokens: f.BudgetTokens, USD: cfg.Budget.RunUSD, DayUSD: cfg.Budget.DayUSD,
		FeatureUSD: cfg.Budget.FeatureUSD, SessionTokens: cfg.Budget.SessionTokens, SessionWall: cfg.Budget.SessionWall.Std(),
		Given: config.Given{Agent: f.Agent, Parallel: f.Parallel, Tokens: f.BudgetTokens, USD: f.BudgetUSD},
	}
	if all := cfg.Route.Fallback; len(all) > 0 {
		r.Fallback, r.Fallbacks = all[0], all[1:]
	}
	if f.Parallel > 0 {
		r.Parallel = f.Parallel
	}
	if f.BudgetUSD > 0 {
		r.USD = f.BudgetUSD
	}
	return r
}

// CheckCommitted says it when an agent is only missing because nobody committed
// what it takes: a run reads config.toml, and runs a script of the repository, as
// they are in its commit. err is what is wrong with the agent; nil: nothing. again is
// the command that you ran, with its flags.
func (s *Supply) CheckCommitted(ctx context.Context, p *projects.Project, repo *git.Repo, base, route string, again kedge.NextStep, err error) error {
	here, hereErr := projects.Source{Project: p}.Config(ctx, "")
	if hereErr != nil && err != nil {
		return kedge.Errorf(kedge.Blocked, "%w; your uncommitted changes to %s also have a mistake: %s", err, scaffold.ConfigFile, hereErr.Error()).
			WithHint("%s", kedge.HintOf(hereErr))
	}
	if hereErr != nil {
		return nil //nolint:nilerr // a mistake in what is not committed yet is nothing to this run
	}
	route = cmp.Or(route, here.Route.Implement, here.Run.Agent)
	name, _, _ := strings.Cut(route, ":")
	a, hereErr := here.Agent(name)
	if hereErr != nil {
		return err
	}
	if err != nil && s.differs(ctx, p, repo, scaffold.ConfigFile) {
		return kedge.Errorf(kedge.Blocked, "%w; a run reads only the committed %s, and yours has uncommitted changes", err, scaffold.ConfigFile).
			WithHint("commit the file, then repeat your command: git commit -m \"settings of Kedge\" :/%s && %s", scaffold.ConfigFile, again) // :/ works in every folder of the repository
	}
	script := here.ScriptOf(a)
	if err != nil || script == "" {
		return err
	}
	if there, err := repo.Exists(ctx, base, script); err != nil || there {
		return err
	}
	return kedge.Errorf(kedge.Blocked, "agent %q cannot start: its script %s is not committed, and a run uses only committed files", name, script).
		WithStep(sessions.CommitAgent(script, again))
}

// differs tells whether a file is not as in the last commit.
func (s *Supply) differs(ctx context.Context, p *projects.Project, repo *git.Repo, name string) bool {
	then, err := repo.ReadFile(ctx, "HEAD", name)
	if err != nil && !kedge.NotFound.Is(err) {
		return false
	}
	now, ok, err := p.Read(name)
	return err == nil && ok && !bytes.Equal(bytes.ReplaceAll(now, []byte("\r\n"), []byte("\n")), then)
}

// Installed are the programs behind routes, each once.
func (s *Supply) Installed(ctx context.Context, cfg config.Config, uses []config.Use, env []string) []sessions.Installed {
	var out []sessions.Installed
	for _, use := range uses {
		name, _, _ := strings.Cut(use.Route, ":")
		if slices.ContainsFunc(out, func(i sessions.Installed) bool { return i.Name == name }) {
			continue
		}
		if i, ok := s.keeper.Installed(ctx, cfg, use.Route, env); ok {
			out = append(out, i)
		}
	}
	return out
}

// CheckSandbox refuses a run whose agents cannot be confined as people asked:
// nothing has been paid for yet.
func (s *Supply) CheckSandbox(ctx context.Context, cfg config.Config, p *projects.Project, env []string) error {
	if !cfg.Sandbox.Asked() {
		return nil
	}
	b, err := sandbox.New(cfg.Sandbox, sandbox.Place{Dir: p.Dir, Home: s.home.Dir, Env: env, Kedge: s.program})
	if err != nil {
		return err
	}
	return b.Try(ctx)
}
