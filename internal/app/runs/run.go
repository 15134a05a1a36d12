package runs

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"

	"kedge/internal/app/verify"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/core/scaffold"
	"kedge/internal/git"
	"kedge/internal/git/place"
	"kedge/internal/journal"
)

// RunFlags are the rules of a run that a command line sets; 0 and empty leave
// what config.toml says.
type RunFlags struct {
	Agent        string  `json:"agent,omitempty"`
	Parallel     int     `json:"parallel,omitempty"`
	MaxSessions  int     `json:"max_sessions,omitempty"`
	BudgetUSD    float64 `json:"budget_usd,omitempty"`
	BudgetTokens int64   `json:"budget_tokens,omitempty"`
}

// RunStartRequest asks for a run. Env is the caller's environment; it stays in
// memory and in the holders of sessions, and is never written down.
type RunStartRequest struct {
	Flags RunFlags `json:"flags"`
	Env   []string `json:"env,omitempty"`
}

// RunReply is a run after a command about it. Attached means that it was there.
type RunReply struct {
	Run      RunView  `json:"run"`
	Attached bool     `json:"attached"`
	Steps    int64    `json:"steps"` // how many the run had had before: what a watcher has not seen comes after them
	Notes    []string `json:"notes"` // what a person should know and need not do anything about
}

