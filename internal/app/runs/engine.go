package runs

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/engine"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/process"
)

// RunEngine is an engine that a service opens and leaves.
type RunEngine interface {
	engine.Engine
	// Open takes up the runs that an earlier owner left.
	Open(ctx context.Context) error
	// Leave lets go of everything; what lives under holders lives on.
	Leave()
}

// engines are the engines of the projects, each made when it is first needed,
// and the environments that runs were started in. Those are never written down.
type engines struct {
	mu   sync.Mutex
	open map[kedge.ProjectID]RunEngine
	left bool

	envMu sync.Mutex               // its own: runs ask for their environment while they are opened
	envs  map[kedge.RunID][]string // nil of one that nobody can tell any more
	told  chan struct{}            // closed when one becomes known; nil while nobody waits for that
}

// Engine gives the engine of a project's runs, which has taken up what an
// earlier daemon left of them.
func (s *Runs) Engine(ctx context.Context, p *projects.Project) (RunEngine, error) {
	s.engines.mu.Lock()
	defer s.engines.mu.Unlock()
	if e, ok := s.engines.open[p.ID]; ok {
		return e, nil
	}
	if s.engines.left || s.home.ReadOnly {
		return nil, gate.ErrLeft
	}
	begin := s.cfg.Engine
	if begin == nil {
		begin = s.localEngine
	}
	ctx = context.WithoutCancel(ctx) // it outlives whoever asked first
	known, err := projects.Known(ctx, p.Store, p.ID)
	if err != nil {
		return nil, err
	}
	e, err := begin(ctx, known, p.Store)
	if err != nil {
		return nil, err
	}
	if err := e.Open(ctx); err != nil { // of single runs: the others go on, and doctor names these
		s.home.Log.Error("cannot resume some runs", "project", string(p.ID), "error", err.Error())
	}
	if s.engines.open == nil {
		s.engines.open = map[kedge.ProjectID]RunEngine{}
	}
	s.engines.open[p.ID] = e
	return e, nil
}

// LeaveRuns lets go of all runs; none is taken up any more.
func (s *Runs) LeaveRuns() {
	s.engines.mu.Lock()
	s.engines.left = true
	var list []RunEngine
	for _, e := range s.engines.open {
		list = append(list, e)
	}
	s.engines.mu.Unlock()
	var all sync.WaitGroup
	for _, e := range list {
		all.Go(e.Leave)
	}
	all.Wait()
}

// AdoptRuns goes on with the runs that are not over, of every project whose
// folder is there. It comes after Adopt: what sessions there are is known then.
func (s *Runs) AdoptRuns(ctx context.Context) error {
	ids, err := s.home.IDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.adoptRuns(ctx, id); err != nil {
			// One project whose runs cannot go on must not keep the daemon from the others.
			s.home.Log.Error("cannot resume the runs of a project", "project", string(id), "error", err.Error())
		}
	}
	return ctx.Err()
}

func (s *Runs) adoptRuns(ctx context.Context, id kedge.ProjectID) error {
	o, err := s.home.Opened(id)
	if err != nil {
		return err
	}
	runs, err := o.Store.Runs(ctx)
	goesOn := slices.ContainsFunc(runs, unfinished)
	if err != nil || !goesOn && (len(runs) == 0 || runs[len(runs)-1].State.Halt == "" && runs[len(runs)-1].State.LandRefusal == "") {
		return err
	}
	known, err := projects.Known(ctx, o.Store, id)
	if err != nil {
		return err
	}
	switch there := git.IsProject(known.Dir, id); {
	case !there && !goesOn:
		return nil
	case !there:
		return kedge.Errorf(kedge.NotFound, "project %q is no longer in the folder %q", known.Name, known.Dir).WithHint("if you moved the project, go to its new folder, then: kedge status")
	}
	p := &projects.Project{Project: known, Opened: o}
	m, err := s.missed(ctx, p) // before the engine goes on: nothing moves yet
	if err != nil || !goesOn && m.none() {
		return err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return err
	}
	if err = s.repeat(ctx, eng, m); err == nil && m.approval != nil {
		err = s.planning.ResumeApproval(ctx, *m.approval)
	}
	return err
}

