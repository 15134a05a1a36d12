package maintenance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/journal"
)

// WorktreeListRequest asks for all worktrees of the project's repository.
type WorktreeListRequest struct{}

// WorktreeInfo is a worktree with its age, in seconds since its last change; -1 is
// unknown.
type WorktreeInfo struct {
	kedge.Worktree
	Age int64 `json:"age_seconds"`
	// Session is the last that worked in it, if it was made for a session; else nil.
	Session *WorktreeSession `json:"session,omitempty"`
}

// WorktreeSession is the session of a worktree.
type WorktreeSession struct {
	ID    kedge.SessionID    `json:"id"`
	Name  string             `json:"name"`
	State kedge.SessionState `json:"state"`
}

// WorktreeListReply lists worktrees, the main one first.
type WorktreeListReply struct {
	Worktrees []WorktreeInfo `json:"worktrees"`
}

// WorktreeList lists every worktree with its size, age and owner, and tells whether it
// has content that exists nowhere else.
func (s *Maintenance) WorktreeList(ctx context.Context, who projects.Caller, _ WorktreeListRequest) (WorktreeListReply, error) {
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return WorktreeListReply{}, err
	}
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return WorktreeListReply{}, err
	}
	list, err := repo.Worktrees(ctx)
	r := WorktreeListReply{Worktrees: []WorktreeInfo{}}
	for _, w := range list {
		info := s.aged(w)
		info.Session = lastIn(w.Path, sessions)
		r.Worktrees = append(r.Worktrees, info)
	}
	return r, err
}

// lastIn is the last session whose own worktree is at a path; nil for none.
func lastIn(path string, sessions []kedge.Session) *WorktreeSession {
	var last kedge.Session
	for _, ses := range sessions {
		if ses.Worktree != nil && ses.Worktree.Path == path && !ses.StartedAt.Before(last.StartedAt) {
			last = ses
		}
	}
	if last.ID == "" {
		return nil
	}
	return &WorktreeSession{ID: last.ID, Name: last.Name, State: last.State}
}

func (s *Maintenance) aged(w kedge.Worktree) WorktreeInfo {
	if w.At.IsZero() {
		return WorktreeInfo{Worktree: w, Age: -1}
	}
	return WorktreeInfo{Worktree: w, Age: max(0, int64(s.home.Now().Sub(w.At).Seconds()))}
}

// WorktreeGCRequest asks to remove the worktrees that are not needed.
type WorktreeGCRequest struct{}

// WorktreeGCReply lists the removed worktrees, or those that would be removed, and why
// the others stay.
type WorktreeGCReply struct {
	Removed []kedge.Worktree `json:"removed"`
	Kept    []KeptWorktree   `json:"kept"`
	DryRun  bool             `json:"dry_run"`
	// Branches are those of runs that went (or would): all their commits are on the
	// branch that they were for.
	Branches     []string     `json:"branches"`
	KeptBranches []KeptBranch `json:"kept_branches"`
}

// KeptBranch is the branch of a run that stays, with the reason.
type KeptBranch struct {
	Branch string `json:"branch"`
	Why    string `json:"why"`
}

// branches says what becomes of those of runs.
func (r *WorktreeGCReply) branches(b slot.Branches) {
	r.Branches, r.KeptBranches = b.Gone, []KeptBranch{}
	for _, name := range slices.Sorted(maps.Keys(b.Kept)) {
		r.KeptBranches = append(r.KeptBranches, KeptBranch{Branch: name, Why: b.Kept[name]})
	}
}

// KeptWorktree is a worktree that stays, with the reason.
type KeptWorktree struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// WorktreeOld says what WorktreeGC would remove.
func (s *Maintenance) WorktreeOld(ctx context.Context, who projects.Caller, _ WorktreeGCRequest) (WorktreeGCReply, error) {
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	slots := s.home.Slots(p, repo)
	use, err := usageOf(ctx, p, slots)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	r, err := sortWorktrees(ctx, p, repo, use)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	going := []string{}
	for _, w := range r.Removed {
		going = append(going, w.Path)
	}
	found, err := slots.Landable(ctx, going)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	r.DryRun = true
	err = use.branchesGoing(ctx, slots, going, &found)
	r.branches(found)
	return r, err
}

