package slot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/text/strict"
)

// KeepConflict keeps the conflict with which a job on a feature ended, for whoever takes the feature
// up again. A job that ended without one, or is done, leaves none.
func (s *Slots) KeepConflict(id kedge.RunID, job int, feature kedge.FeatureID, status kedge.Status) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.readJob(id, job)
	if err != nil || j.Session == "" || feature == "" { // nobody worked on it
		return err
	}
	for _, file := range s.conflictFiles(feature) {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kedge.Errorf(kedge.Internal, "cannot delete the saved merge conflict of feature %q: %w", feature, err)
		}
	}
	if j.setAside(); j.Conflict == nil || j.Conflict.Carried || status == kedge.Completed {
		return nil
	}
	return s.writeRecord(id, filepath.Join(s.recordsDir(id), conflictName(feature)), *j.Conflict)
}

// TakeConflict gives the first attempt of a job the conflict with which an earlier one on its feature
// ended.
func (s *Slots) TakeConflict(id kedge.RunID, job, attempt int, feature kedge.FeatureID) error {
	files := s.conflictFiles(feature)
	if attempt != 1 || len(files) == 0 {
		return nil
	}
	text, err := os.ReadFile(slices.Max(files)) // of the newest run
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var was Conflict
	if err == nil {
		err = strict.Decode(files[0], text, &was)
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read the saved merge conflict of feature %q: %w", feature, err)
	}
	was.Attempt = attempt - 1
	_, err = s.Keep(id, job, func(j *Job) {
		if j.Conflict == nil {
			j.Conflict = &was
		}
	})
	return err
}

func (s *Slots) conflictFiles(feature kedge.FeatureID) []string {
	if !kedge.ValidName(string(feature)) {
		return nil
	}
	dirs, _ := os.ReadDir(s.root())
	var out []string
	for _, d := range dirs {
		file := filepath.Join(s.root(), d.Name(), conflictName(feature))
		if _, err := os.Lstat(file); err == nil {
			out = append(out, file)
		}
	}
	return out
}

func conflictName(feature kedge.FeatureID) string { return "conflict-" + string(feature) + ".json" }
