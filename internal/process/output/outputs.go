package output

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/redact"
)

// Outputs of exec stand in $KEDGE_HOME/exec/<id>: while the command runs what it
// prints, as it is; when it has ended the output without secrets, and exec.json. No
// daemon is needed for it, so that a session can use it.
const (
	folder  = "exec"
	printed = "printed"
	output  = "output"
	record  = "exec.json"
)

// What is kept of them: the oldest go first.
const (
	keepCount = 200
	keepBytes = 512 << 20
)

// Record is one command that exec ran: the record beside its output.
type Record struct {
	Version   int             `json:"version"`
	ID        string          `json:"id"`
	Session   kedge.SessionID `json:"session,omitempty"` // as the environment had it; empty where that was no id
	Dir       string          `json:"dir"`
	Command   []string        `json:"command"`
	StartedAt time.Time       `json:"started_at"`
	MS        int64           `json:"ms"`
	Exit      int             `json:"exit"`
	Bytes     int64           `json:"bytes"`
}

// Kept is the place of a command that is about to run. Whoever has its file
// open, the command's own children too, keeps it from being removed.
type Kept struct {
	ID     string
	Output *os.File // to be given to the command
	folder string
}

// Keep makes the place for the output of a command, and removes old ones as far as
// that can be done.
func Keep(home string, now time.Time) (*Kept, error) {
	k := &Kept{ID: kedge.NewID("exec", now)}
	all := filepath.Join(home, folder)
	k.folder = filepath.Join(all, k.ID)
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot make a folder for the output: %w", err).
			WithHint("set KEDGE_HOME to a folder that you may write to")
	}
	f, err := os.OpenFile(filepath.Join(k.folder, printed), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot save the output of the command: %w", err)
	}
	k.Output = f
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot lock the file %q, in which Kedge keeps the output: %w", f.Name(), errors.Join(err, f.Close())).
			WithHint("set KEDGE_HOME to a folder on a local disk")
	}
	_ = prune(all, keepCount, keepBytes) // what is wrong with old outputs is no reason not to run
	return k, nil
}

// Path is where the output stands when the command has ended.
func (k *Kept) Path() string { return filepath.Join(k.folder, output) }

// End takes the secrets out of what the command printed, lets go of it, and writes
// down how it ended. Somebody may write on: what comes then is kept without secrets
// when the next command begins.
func (k *Kept) End(e Record) error {
	_ = k.Output.Close() // only the lock on it is left
	unsettled := settle(k.folder, true)
	e.Version, e.ID, e.Session = 1, k.ID, validSession(e.Session)
	e.Command = slices.Clone(e.Command)
	for i, arg := range e.Command {
		e.Command[i] = redact.Text(arg)
	}
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save which command was run: %w", err)
	}
	err = atomicfile.Write(filepath.Join(k.folder, record), append(b, '\n'), 0o600)
	if unsettled != nil {
		return unsettled // the record fails for the same reason
	}
	return err
}

// validSession is the id of a session, or none: whoever runs a command sets its
// environment as he likes.
func validSession(id kedge.SessionID) kedge.SessionID {
	if kedge.ValidID("ses", string(id)) {
		return id
	}
	return ""
}

// Open opens the kept output of a command, without secrets, also while it runs.
func Open(home, id string) (io.ReadCloser, error) {
	if !kedge.ValidID("exec", id) {
		return nil, kedge.Errorf(kedge.Invalid, "%q is not the id of a command that kedge exec ran", id).WithHint("see the ids: kedge exec --list")
	}
	if f, err := os.Open(filepath.Join(home, folder, id, printed)); err == nil {
		return struct {
			io.Reader
			io.Closer
		}{&cleaned{from: f, size: chunk}, f}, nil
	}
	f, err := os.Open(filepath.Join(home, folder, id, output))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.NotFound, "Kedge does not have the output of command %q: Kedge keeps only the output of the last %d commands, and at most %d MB", id, keepCount, keepBytes>>20).
			WithHint("see the saved outputs: kedge exec --list")
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the saved output: %w", err)
	}
	return f, nil
}

// List gives the records of the commands that have ended and whose output is kept,
// the newest first. One that cannot be read is passed over: its command runs, or
// nobody was there to write it down.
func List(home string) ([]Record, error) {
	entries, err := os.ReadDir(filepath.Join(home, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the saved outputs: %w", err)
	}
	list := []Record{}
	for _, e := range slices.Backward(entries) {
		if !kedge.ValidID("exec", e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(home, folder, e.Name(), record))
		var r Record
		if err == nil && json.Unmarshal(b, &r) == nil && r.ID == e.Name() {
			r.Session = validSession(r.Session)
			list = append(list, r)
		}
	}
	return list, nil
}

// prune removes the oldest outputs of commands that have ended, until at most
// count of them and size bytes are left. Ids sort by time. One that cannot be
// looked after keeps it from none of the others.
func prune(all string, count int, size int64) error {
	entries, err := os.ReadDir(all)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot list the saved outputs: %w", err)
	}
	left, total := 0, int64(0)
	var failed []error
	for i := len(entries) - 1; i >= 0; i-- {
		name := entries[i].Name()
		if !kedge.ValidID("exec", name) {
			continue
		}
		folder := filepath.Join(all, name)
		left++
		for _, file := range []string{printed, output} {
			if info, err := os.Stat(filepath.Join(folder, file)); err == nil {
				total += info.Size()
			}
		}
		if left <= count && (total <= size || left == 1) {
			failed = append(failed, settle(folder, false)) // of one whose exec was killed
		} else {
			failed = append(failed, removeOne(folder))
		}
	}
	return errors.Join(failed...)
}

// removeOne removes the place of a command unless somebody writes to it.
func removeOne(folder string) error {
	f, err := os.Open(filepath.Join(folder, printed))
	switch {
	case err == nil:
		defer func() { _ = f.Close() }()
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			return nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return kedge.Errorf(kedge.Internal, "cannot read a saved output: %w", err)
	}
	if err := os.RemoveAll(folder); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot remove an old output: %w", err)
	}
	return nil
}
