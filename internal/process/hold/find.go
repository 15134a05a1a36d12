package hold

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"kedge"
)

// Why a session is what it is, where its state does not say it all. CauseExited
// and CauseKilled are also those of a program that ended by itself or by a
// signal while its holder watched.
const (
	CauseExited = "exited"
	CauseKilled = "killed"
	CauseMemory = "out_of_memory"
	CauseReboot = "reboot"
	CauseLost   = "lost"          // no holder, for an unknown reason
	CauseSilent = "not answering" // the holder lives and does not answer now; the session runs
)

// Found is what is true of a session, as its folder and its holder tell it.
type Found struct {
	ID     kedge.SessionID
	Dir    string
	State  kedge.SessionState
	Cause  string
	Client *Client // of a living holder
	Now    *State  // what it says of the session
	Result *Result // of an ended session
}

// Find looks at every session folder in dir, in parallel, and connects to the
// holders that live. It never removes or signals anything.
func Find(ctx context.Context, dir string) ([]Found, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the sessions: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && kedge.ValidID("ses", e.Name()) {
			dirs = append(dirs, filepath.Join(dir, e.Name()))
		}
	}
	found := make([]Found, len(dirs))
	var wg sync.WaitGroup
	limit := make(chan struct{}, 32)
	for i, d := range dirs {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			found[i] = Look(ctx, d)
		})
	}
	wg.Wait()
	return found, nil
}

// answerLimit is how long a holder may take to answer a look: one that is stopped
// must hold up neither a list nor the start of a daemon.
const answerLimit = 5 * time.Second

// Look is Find for one session.
func Look(ctx context.Context, dir string) Found {
	f := Found{ID: kedge.SessionID(filepath.Base(dir)), Dir: dir}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	c, err := Dial(ctx, dir)
	if err == nil {
		f.Client, f.State = c, kedge.SessionRunning
	}
	if r, err := ReadResult(dir); err == nil {
		f.Result, f.State, f.Cause = &r, r.state(), r.Cause
	} else if f.Client != nil {
		f.ask(ctx)
	}
	if f.State == "" {
		f.State, f.Cause = unanswered(dir, err)
	}
	return f
}

// ask asks the holder how its session is: one that has ended may not have been
// able to write that down.
func (f *Found) ask(ctx context.Context) {
	now, err := f.Client.State(ctx)
	if err != nil {
		_ = f.Client.Close()
		f.Client, f.Cause = nil, CauseSilent
		return
	}
	if f.Now = &now; now.Exit != nil {
		r := Result{Version: fileVersion, Session: f.ID, Exit: *now.Exit, Asked: now.Asked, End: now.End, Lost: now.Lost}
		f.Result, f.State, f.Cause = &r, r.state(), r.Cause
	}
}

// state of a session that has ended: a program that a signal ended which nobody
// asked Kedge for was interrupted in its work.
func (r Result) state() kedge.SessionState {
	if (r.Signal != 0 || r.Cause == CauseKilled) && !r.Asked {
		return kedge.SessionInterrupted
	}
	return kedge.SessionExited
}

// unanswered says what is true of a session whose holder did not answer and that
// has no result. A holder that is stopped, or slow on a busy machine, still holds
// its session: only one that is gone has interrupted it.
func unanswered(dir string, dialled error) (kedge.SessionState, string) {
	r, err := ReadRecord(dir)
	late := kedge.Interrupted.Is(dialled) || errors.Is(dialled, syscall.EAGAIN)
	switch {
	case err != nil && locked(dir):
		return kedge.SessionRunning, CauseSilent // its holder is on its way
	case err != nil:
		return kedge.SessionInterrupted, CauseLost // it never came to a record, or the record is damaged
	case r.Boot != bootID():
		return kedge.SessionInterrupted, CauseReboot
	case alive(r.Holder, r.Boot) && late:
		return kedge.SessionRunning, CauseSilent
	case alive(r.Holder, r.Boot):
		return kedge.SessionInterrupted, CauseLost // its socket is gone, or somebody else's
	default:
		return kedge.SessionInterrupted, CauseKilled
	}
}
