package slot

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"

	"kedge"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/strict"
)

// Job is what is written down of a job before any of its effects, so that who
// does a command a second time finds what the first one made.
type Job struct {
	Version  int             `json:"version"`
	Run      kedge.RunID     `json:"run"`
	Job      int             `json:"job"`
	Slot     int             `json:"slot,omitempty"`     // 0: none yet
	Prepare  int64           `json:"prepare,omitempty"`  // run.Command.Origin of the command that last prepared it
	Base     string          `json:"base,omitempty"`     // the commit that it was prepared at
	From     string          `json:"from,omitempty"`     // and the one before: what the job's own work was made on
	Given    string          `json:"given,omitempty"`    // the tree of its work that was merged, without Kedge's own paths
	Session  kedge.SessionID `json:"session,omitempty"`  // the latest
	Epoch    int64           `json:"epoch,omitempty"`    // run.Command.Origin of the command that started it
	Sessions int             `json:"sessions,omitempty"` // started for the job so far
	Route    string          `json:"route,omitempty"`    // "agent[:model]" of the latest
	Resume   string          `json:"resume,omitempty"`   // the conversation that the latest goes on with; empty: a fresh one

	Parked *Parked `json:"parked,omitempty"` // the worktree that it gave up; nil: it has its own, or none yet
	Marked int64   `json:"marked,omitempty"` // run.Command.Origin of the command for which the outputs of checks were marked
	Moved  bool    `json:"moved,omitempty"`  // its worktree is another one than that of its latest session

	Held  []string `json:"held,omitempty"`  // the feature's checks that were green before the work, and can be made red by new tests
	Green []string `json:"green,omitempty"` // the checks that were green in the worktree when they ran there last

	Mended  string          `json:"mended,omitempty"`  // what stood, since it was prepared, where its link to the repository belongs
	Salvage kedge.SalvageID `json:"salvage,omitempty"` // what was set aside when it was last put back; empty: nothing
	Earlier bool            `json:"earlier,omitempty"` // something of the job's own was set aside, then or before

	Conflict *Conflict `json:"conflict,omitempty"` // of its work with the tip, for the next session; nil: none

	Checkpoint kedge.CheckpointID `json:"checkpoint,omitempty"` // the latest
	Saved      string             `json:"saved,omitempty"`      // names what that one holds
	Place      int64              `json:"place,omitempty"`      // on the tape of the latest session: of the last action that a checkpoint holds
}

// recordsDir is where the records of a run's jobs are.
func (s *Slots) recordsDir(id kedge.RunID) string { return s.CleanDir(id) + ".d" }

func (s *Slots) recordFile(id kedge.RunID, job int) string {
	return filepath.Join(s.recordsDir(id), "job-"+strconv.Itoa(job)+".json")
}

// Job reads the record of a job; one that has none yet is empty.
func (s *Slots) Job(id kedge.RunID, job int) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readJob(id, job)
}

func (s *Slots) readJob(id kedge.RunID, job int) (Job, error) {
	empty := Job{Version: 1, Run: id, Job: job}
	if !kedge.ValidID("run", string(id)) || job < 1 {
		return empty, kedge.Errorf(kedge.Invalid, "Kedge has no work number %d of a run %q", job, string(id))
	}
	j, err := readRecord(s.recordFile(id, job))
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	return j, err
}

func readRecord(file string) (Job, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Job{}, err
	}
	var j Job
	return j, strict.Decode(file, text, &j)
}

// Keep changes the record of a job. It is on the disk when Keep returns.
func (s *Slots) Keep(id kedge.RunID, job int, change func(*Job)) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.readJob(id, job)
	if err != nil {
		return j, err
	}
	was := j
	change(&j)
	if reflect.DeepEqual(j, was) {
		return j, nil
	}
	return j, s.writeJob(j)
}

func (s *Slots) writeJob(j Job) error {
	return s.writeRecord(j.Run, s.recordFile(j.Run, j.Job), j)
}

// KeepRefs writes down what the refs of the repository were before a session of
// the job began, where the session cannot change it.
func (s *Slots) KeepRefs(id kedge.RunID, job int, refs map[string]string) error {
	text, err := json.Marshal(refs)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the commits of branches and tags for run %s: %w", id, err)
	}
	return atomicfile.Write(s.refsFile(id, job), append(text, '\n'), 0o600)
}

// Refs reads what KeepRefs wrote; nil where there is none.
func (s *Slots) Refs(id kedge.RunID, job int) (map[string]string, error) {
	text, err := os.ReadFile(s.refsFile(id, job))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the earlier commits of branches and tags for run %s: %w", id, err)
	}
	var refs map[string]string
	return refs, strict.Decode(s.refsFile(id, job), text, &refs)
}

func (s *Slots) refsFile(id kedge.RunID, job int) string {
	return filepath.Join(s.recordsDir(id), "refs-"+strconv.Itoa(job)+".json")
}

// Release forgets a job that is over: its slot is free for others. What is in
// the slot stays until the next one prepares it; work that was merged need not
// be salvaged then.
func (s *Slots) Release(ctx context.Context, id kedge.RunID, job int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, err := s.readJob(id, job)
	if err != nil {
		return err
	}
	if err := s.leaveGiven(ctx, j); err != nil {
		return err
	}
	if j.Parked != nil {
		if err := s.cfg.Repo.DropCopy(ctx, parkedID(j)); err != nil {
			return err
		}
	}
	for _, file := range []string{s.refsFile(id, job), s.recordFile(id, job)} {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kedge.Errorf(kedge.Internal, "cannot delete a state file of run %s: %w", id, err)
		}
	}
	return nil
}

// leaveGiven writes down in a job's slot which of what is there was merged.
func (s *Slots) leaveGiven(ctx context.Context, j Job) error {
	if j.Slot == 0 || j.Given == "" {
		return nil
	}
	w, err := s.open(ctx, s.Dir(j.Slot), nil)
	if err != nil {
		return nil //nolint:nilerr // a slot that is gone holds nothing that would be salvaged
	}
	return atomicfile.Write(givenFile(w), []byte(j.Given+"\n"), 0o600)
}

// jobs are all jobs that are written down, of every run.
func (s *Slots) jobs() ([]Job, error) {
	files, err := filepath.Glob(filepath.Join(s.cfg.Dir, "run-*.d", "job-*.json"))
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the features that runs work on, in %q: %w", s.cfg.Dir, err)
	}
	var out []Job
	for _, f := range files {
		j, err := readRecord(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

// Left says where the work of a job is. A salvage that does not exist is not spoken of.
func (j Job) Left() string {
	switch {
	case j.Salvage != "":
		return "The work was set aside (kedge salvage restore " + string(j.Salvage) + ") and the files are as before."
	case j.Earlier:
		return "The last attempt left no work; what was set aside before is in: kedge salvage ls."
	}
	return "It left no work."
}
