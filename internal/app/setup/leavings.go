package setup

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// Leaving is something of Kedge that stays in a repository, with the reason and the
// command that removes it.
type Leaving struct {
	What    string `json:"what"`
	Why     string `json:"why"`
	Command string `json:"command"`
}

// refuseRunning keeps Kedge from being taken out under a run.
func refuseRunning(ctx context.Context, p *projects.Project) error {
	docs, err := p.Store.Runs(ctx)
	if err != nil || len(docs) == 0 {
		return err
	}
	if last := docs[len(docs)-1].State; !last.Ended() {
		return kedge.Errorf(kedge.Conflict, "you cannot remove Kedge now, because run %q has not ended (it is %s)", last.Run, words.Spaced(last.Status)).WithHint("stop the run, then remove Kedge: kedge run --stop && kedge init --remove")
	}
	return nil
}

// refuseUnlanded keeps Kedge from being taken out while a run has work that people's
// branch does not have: afterwards nothing lands it.
func (s *Setup) refuseUnlanded(ctx context.Context, p *projects.Project) error {
	docs, err := p.Store.Runs(ctx)
	if err != nil || len(docs) == 0 {
		return err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return err
	}
	for _, d := range slices.Backward(docs) {
		lands, err := s.unlandedOn(ctx, p, repo, d.State)
		if err != nil {
			return err
		}
		if lands != "" {
			branch := slot.Branch(d.State.Run)
			return kedge.Errorf(kedge.Conflict, "you cannot remove Kedge now, because run %q has work that is not on branch %q yet", d.State.Run, lands).
				WithHint("move the work to your branch: kedge land; or delete the work: git branch -D %s; then: kedge init --remove", branch)
		}
	}
	return nil
}

// unlandedOn is the branch that the work of a run has still to land on; empty where
// there is none, or nothing but what Kedge itself writes. What landed and people took
// off their branch again is no such work.
func (s *Setup) unlandedOn(ctx context.Context, p *projects.Project, repo *git.Repo, st run.State) (string, error) {
	if st.Tip == "" || st.AllLanded() {
		return "", nil
	}
	tip, err := repo.Resolve(ctx, "refs/heads/"+slot.Branch(st.Run))
	if err != nil {
		return "", unlessNone(err)
	}
	course, err := s.home.Slots(p, repo).Course(ctx, st.Run)
	if err != nil || course.Lands == "" {
		return "", err
	}
	at, err := repo.Resolve(ctx, "refs/heads/"+course.Lands)
	if err != nil {
		return "", unlessNone(err)
	}
	common, err := repo.MergeBase(ctx, at, tip)
	if err != nil {
		return "", unlessNone(err)
	}
	changes, err := repo.Diff(ctx, common, tip)
	if slices.ContainsFunc(changes, func(c git.Change) bool { return !kedge.IsGenerated(c.Path) }) {
		return course.Lands, err
	}
	return "", err
}

// unlessNone is the error, unless it says that something is not there.
func unlessNone(err error) error {
	if kedge.NotFound.Is(err) {
		return nil
	}
	return err
}

// clearTrees removes the worktrees that `kedge worktree gc` would remove: those of runs
// that have ended, and those of sessions that hold nothing.
func (s *Setup) clearTrees(ctx context.Context, who projects.Caller, r *InitRemoveReply) error {
	who.Key += "-worktrees"
	gc, err := s.care.WorktreeGC(ctx, who, maintenance.WorktreeGCRequest{})
	for _, w := range gc.Removed {
		r.Removed = append(r.Removed, "worktree "+w.Path)
	}
	for _, branch := range gc.Branches {
		r.Removed = append(r.Removed, "branch "+branch)
	}
	return err
}

// clearRefs takes out of a repository what Kedge keeps in it beside files: branches
// of runs that have landed, and the names of trees that it looked at. What holds
// work stays and is told.
func (s *Setup) clearRefs(ctx context.Context, at *site, r *InitRemoveReply) error {
	repo, err := s.home.Git(ctx, at.Project)
	if err != nil {
		return err
	}
	found, err := s.home.Slots(at.Project, repo).Landed(ctx)
	for _, branch := range found.Gone {
		r.Removed = append(r.Removed, "branch "+branch)
	}
	if err != nil {
		return err
	}
	refs, err := repo.Refs(ctx)
	if err != nil {
		return err
	}
	for _, ref := range []string{"refs/kedge/anchor", "refs/kedge/seen"} {
		if sha, ok := refs[ref]; ok {
			if err := repo.UpdateRef(ctx, ref, "", sha); err != nil {
				return err
			}
			delete(refs, ref)
			r.Removed = append(r.Removed, ref)
		}
	}
	if r.Left, err = leavings(ctx, repo, found.Kept, refs); err != nil {
		return err
	}
	return s.home.Slots(at.Project, repo).ForgetRuns(ctx)
}

// leavings tells what stays, each with its command.
func leavings(ctx context.Context, repo *git.Repo, branches map[string]string, refs map[string]string) ([]Leaving, error) {
	out := []Leaving{}
	trees, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range trees {
		if w.Ours && !w.Main {
			out = append(out, leftTree(w))
		}
	}
	for _, b := range slices.Sorted(maps.Keys(branches)) {
		out = append(out, Leaving{"branch " + b, branches[b], "git branch -D " + b})
	}
	salvage := 0
	for ref := range refs {
		if strings.HasPrefix(ref, "refs/kedge/salvage/") {
			salvage++
		}
	}
	if salvage > 0 {
		out = append(out, Leaving{
			fmt.Sprintf("refs/kedge/salvage (%d)", salvage), "work that was set aside: kedge salvage ls", "kedge salvage gc --older-than 0h",
		})
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if strings.HasPrefix(ref, "refs/kedge/") && !strings.HasPrefix(ref, "refs/kedge/salvage/") {
			out = append(out, Leaving{ref, "its contents are unknown", "git update-ref -d " + ref})
		}
	}
	return out, nil
}

// leftTree is a worktree of Kedge's. Its command puts what is nowhere else where git
// keeps it, and git itself refuses to remove one that still has changes.
func leftTree(w kedge.Worktree) Leaving {
	path := git.Quoted(w.Path)
	left := Leaving{What: "worktree " + w.Path, Command: "git worktree remove " + path}
	var holds []string
	if w.Dirty {
		holds = append(holds, "it has uncommitted changes; the command moves them to git stash")
		left.Command = "git -C " + path + " stash push -q --include-untracked && " + left.Command
	}
	if w.Branch == "" && !w.Merged {
		holds = append(holds, "its commits are on no branch; the command makes a branch for them")
		left.Command = "git branch kept-" + words.Hash(w.Head) + " " + w.Head + " && " + left.Command
	}
	if w.OwnerPID > 0 && w.OwnerPID != os.Getpid() { // the daemon itself made those of runs
		holds = append(holds, fmt.Sprintf("process %d works in this worktree, or made it", w.OwnerPID))
	}
	if w.Bytes < 0 {
		return Leaving{What: left.What, Why: "its folder is gone", Command: "git worktree prune"}
	}
	if left.Why = strings.Join(holds, "; "); left.Why == "" {
		left.Why = "Kedge made it"
	}
	return left
}
