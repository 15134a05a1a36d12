package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/store"
)

// idFile names the project: in the repository's common git dir, where every
// worktree finds it and a move of the folder takes it along.
const idFile = "kedge-id"

// project is a project as one caller sees it: from one of its work trees.
type project struct {
	kedge.Project
	*opened
}

// opened is what all callers of a project share.
type opened struct {
	store *store.Store

	writing sync.Mutex      // held by write: one decision at a time
	swept   map[string]bool // roots without leftovers of dead writers; under writing

	mu    sync.Mutex
	repos map[string]*gitx.Repo // by root of the work tree
}

// place is where a folder belongs: the root of its work tree, and the folder
// that all worktrees of its repository share.
type place struct {
	root   string
	common string // common git dir; empty for a plain folder
}

func (pl place) idPath() string {
	if pl.common == "" {
		return filepath.Join(pl.root, ".kedge", "id")
	}
	return filepath.Join(pl.common, idFile)
}

// locate finds the project folder that dir lies in, by reading files only: it
// runs on every call, and git would take longer than all the rest.
func locate(dir string) (place, bool) {
	if !filepath.IsAbs(dir) {
		return place{}, false
	}
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if common, ok := commonDir(d); ok {
			return place{root: d, common: common}, true
		}
		if _, err := os.Lstat(filepath.Join(d, ".kedge", "id")); err == nil {
			return place{root: d}, true
		}
		if d == filepath.Dir(d) {
			return place{}, false
		}
	}
}

// commonDir reads the common git dir of a work tree whose root is d.
func commonDir(d string) (string, bool) {
	dot := filepath.Join(d, ".git")
	fi, err := os.Stat(dot)
	if err != nil {
		return "", false
	}
	if fi.IsDir() {
		_, err := os.Stat(filepath.Join(dot, "HEAD"))
		return dot, err == nil
	}
	gitdir, ok := pointer(dot, "gitdir:")
	if !ok {
		return "", false
	}
	common, ok := pointer(filepath.Join(gitdir, "commondir"), "")
	if !ok {
		return gitdir, true // a submodule: its git dir is its own
	}
	return common, true
}

// pointer reads a file that holds one path, relative to the file's folder.
func pointer(file, prefix string) (string, bool) {
	b, err := readSmall(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	if !ok {
		return "", false
	}
	path = strings.TrimSpace(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), true
}

// readSmall reads a file that holds one line. Anything else in its place, a pipe
// say, on which a reader would wait for ever, is an error.
func readSmall(file string) ([]byte, error) {
	const most = 8 << 10
	fi, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || fi.Size() > most {
		return nil, kedge.Errorf(kedge.Invalid, "%q is not a small file", file)
	}
	return os.ReadFile(file)
}

// readID reads a project's id; NotFound when there is none.
func readID(pl place) (kedge.ProjectID, error) {
	b, err := readSmall(pl.idPath())
	if errors.Is(err, fs.ErrNotExist) {
		return "", kedge.Errorf(kedge.NotFound, "no project in %q", pl.root).WithHint("kedge init")
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "read the project's id: %w", err)
	}
	id := strings.TrimSpace(string(b))
	if !kedge.ValidID("prj", id) {
		return "", kedge.Errorf(kedge.Invalid, "%s:1: %q is not a project id", pl.idPath(), id).
			WithHint("restore the file from a backup, or remove it and run: kedge init")
	}
	return kedge.ProjectID(id), nil
}

// project opens the project that the caller's folder lies in. A journal that is
// not there is never made here: only init makes one.
func (s *Service) project(ctx context.Context, who Caller) (*project, error) {
	return s.projectBy(ctx, who, s.opened)
}

// projectBy is project with a say in how its journal is opened.
func (s *Service) projectBy(ctx context.Context, who Caller, open func(kedge.ProjectID) (*opened, error)) (*project, error) {
	pl, ok := locate(who.Dir)
	if !ok {
		return nil, kedge.Errorf(kedge.NotFound, "%q is not in a project", who.Dir).WithHint("kedge init")
	}
	id, err := readID(pl)
	if err != nil {
		return nil, err
	}
	o, err := open(id)
	if err != nil {
		return nil, err
	}
	p := &project{opened: o}
	p.Project, err = readProject(ctx, o.store, id)
	p.Dir, p.Git = pl.root, pl.common != ""
	return p, err
}

// opened is created for a project that has a journal; NotFound for one that Kedge
// has forgotten, or that came from another machine.
func (s *Service) opened(id kedge.ProjectID) (*opened, error) {
	if _, err := os.Stat(s.storeDir(id)); errors.Is(err, fs.ErrNotExist) {
		return nil, kedge.Errorf(kedge.NotFound, "Kedge has no journal of this project (%s)", id).WithHint("kedge init")
	}
	return s.created(id)
}

// created gives what is shared of the project with this id, opening its store
// the first time, and making it where there is none.
func (s *Service) created(id kedge.ProjectID) (*opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.open[id]; ok {
		return o, nil
	}
	st, err := store.Open(s.storeDir(id), store.Options{Now: s.cfg.Now, ReadOnly: s.cfg.ReadOnly})
	if err != nil {
		return nil, err
	}
	o := &opened{store: st, repos: map[string]*gitx.Repo{}, swept: map[string]bool{}}
	s.open[id] = o
	return o, nil
}

// git opens the repository behind the caller's work tree; Invalid for a plain
// folder.
func (s *Service) git(ctx context.Context, p *project) (*gitx.Repo, error) {
	if !p.Git {
		return nil, kedge.Errorf(kedge.Invalid, "%q is a plain folder, not a git repository", p.Dir).WithHint("git init")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r, ok := p.repos[p.Dir]; ok {
		return r, nil
	}
	r, err := gitx.Open(ctx, p.Dir, gitx.Options{
		Now: s.cfg.Now, Approved: s.filterApproved(p), Cache: gitx.Cache{Dir: filepath.Join(s.storeDir(p.ID), "trees"), Keep: !s.cfg.ReadOnly},
	})
	if err == nil {
		p.repos[p.Dir] = r
	}
	return r, err
}

// filterApproved looks a git filter up in the journal: approval is by the hash
// of its commands, so that a changed command asks again.
func (s *Service) filterApproved(p *project) func(name, hash string) bool {
	return func(name, hash string) bool {
		f, ok, err := store.Get[kedge.FilterApprovedData](context.Background(), p.store, store.KindFilter, name)
		return err == nil && ok && f.Hash == hash
	}
}

func readProject(ctx context.Context, st *store.Store, id kedge.ProjectID) (kedge.Project, error) {
	p, ok, err := store.Get[kedge.Project](ctx, st, store.KindProject, string(id))
	if err != nil {
		return p, err
	}
	if !ok {
		return kedge.Project{ID: id}, nil
	}
	return p, nil
}

func (s *Service) storeDir(id kedge.ProjectID) string {
	return filepath.Join(s.cfg.Home, "projects", string(id))
}

// path is a path inside the project's folder.
func (p *project) path(elem ...string) string {
	return filepath.Join(append([]string{p.Dir}, elem...)...)
}