// unfinished tells whether there is something to go on with.
func unfinished(d journal.RunDoc) bool { return !d.State.Ended() || len(d.State.Outbox) > 0 }

// KeepEnv remembers the environment that a run is to work in.
func (s *Runs) KeepEnv(id kedge.RunID, env []string) {
	if len(env) == 0 {
		return
	}
	s.engines.envMu.Lock()
	defer s.engines.envMu.Unlock()
	if s.engines.envs == nil {
		s.engines.envs = map[kedge.RunID][]string{}
	}
	s.engines.envs[id] = slices.Clone(env)
	if s.engines.told != nil {
		close(s.engines.told)
		s.engines.told = nil
	}
}

// awaitEnv is callerEnv for a run that goes on with a new daemon: most often
// somebody watches it, has just started this daemon, and is about to say in which
// environment. Checks that run in another one would be red for no reason.
func (s *Runs) awaitEnv(id kedge.RunID) []string {
	late := time.NewTimer(s.cfg.EnvPatience)
	defer late.Stop()
	for {
		env, told := s.envOrWord(id)
		if len(env) > 0 {
			return env
		}
		select {
		case <-told:
		case <-late.C:
			return nil
		case <-s.life.Leaving().Done():
			return nil
		}
	}
}

// envOrWord is the environment of a run, and what is closed when one is told.
func (s *Runs) envOrWord(id kedge.RunID) ([]string, <-chan struct{}) {
	s.engines.envMu.Lock()
	defer s.engines.envMu.Unlock()
	if s.engines.told == nil {
		s.engines.told = make(chan struct{})
	}
	return slices.Clone(s.engines.envs[id]), s.engines.told
}

// callerEnv is the environment that a run was started in; nil when this daemon
// does not know it.
func (s *Runs) callerEnv(id kedge.RunID) []string {
	s.engines.envMu.Lock()
	defer s.engines.envMu.Unlock()
	return slices.Clone(s.engines.envs[id])
}

// passed keeps the variables that are named.
func passed(env, names []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.Contains(names, name)
	})
}

// keepFirstEnv is keepEnv for whoever only joins a run: it works on in the
// environment that it has.
func (s *Runs) keepFirstEnv(id kedge.RunID, env []string) {
	if len(s.callerEnv(id)) == 0 {
		s.KeepEnv(id, env)
	}
}

// noteUnknownEnv remembers that the environment of a run is unknown, so that
// its holders are not asked for it again.
func (s *Runs) noteUnknownEnv(id kedge.RunID) {
	s.engines.envMu.Lock()
	defer s.engines.envMu.Unlock()
	if s.engines.envs == nil {
		s.engines.envs = map[kedge.RunID][]string{}
	}
	if _, known := s.engines.envs[id]; !known {
		s.engines.envs[id] = nil
	}
}

func (s *Runs) envUnknown(id kedge.RunID) bool {
	s.engines.envMu.Lock()
	defer s.engines.envMu.Unlock()
	env, noted := s.engines.envs[id]
	return noted && len(env) == 0
}

// forgetEnv lets go of the environment of a run after which another began.
func (s *Runs) forgetEnv(id kedge.RunID) {
	s.engines.envMu.Lock()
	defer s.engines.envMu.Unlock()
	delete(s.engines.envs, id)
}

// PathOf is the PATH on which the programs of a run are looked up: its caller's,
// else the daemon's own.
func (s *Runs) PathOf(id kedge.RunID) string {
	if env := s.callerEnv(id); len(env) > 0 {
		return process.Getenv(env, "PATH")
	}
	return os.Getenv("PATH")
}
