package projects

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// Elsewhere is the project of sessions in folders that belong to no project.
const Elsewhere kedge.ProjectID = "prj-00000000000000000000000000"

// Home is one KEDGE_HOME and its open projects. Set the exported fields before the first
// call, and never after.
type Home struct {
	Dir      string
	ReadOnly bool // no daemon: nothing is written, not even files
	Clock    func() time.Time
	Log      *slog.Logger
	Program  string // this binary, for git's filter of Git LFS; empty: none

	mu   sync.Mutex
	open map[kedge.ProjectID]*Opened
	key  []byte // of the journals, once it was read
}

// Close closes every store.
func (h *Home) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var first error
	for id, p := range h.open {
		if err := p.Store.Close(); err != nil && first == nil {
			first = err
		}
		delete(h.open, id)
	}
	return first
}

// Now gives the time in UTC, in milliseconds, as JSON keeps it.
func (h *Home) Now() time.Time { return h.Clock().UTC().Truncate(time.Millisecond) }

// StateDir gives the folder of a project's state.
func (h *Home) StateDir(id kedge.ProjectID) string {
	return filepath.Join(h.Dir, "projects", string(id))
}

// Attic gives the folder for salvage that cannot go into a commit.
func (h *Home) Attic(p *Project) string { return filepath.Join(h.Dir, "attic", string(p.ID)) }

// Opened opens a project that has a journal. It gives NotFound for a project that Kedge
// has forgotten, or that came from another machine.
func (h *Home) Opened(id kedge.ProjectID) (*Opened, error) {
	if _, err := os.Stat(h.StateDir(id)); errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.NotFound, "Kedge on this machine does not know the project %q", id).WithHint("go to the project's folder, then: kedge init")
	}
	return h.Created(id)
}

// Created opens a project, and makes its journal if there is none.
func (h *Home) Created(id kedge.ProjectID) (*Opened, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o, ok := h.open[id]; ok {
		return o, nil
	}
	_, missing := os.Stat(h.StateDir(id))
	_, unsealed := os.Stat(filepath.Join(h.Dir, journal.KeyName)) // then no journal here was ever sealed
	key, bad := h.keyLocked()
	if bad != nil && missing != nil {
		return nil, bad
	}
	st, err := journal.Open(h.StateDir(id), journal.Options{
		Now: h.Clock, ReadOnly: h.ReadOnly, Key: key, Refusal: bad, Existing: missing == nil && unsealed == nil,
	})
	if err != nil {
		return nil, err
	}
	o := &Opened{Store: st, repos: map[string]*git.Repo{}, swept: map[string]bool{}}
	if h.open == nil {
		h.open = map[kedge.ProjectID]*Opened{}
	}
	h.open[id] = o
	return o, nil
}

// keyLocked gives the key of the journals. It makes none if a journal was sealed with one that
// is gone: with an error, a journal is read only.
func (h *Home) keyLocked() ([]byte, error) {
	if h.key != nil {
		return h.key, nil
	}
	lost := false
	if _, err := os.Stat(filepath.Join(h.Dir, journal.KeyName)); errors.Is(err, fs.ErrNotExist) {
		dirs, _ := filepath.Glob(filepath.Join(h.Dir, "projects", "prj-*")) // the pattern is valid
		lost = slices.ContainsFunc(dirs, journal.Sealed)
	}
	key, err := journal.OpenKey(h.Dir, h.ReadOnly || lost)
	if err == nil && lost {
		err = journal.LostKey(h.Dir)
	}
	if err == nil {
		h.key = key
	}
	return key, err
}

// Restore closes a project's journal and makes it whole again. Nobody may use the project
// meanwhile: calls that still do get an error.
func (h *Home) Restore(ctx context.Context, id kedge.ProjectID, o journal.RestoreOptions) (journal.Restored, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p, ok := h.open[id]; ok {
		delete(h.open, id)
		if err := p.Store.Close(); err != nil {
			h.Log.Error("closing a damaged journal", "project", string(id), "error", err.Error())
		}
	}
	key, err := h.keyLocked()
	if err != nil && o.Unverified {
		key, err = journal.ReplaceKey(h.Dir, h.Now())
	}
	if err != nil {
		return journal.Restored{}, err
	}
	h.key, o.Key, o.Now = key, key, h.Clock
	return journal.Restore(ctx, h.StateDir(id), o)
}

// Forget closes a project's journal and moves its state folder. Others that still use
// the journal get an error.
func (h *Home) Forget(id kedge.ProjectID, to string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o, ok := h.open[id]; ok {
		delete(h.open, id)
		if err := o.Store.Close(); err != nil {
			return err
		}
	}
	if err := os.Rename(h.StateDir(id), to); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot move Kedge's files about the removed project: %w", err)
	}
	return nil
}

// IDs gives the projects that have a state folder, without Elsewhere.
func (h *Home) IDs() ([]kedge.ProjectID, error) {
	entries, err := os.ReadDir(filepath.Join(h.Dir, "projects"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the projects that Kedge knows: %w", err)
	}
	var ids []kedge.ProjectID
	for _, e := range entries {
		if id := kedge.ProjectID(e.Name()); e.IsDir() && kedge.ValidID("prj", e.Name()) && id != Elsewhere {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// OfSessions gives the project to which the caller's sessions belong.
func (h *Home) OfSessions(ctx context.Context, who Caller) (*Project, error) {
	p, err := h.Open(ctx, who)
	if !kedge.NotFound.Is(err) {
		return p, err
	}
	if h.ReadOnly {
		if _, err := os.Stat(h.StateDir(Elsewhere)); err != nil {
			return nil, kedge.Errorf(kedge.NotFound, "Kedge knows no session and no project in this folder").
				WithHint("go to your project's folder; or start a session here: kedge new NAME -- COMMAND")
		}
	}
	o, err := h.Created(Elsewhere)
	if err != nil {
		return nil, err
	}
	noteRefusal(ctx, o.Store)
	return &Project{Project: kedge.Project{ID: Elsewhere, Dir: who.Dir}, Opened: o}, nil
}

// AllOfSessions gives the project of OfSessions or, with every, the projects of all
// sessions without their folders.
func (h *Home) AllOfSessions(ctx context.Context, who Caller, every bool) ([]*Project, error) {
	if !every {
		p, err := h.OfSessions(ctx, who)
		if kedge.NotFound.Is(err) {
			return nil, nil
		}
		return []*Project{p}, err
	}
	entries, err := os.ReadDir(filepath.Join(h.Dir, "projects"))
	if err != nil && !os.IsNotExist(err) {
		return nil, kedge.Errorf(kedge.Internal, "cannot list the projects that Kedge knows: %w", err)
	}
	var ps []*Project
	for _, e := range entries {
		if !kedge.ValidID("prj", e.Name()) {
			continue
		}
		o, err := h.Opened(kedge.ProjectID(e.Name()))
		if err != nil {
			// One damaged journal must not keep the daemon from all the others.
			h.Log.Error("cannot read the sessions of a project", "project", e.Name(), "error", err.Error())
			noteDamage(ctx, err)
			continue
		}
		noteRefusal(ctx, o.Store)
		ps = append(ps, &Project{Project: kedge.Project{ID: kedge.ProjectID(e.Name())}, Opened: o})
	}
	return ps, nil
}
