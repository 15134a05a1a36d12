package hold

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"kedge"
)

// Found is what is true of a session, as its folder and its holder tell it.
type Found struct {
	ID     kedge.SessionID
	Dir    string
	State  kedge.SessionState
	Cause  string  // why it was interrupted: killed, reboot, lost
	Client *Client // of a living holder
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
		return nil, kedge.Errorf(kedge.Internal, "read the sessions: %w", err)
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

// Look is Find for one session.
func Look(ctx context.Context, dir string) Found {
	f := Found{ID: kedge.SessionID(filepath.Base(dir)), Dir: dir}
	if c, err := Dial(ctx, dir); err == nil {
		f.Client, f.State = c, kedge.SessionRunning
	}
	if r, err := ReadResult(dir); err == nil {
		f.Result, f.State = &r, kedge.SessionExited
	}
	if f.State == "" {
		f.State, f.Cause = kedge.SessionInterrupted, interrupted(dir)
	}
	return f
}

// interrupted says why a session without holder and result ended.
func interrupted(dir string) string {
	r, err := ReadRecord(dir)
	switch {
	case err != nil:
		return "lost" // it never came to a record, or the record is damaged
	case r.Boot != bootID():
		return "reboot"
	case alive(r.Holder, r.Boot):
		return "lost" // it lives and does not answer
	default:
		return "killed"
	}
}
