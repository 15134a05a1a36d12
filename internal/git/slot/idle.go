package slot

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/process"
)

// Usage tells which worktrees of a project are idle and which are in use, by folder.
type Usage struct {
	// Idle are those that nothing is in any more but what is left: slots that no job
	// has, and the clean ones of runs that are over and have no job. No process works
	// there.
	Idle []string
	// Of are those that a run still needs: a job has them, or they are the clean ones
	// of a run that is not over.
	Of map[string]kedge.RunID
}

// Usage looks at all worktrees of the project. It changes nothing.
func (s *Slots) Usage(ctx context.Context) (Usage, error) {
	over, err := s.over(ctx)
	if err != nil {
		return Usage{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage(over)
}

func (s *Slots) usage(over func(kedge.RunID) bool) (Usage, error) {
	out := Usage{Of: map[string]kedge.RunID{}}
	jobs, err := s.jobs()
	if err != nil {
		return out, err
	}
	for _, j := range jobs {
		out.Of[s.CleanDir(j.Run)] = j.Run
		if j.Slot != 0 {
			out.Of[s.Dir(j.Slot)] = j.Run
		}
	}
	dirs, err := filepath.Glob(filepath.Join(s.root(), "run-*"))
	if err != nil {
		return out, kedge.Errorf(kedge.Internal, "cannot list the worktrees in %q: %w", s.root(), err)
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !kedge.ValidID("run", filepath.Base(dir)) })
	for _, dir := range dirs {
		if id := kedge.RunID(filepath.Base(dir)); !over(id) {
			out.Of[dir] = id
		}
	}
	for n := 1; n < maxSlots; n++ {
		dirs = append(dirs, s.Dir(n))
	}
	for _, dir := range dirs {
		if _, err := os.Lstat(dir); err == nil && out.Of[dir] == "" && process.Occupant(dir) <= 0 {
			out.Idle = append(out.Idle, dir)
		}
	}
	return out, nil
}

// Clear takes an idle worktree away: what is in it and in no commit is set aside
// first. Conflict when it is not idle any more. Its folder is only moved: Sweep
// deletes it.
func (s *Slots) Clear(ctx context.Context, dir string, q Request) (kedge.Salvage, error) {
	over, err := s.over(ctx)
	if err != nil {
		return kedge.Salvage{}, err
	}
	s.mu.Lock() // nobody acquires a slot meanwhile
	defer s.mu.Unlock()
	now, err := s.usage(over)
	if err != nil {
		return kedge.Salvage{}, err
	}
	if !slices.Contains(now.Idle, dir) && !s.cfg.Repo.Removing(dir) {
		return kedge.Salvage{}, kedge.Errorf(kedge.Conflict, "the worktree %q is in use", dir).WithHint("see what uses it: kedge worktree ls")
	}
	return s.drop(ctx, dir, q)
}

// ForgetRuns deletes what is written down of runs that are over and left neither a branch nor
// a job, and the folder of all worktrees if nothing is in it then.
func (s *Slots) ForgetRuns(ctx context.Context) error {
	over, err := s.over(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	use, err := s.usage(over)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(s.root(), "run-*.d"))
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot list the folders of runs in %q: %w", s.root(), err)
	}
	for _, dir := range files {
		id := kedge.RunID(strings.TrimSuffix(filepath.Base(dir), ".d"))
		if !kedge.ValidID("run", string(id)) || !over(id) || use.Of[s.CleanDir(id)] != "" {
			continue
		}
		if _, err := s.cfg.Repo.Resolve(ctx, "refs/heads/"+Branch(id)); !kedge.NotFound.Is(err) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot delete the files of run %s: %w", id, err).WithHint("delete them yourself: rm -r %s", git.Quoted(dir))
		}
	}
	_ = os.Remove(s.root()) // only if it is empty now
	return nil
}
