package projects

import (
	"context"
	"path/filepath"
	"sync"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// Project is a project as seen by one caller, from one of its worktrees.
type Project struct {
	kedge.Project
	*Opened
	Still func(name string) Stillness // nil: files that Kedge writes follow the journal
	// Ahead, where there is a Still, is the command that shows a file with this text as
	// the run has it; empty: it has none.
	Ahead func(name string, text []byte) string
	// RunSession is the session of a run that the caller works in, or from which the
	// caller's session was started; nil: none. What such a caller records goes into the
	// journal only: the run measures it by the files in its worktree.
	RunSession *kedge.Session
}

// Stillness tells what to do with a generated file in a worktree that waits for the work
// of a run.
type Stillness struct {
	Stays bool   // it is as in the last commit, or in neither, or has words of people's
	Back  []byte // else the committed text, where that is Kedge's; nil: it is written
}

// Opened is what all callers of a project share. Store is nil if the journal cannot be
// opened and the caller looks at the rest.
type Opened struct {
	Store *journal.Store

	Writing sync.Mutex      // held by Write: one decision at a time
	swept   map[string]bool // roots without leftovers of dead writers; under Writing

	slots sync.Mutex // over what is written down of runs and their jobs

	// Clearing is held by who takes away what a killed daemon left of worktrees.
	Clearing sync.Mutex

	mu    sync.Mutex
	repos map[string]*git.Repo // by root of the worktree
}

// Open opens the project of the caller's folder. It never makes a journal; only init
// does.
func (h *Home) Open(ctx context.Context, who Caller) (*Project, error) {
	return h.OpenBy(ctx, who, h.Opened)
}

// OpenBy is Open with a function that opens the journal.
func (h *Home) OpenBy(ctx context.Context, who Caller, open func(kedge.ProjectID) (*Opened, error)) (*Project, error) {
	pl, ok := git.Locate(who.Dir)
	if !ok {
		return nil, kedge.Errorf(kedge.NotFound, "the folder %q is not in a project", who.Dir).WithHint("go to your project's folder; or make this folder a project: kedge init")
	}
	id, err := git.ReadID(pl)
	if err != nil {
		return nil, err
	}
	o, err := open(id)
	if err != nil {
		return nil, err
	}
	noteRefusal(ctx, o.Store)
	p := &Project{Opened: o}
	if p.Project, err = Known(ctx, o.Store, id); err != nil {
		return p, err
	}
	p.Dir, p.Git = pl.Root, pl.Common != ""
	p.RunSession, _, err = RunSessionOf(ctx, o.Store, who)
	return p, err
}

// Known gives what the journal knows of its project.
func Known(ctx context.Context, st *journal.Store, id kedge.ProjectID) (kedge.Project, error) {
	p, ok, err := journal.Get[kedge.Project](ctx, st, journal.KindProject, string(id))
	if err != nil {
		return p, err
	}
	if !ok {
		return kedge.Project{ID: id}, nil
	}
	return p, nil
}

// In gives the project as seen from another of its worktrees.
func (p *Project) In(dir string) *Project {
	q := *p
	q.Dir, q.Still, q.Ahead, q.RunSession = dir, nil, nil, nil
	return &q
}

// Stays tells whether a generated file stays as committed.
func (p *Project) Stays(name string) bool { return p.Still != nil && p.Still(name).Stays }

// Path gives a path inside the project's folder.
func (p *Project) Path(elem ...string) string {
	return filepath.Join(append([]string{p.Dir}, elem...)...)
}

// Title gives the name of the project for messages.
func (p *Project) Title() string {
	if p.Name == "" {
		return filepath.Base(p.Dir)
	}
	return p.Name
}

// Git opens the repository behind the caller's worktree; Invalid for a plain
// folder.
func (h *Home) Git(ctx context.Context, p *Project) (*git.Repo, error) {
	if !p.Git {
		return nil, kedge.Errorf(kedge.Invalid, "the folder %q is not a git repository, and this command needs one", p.Dir).WithHint("make a repository there: git init && git add -A && git commit -m start")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.repos[p.Dir]; ok {
		return r, nil
	}
	r, err := git.Open(ctx, p.Dir, git.Options{
		Program: h.Program, Now: h.Clock, Approved: filterApproved(p), Cache: git.Cache{Dir: filepath.Join(h.StateDir(p.ID), "trees"), Keep: !h.ReadOnly},
	})
	if err == nil {
		p.repos[p.Dir] = r
	}
	return r, err
}

// filterApproved looks a git filter up in the journal: approval is by the hash
// of its commands, so that a changed command asks again.
func filterApproved(p *Project) func(name, hash string) bool {
	return func(name, hash string) bool {
		f, ok, err := journal.Get[kedge.FilterApprovedData](context.Background(), p.Store, journal.KindFilter, name)
		return err == nil && ok && f.Hash == hash
	}
}

// Repository opens the caller's project and the repository behind it.
func (h *Home) Repository(ctx context.Context, who Caller) (*Project, *git.Repo, error) {
	p, err := h.Open(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	repo, err := h.Git(ctx, p)
	return p, repo, err
}

// Head gives branch and commit of the project's folder, or "" where unknown.
func (h *Home) Head(ctx context.Context, p *Project) (branch, commit string) {
	if !p.Git {
		return "", ""
	}
	r, err := h.Git(ctx, p)
	if err != nil {
		return "", ""
	}
	at, err := r.Head(ctx)
	if err != nil {
		return "", ""
	}
	return at.Branch, at.Commit
}
