package runs

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/supply"

	"kedge/internal/app/verify"
	"kedge/internal/core/run"
	"kedge/internal/git"
)

// RunStartRequest asks for a run. Env is the caller's environment; it stays in
// memory and in the holders of sessions, and is never written down.
type RunStartRequest struct {
	Flags supply.Flags `json:"flags"`
	Env   []string     `json:"env,omitempty"`
}

// RunReply is a run after a command about it. Attached means that it was there.
type RunReply struct {
	Run      RunView  `json:"run"`
	Attached bool     `json:"attached"`
	Steps    int64    `json:"steps"` // how many the run had had before: what a watcher has not seen comes after them
	Notes    []string `json:"notes"` // what a person should know and need not do anything about
	// Summary is what a run came to that rests; null while it works.
	Summary *reports.RunSummary `json:"summary,omitempty"`
}

// RunStart begins a run over the features of the ledger. While one lives it
// gives that one: a second run attaches to the first. One that was halted goes
// on, except where a spent budget was not raised.
func (s *Runs) RunStart(ctx context.Context, who projects.Caller, in RunStartRequest) (RunReply, error) {
	p, err := s.ProjectToStart(ctx, who, "start a run")
	if err != nil {
		return RunReply{}, err
	}
	release, err := s.life.Alone(ctx, "run of "+string(p.ID)) // two at once would begin two
	if err != nil {
		return RunReply{}, err
	}
	defer release()
	if err := s.planning.FinishFounding(ctx, p, who); err != nil {
		return RunReply{}, err
	}
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	dropped, err := ledger.PlanDropped(ctx, p, last)
	if err != nil {
		return RunReply{}, err
	}
	if last, err = s.planning.TakeTyped(ctx, p, who, last, in.Env); err != nil {
		return RunReply{}, err
	}
	if !dropped {
		if last, err = s.takeAdded(ctx, p, who, last); err != nil {
			return RunReply{}, err
		}
	}
	switch {
	case dropped:
		return s.begin(ctx, p, who, in, last)
	case found && last.Run == s.RunID(who):
		return s.attachRun(ctx, p, last, in)
	case found && !last.Ended() && last.Halt == run.Returned: // a session of it waits for an answer, or work is still being set aside
		return s.goOn(ctx, p, who, last, in)
	case found && !last.Ended():
		return s.AttachWith(ctx, p, who, last, in)
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
func (s *Runs) anew(ctx context.Context, p *projects.Project, last run.State) (bool, error) {
	repo, head, err := s.Branch(ctx, p)
	if err != nil {
		return false, err
	}
	if gone, err := landing.RemovedByUser(ctx, repo, head, last); err != nil || gone {
		return gone, err
	}
	return landing.LeftBehind(ctx, repo, last)
}

// Project is the project of a caller who may command runs: a person, in the
// main worktree of a repository.
func (s *Runs) Project(ctx context.Context, who projects.Caller, what string) (*projects.Project, error) {
	if err := projects.PersonOnly(who, what); err != nil {
		return nil, err
	}
	if s.home.ReadOnly {
		return nil, projects.ErrReadOnly()
	}
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return nil, err
	}
	if !p.Git {
		return nil, kedge.Errorf(kedge.Invalid, "the folder %q is not a git repository, and a run needs one", p.Dir).WithHint("make a repository there: git init && git add -A && git commit -m start")
	}
	if main := git.MainFolder(p.Dir); main != "" && main != p.Dir {
		return nil, kedge.Errorf(kedge.Invalid, "this folder is an additional git worktree, and commands for runs work only in the main folder of the repository").WithHint("go there, then repeat your command: %s", kedge.Step("cd", main))
	}
	return p, nil
}

// ProjectToStart is Project for a caller who wants a run to start or to go on. What ends
// or shows one needs no files of Kedge's.
func (s *Runs) ProjectToStart(ctx context.Context, who projects.Caller, what string) (*projects.Project, error) {
	p, err := s.Project(ctx, who, what)
	if err != nil {
		return nil, err
	}
	return p, s.home.RefuseNotSetUp(ctx, p)
}

// attachRun gives a run as it is.
func (s *Runs) attachRun(ctx context.Context, p *projects.Project, st run.State, in RunStartRequest) (RunReply, error) {
	s.keepFirstEnv(st.Run, in.Env)
	if _, err := s.Engine(ctx, p); err != nil {
		return RunReply{}, err
	}
	v, err := s.View(ctx, p, st)
	return RunReply{Run: v, Attached: true, Steps: stepsOf(ctx, p, st.Run), Notes: []string{}}, err
}

// begin starts a new run; last is the one before it, if there was one.
func (s *Runs) begin(ctx context.Context, p *projects.Project, who projects.Caller, in RunStartRequest, last run.State) (RunReply, error) {
	repo, head, err := s.Branch(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	rules, versions, err := s.supply.Rules(ctx, p, repo, head.Commit, in.Flags, in.Env, false)
	if err != nil {
		return RunReply{}, err
	}
	specs, err := ledger.Specs(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	if err := maintenance.RefuseUntrusted(ctx, p, repo, head.Commit); err != nil {
		return RunReply{}, err
	}
	if _, _, err := s.landing.Base(ctx, p, repo, head, last); err != nil { // before anything is written
		return RunReply{}, err
	}
	if head, err = s.landing.CommitLedger(ctx, p, who, repo, head); err != nil {
		return RunReply{}, err
	}
	if err := s.status.Look(ctx, p, who, "run"); err != nil {
		return RunReply{}, err
	}
	base, notes, err := s.landing.Base(ctx, p, repo, head, last)
	if err != nil {
		return RunReply{}, err
	}
	if _, err := s.landing.AddUnaccepted(ctx, p, repo, base, head.Commit, specs); err != nil {
		return RunReply{}, err
	}
	if err := landing.AddRemembered(ctx, p, base != head.Commit, specs); err != nil {
		return RunReply{}, err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	id := s.RunID(who)
	if err := s.landing.KeepBase(ctx, p, repo, head, id, base); err != nil {
		return RunReply{}, err
	}
	s.KeepEnv(id, in.Env)
	err = eng.Start(ctx, run.Input{
		ID: ledger.RunEventID(who), Kind: run.Begun, At: s.home.Now(), Actor: who.Actor, Run: id, Commit: base, Head: head.Commit,
		Rules: &rules, Specs: specs, Day: last.Day,
	})
	if err != nil {
		return RunReply{}, err
	}
	if last.Run != id {
		s.forgetEnv(last.Run)
	}
	return s.Show(ctx, p, eng, id, slices.Concat(versions, notes, s.NotesOnUncommitted(ctx, repo, head)))
}

// Branch asserts that there is a branch which the work can land on.
func (s *Runs) Branch(ctx context.Context, p *projects.Project) (*git.Repo, git.Head, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, git.Head{}, err
	}
	head, err := repo.Head(ctx)
	switch {
	case err != nil:
		return nil, head, err
	case head.Unborn:
		return nil, head, projects.RefuseUnborn(head)
	case head.Detached:
		return nil, head, kedge.Errorf(kedge.Blocked, "HEAD is detached, and a run needs a branch to which it can move its work").WithHint("make a branch here: git switch -c BRANCH")
	}
	return repo, head, nil
}

// NotesOnUncommitted says what of the worktree a run does not see.
func (s *Runs) NotesOnUncommitted(ctx context.Context, repo *git.Repo, head git.Head) []string {
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
	return []string{"these files are not committed, so the run does not see them: " + verify.Listed(paths[:min(len(paths), 5)]) + andMore(len(paths)-5)}
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return " and more"
}

// Show shows the run of an engine as it is now.
func (s *Runs) Show(ctx context.Context, p *projects.Project, eng RunEngine, id kedge.RunID, notes []string) (RunReply, error) {
	st, err := eng.State(ctx, id)
	if err != nil {
		return RunReply{}, err
	}
	v, err := s.View(ctx, p, st)
	if notes == nil {
		notes = []string{}
	}
	return RunReply{Run: v, Notes: notes}, err
}

// stepsOf is how many steps a run has had; 0 when that cannot be read: then a
// watcher sees more than it need.
func stepsOf(ctx context.Context, p *projects.Project, id kedge.RunID) int64 {
	doc, err := ledger.FindRun(ctx, p, id)
	if err != nil {
		return 0
	}
	return doc.Steps
}

// RunID is the id of the run that a request begins: the same when it is made
// again.
func (s *Runs) RunID(who projects.Caller) kedge.RunID {
	if rest, ok := strings.CutPrefix(who.Key, "req-"); ok && kedge.ValidID("req", who.Key) {
		return kedge.RunID("run-" + rest)
	}
	return kedge.RunID(kedge.NewID("run", s.home.Now()))
}
