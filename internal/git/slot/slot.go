// Package slot owns the worktrees in which runs work: slots, which are reused so that
// ignored files (dependencies, caches) survive, and the one clean worktree of a run, in
// which no agent ever writes. It also owns the worktrees of sessions that you start: each
// is made for one session, on a branch of its own. It promises that nothing in a slot is
// lost without a salvage, that two jobs never share a slot, and that a slot is ready only
// when its set-up ran for its inputs. It never touches your own checkout.
package slot

import (
	"context"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"kedge"
	"kedge/internal/git"
)

// Config is what slots need from outside.
type Config struct {
	Repo    *git.Repo
	Dir     string // $KEDGE_HOME/worktrees/<project>
	Attic   string // of the project
	Project kedge.ProjectID
	Now     func() time.Time

	// Lock is over the records of runs and jobs: one for all Slots of a project; nil
	// where there are no others.
	Lock sync.Locker
	// Over gives which runs are over, so that nothing of the others is taken away; nil:
	// all are.
	Over func(context.Context) (func(kedge.RunID) bool, error)
}

// Slots are the worktrees of one project. One process has them at a time.
type Slots struct {
	cfg Config
	mu  sync.Locker // over the records of runs and jobs
}

// New gives the slots of a project.
func New(cfg Config) *Slots {
	s := &Slots{cfg: cfg, mu: cfg.Lock}
	if s.mu == nil {
		s.mu = &sync.Mutex{}
	}
	return s
}

// Dir is the folder of a slot; they are numbered from 1.
func (s *Slots) Dir(n int) string { return filepath.Join(s.root(), "slot-"+strconv.Itoa(n)) }

// CleanDir is the folder of a run's clean worktree.
func (s *Slots) CleanDir(id kedge.RunID) string { return filepath.Join(s.root(), string(id)) }

// root is the folder of all worktrees, as git lists it.
func (s *Slots) root() string {
	if real, err := filepath.EvalSymlinks(s.cfg.Dir); err == nil {
		return real
	}
	return s.cfg.Dir
}

// Branch is the integration branch of a run.
func Branch(id kedge.RunID) string { return "kedge/" + string(id) }

// Open gives the worktree of a job; NotFound when it has none. That its link to the
// repository had to be put back is written down first.
func (s *Slots) Open(ctx context.Context, j Job) (*git.Repo, error) {
	if j.Slot == 0 {
		return nil, kedge.Errorf(kedge.NotFound, "run %s has no worktree for this feature", j.Run).WithHint("see the worktrees: kedge worktree ls")
	}
	return s.open(ctx, s.Dir(j.Slot), func(was string) error {
		_, err := s.Keep(j.Run, j.Job, func(j *Job) { j.Mended = was })
		return err
	})
}

// open opens a worktree of ours. One whose link to the repository an agent
// removed or replaced gets it back; what stood there goes to the attic, and tell,
// which may be nil, is told of it.
func (s *Slots) open(ctx context.Context, dir string, tell func(was string) error) (*git.Repo, error) {
	aside := filepath.Join(s.cfg.Attic, kedge.NewID("git", s.cfg.Now()))
	if _, err := s.cfg.Repo.MendWorktree(ctx, dir, aside, tell); err != nil {
		return nil, err
	}
	return s.cfg.Repo.In(ctx, dir)
}