// WorktreeGC removes worktrees that Kedge made. One of your own has to be clean, without
// ignored files, with its commits on another branch, and without a process in it. One of
// a session goes when the session has ended, nothing in it is uncommitted, its ignored
// files are those of its set-up, and its commits are on another branch. One of a run goes when no run needs it; its content is salvaged.
// It also removes the branches of runs and sessions that are merged into their target. All other branches stay, so no commit is
// lost. The journal records first what is removed, so that the same request finishes it
// after a crash.
func (s *Maintenance) WorktreeGC(ctx context.Context, who projects.Caller, _ WorktreeGCRequest) (WorktreeGCReply, error) {
	p, repo, err := s.home.Repository(ctx, who)
	if err == nil {
		err = ClearTrials(ctx, s.home, repo, repo.CommonDir())
	}
	if err != nil {
		return WorktreeGCReply{}, err
	}
	slots := s.home.Slots(p, repo)
	use, err := usageOf(ctx, p, slots) // not while the journal is held: who has the slots may wait for that
	if err != nil {
		return WorktreeGCReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		r, err := sortWorktrees(ctx, p, repo, use)
		if err != nil {
			return nil, err
		}
		return projects.EventsOf(kedge.WorktreeRemoved, who, r.Removed)
	})
	if err != nil {
		return WorktreeGCReply{}, err
	}
	ours := slot.Branches{Kept: map[string]string{}}
	gone, kept, err := s.removeWorktrees(ctx, p, repo, who, evs, &ours)
	if err != nil {
		return WorktreeGCReply{}, err
	}
	if err := s.forgetSessions(ctx, p, repo, &ours); err != nil {
		return WorktreeGCReply{}, err
	}
	if use, err = usageOf(ctx, p, slots); err != nil {
		return WorktreeGCReply{}, err
	}
	rest, err := sortWorktrees(ctx, p, repo, use)
	for _, k := range rest.Kept {
		if !slices.ContainsFunc(kept, func(has KeptWorktree) bool { return has.Path == k.Path }) {
			kept = append(kept, k)
		}
	}
	if err != nil {
		return WorktreeGCReply{}, err
	}
	found, err := slots.Landed(ctx)
	r := WorktreeGCReply{Removed: gone, Kept: kept}
	r.branches(found.And(ours))
	return r, err
}

// removeWorktrees carries out what was journaled. An answer that was lost, or a
// crash on the way, brings us here twice.
func (s *Maintenance) removeWorktrees(ctx context.Context, p *projects.Project, repo *git.Repo, who projects.Caller, evs []kedge.Event, branches *slot.Branches) (gone []kedge.Worktree, kept []KeptWorktree, err error) {
	now, err := repo.Worktrees(ctx)
	gone, kept = []kedge.Worktree{}, []KeptWorktree{}
	for _, ev := range evs {
		var w kedge.Worktree
		if err == nil {
			w, err = projects.Data[kedge.Worktree](ev)
		}
		if err != nil {
			return nil, nil, err
		}
		if another(now, w) {
			gone = append(gone, w) // and its place is taken
			continue
		}
		switch err := s.removeWorktree(ctx, p, repo, who, ev.ID, w, branches); {
		case kedge.Conflict.Is(err):
			k := KeptWorktree{Path: w.Path, Why: err.Error()}
			kept = append(kept, k)
			if err := s.takeBack(ctx, p, who, k); err != nil {
				return nil, nil, err
			}
		case err != nil && !kedge.NotFound.Is(err):
			return nil, nil, err
		default:
			gone = append(gone, w)
		}
	}
	return gone, kept, nil
}