// RunStart begins a run over the features of the ledger. While one lives it
// gives that one: a second run attaches to the first. One that was halted goes
// on, except where a spent budget was not raised.
func (s *Driver) RunStart(ctx context.Context, who projects.Caller, in RunStartRequest) (RunReply, error) {
	p, err := s.runProject(ctx, who, "start a run")
	if err != nil {
		return RunReply{}, err
	}
	release, err := s.life.Alone(ctx, "run of "+string(p.ID)) // two at once would begin two
	if err != nil {
		return RunReply{}, err
	}
	defer release()
	last, found, err := lastRun(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	dropped, err := isDropped(ctx, p, last)
	if err != nil {
		return RunReply{}, err
	}
	if last, err = s.withTyped(ctx, p, who, last, in.Env); err != nil {
		return RunReply{}, err
	}
	switch {
	case dropped:
		return s.begin(ctx, p, who, in, last)
	case found && last.Run == s.runID(who):
		return s.attachRun(ctx, p, last, in)
	case found && !last.Ended() && last.Halt == run.Returned && resting(&last): // a session of it waits for an answer
		return s.goOn(ctx, p, who, last, in)
	case found && !last.Ended():
		return s.attachWith(ctx, p, who, last, in)
	case found && last.Halt == run.OverBudget && in.Flags.BudgetUSD == 0 && in.Flags.BudgetTokens == 0:
		if err := refuseFlags(last, in.Flags); err != nil {
			return RunReply{}, err
		}
		return s.attachRun(ctx, p, last, in)
	case found && last.Halt != "":
		anew, err := s.anew(ctx, p, last)
		if err != nil {
			return RunReply{}, err
		}
		if !anew {
			return s.goOnTyped(ctx, p, who, last, in)
		}
	}
	return s.begin(ctx, p, who, in, last)
}

// anew tells whether a halted run cannot go on, because people took away what it
// stands on, or have it in commits of their own: another one begins.
func (s *Driver) anew(ctx context.Context, p *projects.Project, last run.State) (bool, error) {
	repo, head, err := s.branch(ctx, p)
	if err != nil {
		return false, err
	}
	if gone, err := takenAway(ctx, repo, head, last); err != nil || gone {
		return gone, err
	}
	return leftBehind(ctx, repo, last)
}

// runProject is the project of a caller who may command runs: a person, in the
// main work tree of a repository.
func (s *Driver) runProject(ctx context.Context, who projects.Caller, what string) (*projects.Project, error) {
	if err := projects.PersonOnly(who, what); err != nil {
		return nil, err
	}
	if s.home.ReadOnly {
		return nil, kedge.Errorf(kedge.Conflict, "this needs the daemon").WithHint("kedge up")
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return nil, err
	}
	if !p.Git {
		return nil, kedge.Errorf(kedge.Invalid, "%q is a plain folder: a run needs a git repository", p.Dir).WithHint("git init && git add -A && git commit -m start")
	}
	if main := place.MainFolder(p.Dir); main != "" && main != p.Dir {
		return nil, kedge.Errorf(kedge.Invalid, "a run works on the branch of the main work tree").WithHint("cd %s", main)
	}
	return p, nil
}

// lastRun is the newest run of a project.
func lastRun(ctx context.Context, p *projects.Project) (run.State, bool, error) {
	doc, err := watched(ctx, p, "")
	if kedge.NotFound.Is(err) {
		return run.State{}, false, nil
	}
	return doc.State, err == nil, err
}

// attachRun gives a run as it is.
func (s *Driver) attachRun(ctx context.Context, p *projects.Project, st run.State, in RunStartRequest) (RunReply, error) {
	s.keepFirstEnv(st.Run, in.Env)
	if _, err := s.engineOf(ctx, p); err != nil {
		return RunReply{}, err
	}
	v, err := s.viewOf(ctx, p, st)
	return RunReply{Run: v, Attached: true, Steps: stepsOf(ctx, p, st.Run), Notes: []string{}}, err
}

// begin starts a new run; last is the one before it, if there was one.
func (s *Driver) begin(ctx context.Context, p *projects.Project, who projects.Caller, in RunStartRequest, last run.State) (RunReply, error) {
	repo, head, err := s.branch(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	rules, versions, err := s.runRules(ctx, p, repo, head.Commit, in)
	if err != nil {
		return RunReply{}, err
	}
	specs, err := s.specs(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	if err := trusted(ctx, p, repo, head.Commit); err != nil {
		return RunReply{}, err
	}
	if _, _, err := s.runBase(ctx, p, repo, head, last); err != nil { // before anything is written
		return RunReply{}, err
	}
	if head, err = s.commitLedger(ctx, p, who, repo, head); err != nil {
		return RunReply{}, err
	}
	if err := s.standing.Look(ctx, p, who, "run"); err != nil {
		return RunReply{}, err
	}
	base, notes, err := s.runBase(ctx, p, repo, head, last)
	if err != nil {
		return RunReply{}, err
	}
	if _, err := s.carryReview(ctx, p, repo, base, head.Commit, specs); err != nil {
		return RunReply{}, err
	}
	if err := carryOn(ctx, p, base != head.Commit, specs); err != nil {
		return RunReply{}, err
	}
	eng, err := s.engineOf(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	id := s.runID(who)
	if err := s.holdBase(ctx, p, repo, head, id, base); err != nil {
		return RunReply{}, err
	}
	s.keepEnv(id, in.Env)
	err = eng.Start(ctx, run.Event{
		ID: runEventID(who), Kind: run.Begun, At: s.home.Now(), Actor: who.Actor, Run: id, Commit: base, Head: head.Commit,
		Rules: &rules, Specs: specs, Day: last.Day,
	})
	if err != nil {
		return RunReply{}, err
	}
	if last.Run != id {
		s.forgetEnv(last.Run)
	}
	return s.runReply(ctx, p, eng, id, slices.Concat(versions, notes, s.notesOn(ctx, repo, head)))
}

// branch asserts that there is a branch which the work can land on.
func (s *Driver) branch(ctx context.Context, p *projects.Project) (*git.Repo, git.Head, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, git.Head{}, err
	}
	head, err := repo.Head(ctx)
	switch {
	case err != nil:
		return nil, head, err
	case head.Unborn:
		return nil, head, kedge.Errorf(kedge.Blocked, "the repository has no commit yet").WithHint("git add -A && git commit -m start")
	case head.Detached:
		return nil, head, kedge.Errorf(kedge.Blocked, "HEAD is detached: a run needs a branch to land on").WithHint("git switch -c BRANCH")
	}
	return repo, head, nil
}

// specs are the features of the ledger in the order of the plan.
func (s *Driver) specs(ctx context.Context, p *projects.Project) ([]run.Spec, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(l.Docs) == 0 {
		return nil, kedge.Errorf(kedge.Blocked, "there are no features to work on").
			WithHint("kedge plan GOAL, or: kedge features import FILE")
	}
	docs := make(map[kedge.FeatureID]journal.FeatureDoc, len(l.Docs))
	for _, d := range l.Docs {
		docs[d.ID] = d
	}
	var out []run.Spec
	for _, f := range plan.Order(l.Features()) {
		d := docs[f.ID]
		spec := run.SpecOf(f, d.Hash)
		spec.Claim = d.Claim == kedge.Completed && f.Status == kedge.Pending
		if f.Status == kedge.Pending || f.Status == kedge.InProgress {
			spec.Wanted = d.Wanted
		}
		out = append(out, spec)
	}
	return out, nil
}

// runRules are the rules of a run: those of config.toml at the base, and what
// the caller says beside it. The agents must be there before anything begins; the
// notes say which versions they are.
func (s *Driver) runRules(ctx context.Context, p *projects.Project, repo *git.Repo, base string, in RunStartRequest) (run.Rules, []string, error) {
	cfg, err := projects.Source{Project: p, Repo: repo, Base: base}.Config(ctx, projects.UserFile(in.Env))
	if err != nil {
		return run.Rules{}, nil, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return run.Rules{}, nil, err
	}
	if n := in.Flags.Parallel; n < 0 || n > config.MaxParallel {
		return run.Rules{}, nil, kedge.Errorf(kedge.Invalid, "%d features at once is not between 1 and %d", n, config.MaxParallel).WithHint("kedge run --parallel 4")
	}
	if err := s.checkSandbox(ctx, cfg, p, in.Env); err != nil {
		return run.Rules{}, nil, err
	}
	r := rulesOf(cfg, in.Flags)
	r.Phases = phaseLimits(l)
	const again = "kedge run"
	if err := s.checkCommitted(ctx, p, repo, base, r.Agent, again, sessions.CheckAgent(cfg, p, r.Agent, in.Env, again)); err != nil {
		return r, nil, err
	}
	uses := usesOf(cfg, r.Agent, in.Flags)
	for _, use := range uses[1:] {
		if err := sessions.CheckAgent(cfg, p, use.Route, in.Env, again); err != nil {
			return r, nil, kedge.Errorf(kedge.Blocked, "%s in config.toml: %w", use.Key, err).WithHint("%s", kedge.HintOf(err))
		}
	}
	notes, err := s.checkVersions(ctx, cfg, uses, in.Env)
	return r, notes, err
}

// usesOf are the routes that a run may take, the usual one first. The agent that a
// person names does all but what comes after a provider's limit.
func usesOf(cfg config.Config, usual string, flags RunFlags) []config.Use {
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

// checkVersions tells which versions the agents are, and refuses those that are
// known to be broken.
func (s *Driver) checkVersions(ctx context.Context, cfg config.Config, uses []config.Use, env []string) ([]string, error) {
	var notes []string
	for _, i := range s.installed(ctx, cfg, uses, env) {
		if err := i.Refuse(); err != nil {
			return nil, err
		}
		notes = append(notes, i.Text())
	}
	return notes, nil
}

// rulesOf are the rules that config.toml and the flags make.
func rulesOf(cfg config.Config, f RunFlags) run.Rules {
	r := run.Rules{
		Parallel: cfg.Run.Parallel, Land: cfg.Run.Land, Regression: cfg.Run.Regression,
		Agent:    firstSet(f.Agent, cfg.Route.Implement, cfg.Run.Agent),
		Handover: cfg.Context.Handover, MaxSessions: f.MaxSessions, Tokens: f.BudgetTokens, USD: cfg.Budget.RunUSD, DayUSD: cfg.Budget.DayUSD,
		FeatureUSD: cfg.Budget.FeatureUSD, SessionTokens: cfg.Budget.SessionTokens, SessionWall: cfg.Budget.SessionWall.Std(),
		Given: run.Given{Agent: f.Agent, Parallel: f.Parallel, Tokens: f.BudgetTokens, USD: f.BudgetUSD},
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

func firstSet(values ...string) string {
	i := slices.IndexFunc(values, func(v string) bool { return v != "" })
	if i < 0 {
		return ""
	}
	return values[i]
}

// checkCommitted says it when an agent is only missing because nobody committed
// what it takes: a run reads config.toml, and runs a script of the repository, as
// they are in its commit. err is what is wrong with the agent; nil: nothing. again is
// what the person called, to be called again.
func (s *Driver) checkCommitted(ctx context.Context, p *projects.Project, repo *git.Repo, base, route, again string, err error) error {
	here, hereErr := projects.Source{Project: p}.Config(ctx, "")
	if hereErr != nil {
		return err
	}
	route = firstSet(route, here.Route.Implement, here.Run.Agent)
	name, _, _ := strings.Cut(route, ":")
	a, hereErr := here.Agent(name)
	if hereErr != nil {
		return err
	}
	if err != nil && s.differs(ctx, p, repo, scaffold.ConfigFile) {
		return kedge.Errorf(kedge.Blocked, "%w: %s has changes that are not committed, and a run reads it as it is committed", err, scaffold.ConfigFile).
			WithHint("git commit -m \"settings of Kedge\" %s && %s", scaffold.ConfigFile, again)
	}
	if err != nil || len(a.Command) == 0 || filepath.IsAbs(a.Command[0]) || !strings.Contains(a.Command[0], "/") {
		return err
	}
	script := path.Clean(a.Command[0])
	if there, err := repo.Exists(ctx, base, script); err != nil || there || strings.HasPrefix(script, "../") {
		return err
	}
	return kedge.Errorf(kedge.Blocked, "agent %q cannot be started: %s is not committed, and a run works on what is", name, script).
		WithHint("git add %s && git commit -m \"the agent\" %s && %s", script, script, again)
}

// differs tells whether a file is not as in the last commit.
func (s *Driver) differs(ctx context.Context, p *projects.Project, repo *git.Repo, name string) bool {
	then, err := repo.ReadFile(ctx, "HEAD", name)
	if err != nil && !kedge.NotFound.Is(err) {
		return false
	}
	now, ok, err := p.Read(name)
	return err == nil && ok && !bytes.Equal(bytes.ReplaceAll(now, []byte("\r\n"), []byte("\n")), then)
}

// notesOn says what of the work tree a run does not see.
func (s *Driver) notesOn(ctx context.Context, repo *git.Repo, head git.Head) []string {
	tree, err := repo.Tree(ctx)
	if err != nil {
		return nil
	}
	changes, err := repo.Diff(ctx, head.Commit, tree)
	if err != nil {
		return nil
	}
	var paths []string
	for _, c := range changes {
		if !kedge.IsGenerated(c.Path) {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return []string{"not committed, so no part of the run: " + verify.Listed(paths[:min(len(paths), 5)]) + andMore(len(paths)-5)}
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return " and more"
}

// runReply shows the run of an engine as it is now.
func (s *Driver) runReply(ctx context.Context, p *projects.Project, eng RunEngine, id kedge.RunID, notes []string) (RunReply, error) {
	st, err := eng.State(ctx, id)
	if err != nil {
		return RunReply{}, err
	}
	v, err := s.viewOf(ctx, p, st)
	if notes == nil {
		notes = []string{}
	}
	return RunReply{Run: v, Notes: notes}, err
}

// stepsOf is how many steps a run has had; 0 when that cannot be read: then a
// watcher sees more than it need.
func stepsOf(ctx context.Context, p *projects.Project, id kedge.RunID) int64 {
	doc, err := watched(ctx, p, id)
	if err != nil {
		return 0
	}
	return doc.Steps
}

// runID is the id of the run that a request begins: the same when it is made
// again.
func (s *Driver) runID(who projects.Caller) kedge.RunID {
	if rest, ok := strings.CutPrefix(who.Key, "req-"); ok && kedge.ValidID("req", who.Key) {
		return kedge.RunID("run-" + rest)
	}
	return kedge.RunID(kedge.NewID("run", s.home.Now()))
}

// runEventID makes a request that is made again the same event.
func runEventID(who projects.Caller) kedge.EventID { return kedge.EventID("run-" + who.Key) }
