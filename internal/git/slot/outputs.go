package slot

import (
	"context"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/process/atomicfile"
)

// MarkOutputs remembers which ignored files the clean worktree of a run holds before the checks of
// a candidate run. Asked again for the same command it does nothing: they may have run.
func (s *Slots) MarkOutputs(ctx context.Context, w *git.Repo, q Request) error {
	j, err := s.Job(q.Run, q.Job)
	if err != nil || j.Marked == q.Origin {
		return err
	}
	if err := w.NoteIgnored(ctx); err != nil {
		return err
	}
	_, err = s.Keep(q.Run, q.Job, func(j *Job) { j.Marked = q.Origin })
	return err
}

// StashOutputs moves away what checks made since MarkOutputs and git ignores, such as what they
// built. Asked again before RestoreOutputs it deletes what was made since.
func (s *Slots) StashOutputs(ctx context.Context, w *git.Repo, id kedge.RunID) error {
	to := s.stashDir(id)
	if _, err := os.Lstat(to); err == nil {
		to = ""
	} else if err := os.MkdirAll(to, 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for files that the checks of run %s generated: %w", id, err)
	}
	return takeOutputs(ctx, w, to)
}

// RestoreOutputs deletes what was made since StashOutputs and puts back what that moved away;
// nothing where it was not asked.
func (s *Slots) RestoreOutputs(ctx context.Context, w *git.Repo, id kedge.RunID) error {
	from := s.stashDir(id)
	if _, err := os.Lstat(from); err != nil {
		return nil //nolint:nilerr // nothing was moved away
	}
	if err := takeOutputs(ctx, w, ""); err != nil {
		return err
	}
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return moveFile(path, w.Root(), rel)
	})
	if err == nil {
		err = os.RemoveAll(from)
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot restore the files that the checks of run %s generated: %w", id, err)
	}
	return nil
}

func (s *Slots) stashDir(id kedge.RunID) string { return filepath.Join(s.recordsDir(id), "outputs") }

// takeOutputs moves the ignored files that were made or changed since MarkOutputs to a folder, or
// deletes them, and the folders that are empty then.
func takeOutputs(ctx context.Context, w *git.Repo, to string) error {
	files, err := w.IgnoredSince(ctx)
	if err != nil {
		return err
	}
	for _, file := range files {
		from := filepath.Join(w.Root(), file)
		if !linkless(w.Root(), filepath.Dir(from)) {
			continue
		}
		if to == "" {
			err = os.Remove(from)
		} else {
			err = moveFile(from, to, file)
		}
		if err != nil && !os.IsNotExist(err) {
			return kedge.Errorf(kedge.Internal, "cannot remove the files that checks generated in %q: %w", w.Root(), err)
		}
		for dir := filepath.Dir(from); dir != w.Root() && os.Remove(dir) == nil; {
			dir = filepath.Dir(dir)
		}
	}
	return nil
}

// moveFile moves a file below a folder, unless a link leads out of that.
func moveFile(from, root, rel string) error {
	to := filepath.Join(root, rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // as a check makes it
		return err
	}
	if !linkless(root, filepath.Dir(to)) {
		return nil
	}
	return os.Rename(from, to)
}

// linkless tells whether no link is on the way from a root to a folder below it.
func linkless(root, dir string) bool {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	at, err := filepath.EvalSymlinks(dir)
	return err == nil && at == filepath.Join(real, rel)
}

// NoteTrial writes down where the logs are of what runs in the clean worktree of a run.
func (s *Slots) NoteTrial(id kedge.RunID, dir string) error {
	if s.Trial(id) == dir {
		return nil
	}
	if err := os.MkdirAll(s.recordsDir(id), 0o700); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot make the folder for the files of run %s: %w", id, err)
	}
	return atomicfile.Write(s.trialFile(id), []byte(dir+"\n"), 0o600)
}

// Trial is what NoteTrial wrote down last; empty: nothing.
func (s *Slots) Trial(id kedge.RunID) string { return readLine(s.trialFile(id)) }

func (s *Slots) trialFile(id kedge.RunID) string { return filepath.Join(s.recordsDir(id), "trial") }
