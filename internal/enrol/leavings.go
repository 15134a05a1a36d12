package enrol

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/project"
	"kedge/internal/slot"
)

// Leaving is something of Kedge's that stays in a repository, why, and the command
// that takes it out.
type Leaving struct {
	What    string `json:"what"`
	Why     string `json:"why"`
	Command string `json:"command"`
}

// refuseRunning keeps Kedge from being taken out under a run.
func refuseRunning(ctx context.Context, p *project.Project) error {
	docs, err := p.Store.Runs(ctx)
	if err != nil || len(docs) == 0 {
		return err
	}
	if last := docs[len(docs)-1].State; !last.Ended() {
		return kedge.Errorf(kedge.Conflict, "%s is not over (%s)", last.Run, last.Status).WithHint("kedge run --stop, then: kedge init --remove")
	}
	return nil
}

// clearRefs takes out of a repository what Kedge keeps in it beside files: branches
// of runs that have landed, and the names of trees that it looked at. What holds
// work stays and is told.
func (s *Enroller) clearRefs(ctx context.Context, at *site, r *InitRemoveReply) error {
	repo, err := s.home.Git(ctx, at.Project)
	if err != nil {
		return err
	}
	before, err := repo.Refs(ctx)
	if err != nil {
		return err
	}
	slots := slot.New(slot.Config{
		Repo: repo, Dir: filepath.Join(s.home.Dir, "worktrees", string(at.Project.ID)), Attic: s.home.Attic(at.Project), Project: at.Project.ID, Now: s.home.Clock,
	})
	kept, err := slots.Landed(ctx)
	if err != nil {
		return err
	}
	for _, ref := range []string{"refs/kedge/seen", "refs/kedge/anchor"} {
		if sha, ok := before[ref]; ok {
			if err := repo.UpdateRef(ctx, ref, "", sha); err != nil {
				return err
			}
		}
	}
	after, err := repo.Refs(ctx)
	if err != nil {
		return err
	}
	for _, ref := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[ref]; !stays {
			r.Removed = append(r.Removed, strings.Replace(ref, "refs/heads/", "branch ", 1))
		}
	}
	r.Left, err = leavings(ctx, repo, kept, after)
	return err
}

// leavings tells what stays, each with its command.
func leavings(ctx context.Context, repo *gitx.Repo, branches map[string]string, refs map[string]string) ([]Leaving, error) {
	out := []Leaving{}
	trees, err := repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range trees {
		if w.Ours && !w.Main {
			out = append(out, Leaving{"work tree " + w.Path, "Kedge made it", "git worktree remove --force " + w.Path})
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
			out = append(out, Leaving{ref, "what it holds is not known", "git update-ref -d " + ref})
		}
	}
	return out, nil
}