// removeWorktree removes one. What is in a worktree of runs or of a session is set aside,
// and that is journaled, before it goes.
func (s *Maintenance) removeWorktree(ctx context.Context, p *projects.Project, repo *git.Repo, who projects.Caller, ev kedge.EventID, w kedge.Worktree, branches *slot.Branches) error {
	slots := s.home.Slots(p, repo)
	if filepath.Dir(w.Path) != filepath.Dir(slots.Dir(1)) {
		return repo.RemoveWorktree(ctx, w.Path)
	}
	q := slot.Request{
		Name: "gc-" + string(ev), Reason: "no run needed its worktree any more: " + filepath.Base(w.Path), At: s.home.Now(), Base: w.Head,
		Saved: JournalSalvage(s.home, p, who),
	}
	if own, found := slots.At(w.Path); found {
		return s.removeOwn(ctx, p, slots, own, q, branches)
	}
	_, err := slots.Clear(ctx, w.Path, q)
	return errors.Join(err, slots.Sweep(ctx))
}

// another tells whether a worktree stands at the place of w that is not w, as it
// was when it was to be removed.
func another(now []kedge.Worktree, w kedge.Worktree) bool {
	return slices.ContainsFunc(now, func(n kedge.Worktree) bool {
		return n.Path == w.Path && n.Bytes >= 0 && (n.Head != w.Head || n.Branch != w.Branch || !n.At.Equal(w.At))
	})
}

// takeBack journals that a worktree stays after all.
func (s *Maintenance) takeBack(ctx context.Context, p *projects.Project, who projects.Caller, k KeptWorktree) error {
	who.Key = "" // another fact than the one the request is known by
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		return projects.One(projects.Event(kedge.WorktreeKept, who, kedge.WorktreeKeptData{Path: k.Path, Why: k.Why}))
	})
	return err
}

// sortWorktrees tells those that may go from those that stay.
func sortWorktrees(ctx context.Context, p *projects.Project, repo *git.Repo, use usage) (WorktreeGCReply, error) {
	r := WorktreeGCReply{Removed: []kedge.Worktree{}, Kept: []KeptWorktree{}}
	list, err := repo.Worktrees(ctx)
	if err != nil {
		return r, err
	}
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return r, err
	}
	sessions = slices.DeleteFunc(sessions, func(ses kedge.Session) bool { return !ses.Keep() })
	for _, w := range list {
		why, err := whyKept(ctx, repo, w, use)
		if err != nil {
			return r, err
		}
		if why == "" && !repo.Removing(w.Path) { // what a crash interrupted goes on
			why = whoseWorktree(w, sessions)
		}
		if why != "" {
			r.Kept = append(r.Kept, KeptWorktree{Path: w.Path, Why: why})
		} else {
			r.Removed = append(r.Removed, w)
		}
	}
	return r, nil
}

// whyKept says why a worktree stays; empty when it may go. One whose removal a
// crash interrupted may go on.
func whyKept(ctx context.Context, repo *git.Repo, w kedge.Worktree, use usage) (string, error) {
	id, needed := use.runs.Of[w.Path]
	own, isOwn := use.own[w.Path]
	switch {
	case repo.Removing(w.Path), w.Ours && slices.Contains(use.runs.Idle, w.Path):
		return "", nil
	case w.Ours && needed:
		return fmt.Sprintf("run %q still has work there, or will continue there; to continue the run: kedge run", id), nil
	case isOwn && (w.Ours || own.gone):
		return own.whyKept(ctx, repo, w)
	}
	if why := whyStays(w); why != "" {
		return why, nil
	}
	return repo.Holds(ctx, w.Path)
}

// whoseWorktree says which session a worktree stays for; empty for none.
func whoseWorktree(w kedge.Worktree, kept []kedge.Session) string {
	for _, ses := range kept {
		dir := ses.Dir
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real // git names worktrees by their real path
		}
		if dir == w.Path || strings.HasPrefix(dir, w.Path+string(filepath.Separator)) {
			return fmt.Sprintf("session %q (%s) works there", ses.Name, ses.Summary())
		}
	}
	return ""
}

func whyStays(w kedge.Worktree) string {
	switch {
	case w.Main:
		return "it is the main worktree"
	case w.Bytes < 0:
		return "its folder is gone: git worktree prune"
	case !w.Ours:
		return "Kedge did not make it"
	case w.Dirty:
		return "it has changes that are not committed"
	case w.OwnerPID > 0:
		return "a process works in it"
	case w.OwnerPID < 0:
		return "unknown whether a process works in it"
	case !w.Merged:
		return "its commits are on no other branch"
	}
	return ""
}
