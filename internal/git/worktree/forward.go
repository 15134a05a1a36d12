package worktree

import (
	"context"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/checkout"
	"kedge/internal/git/hardened"
	"kedge/internal/git/history"
	"kedge/internal/text/words"
)

// ForwardRequest asks for a branch to be moved ahead to a commit.
type ForwardRequest struct {
	Branch string
	To     string
	// Ours tells whether a file of the checkout that differs from HEAD is one
	// that Kedge wrote: it does not keep the branch from moving. Nil: none is.
	Ours func(path string) bool
	// Unchanged refuses over every change of a tracked file, in the way or not.
	Unchanged bool
	// Try only tells whether it could be done.
	Try bool
	// Again, if any, is the step that asks for this move once your changes are set aside.
	Again *kedge.NextStep
}

// Forward moves a branch ahead; where it is checked out, in this worktree, its
// files and the index go with it. What else people changed there, staged or not,
// stays as it is. A branch that has To in its past is left alone. Conflict when it
// has commits that To does not have, or when changes are in the way; nothing is
// touched then. Done twice it is done once.
func (r *Repo) Forward(ctx context.Context, q ForwardRequest) error {
	if err := hardened.CheckBranch(q.Branch); err != nil {
		return err
	}
	to, err := history.CommitOf(ctx, r.g, q.To)
	if err != nil {
		return err
	}
	return r.g.Exclusively(ctx, func(ctx context.Context) error {
		at, err := history.RefValue(ctx, r.g, "refs/heads/"+q.Branch)
		if err != nil {
			return err
		}
		if at == "" {
			return kedge.Errorf(kedge.NotFound, "there is no branch %q", q.Branch).WithStep(kedge.Step("git", "branch", q.Branch, to))
		}
		if has, err := r.Descends(ctx, at, to); err != nil || has && at != to {
			return err
		}
		if err := r.refuseBackward(ctx, q.Branch, at, to); err != nil {
			return err
		}
		return r.forward(ctx, q, at, to)
	})
}

func (r *Repo) refuseBackward(ctx context.Context, branch, at, to string) error {
	ahead, err := r.Descends(ctx, to, at)
	if err != nil || ahead {
		return err
	}
	return kedge.Errorf(kedge.Conflict, "the branch %q has commits that commit %s does not have", branch, words.Hash(to)).
		WithStep(kedge.Step("git", "merge", words.Hash(to)))
}

func (r *Repo) forward(ctx context.Context, q ForwardRequest, at, to string) error {
	list, err := r.listWorktrees(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(w registered) bool { return w.branch == q.Branch })
	switch {
	case i < 0 && strings.HasPrefix(r.Busy(), "rebase"): // it may be of this branch, and moves it at its end
		return r.refuseBusy()
	case i < 0 && q.Try:
		return nil
	case i < 0:
		return history.MoveRef(ctx, r.g, "refs/heads/"+q.Branch, to, at)
	case list[i].path != r.g.Root():
		return kedge.Errorf(kedge.Conflict, "the branch %q is checked out in %q", q.Branch, list[i].path).
			WithStep(kedge.Step("git", "-C", list[i].path, "merge", "--ff-only", words.Hash(to)))
	}
	if err := r.refuseBusy(); err != nil {
		return err
	}
	return r.withScratch(ctx, func(s *scratch) error { return s.forward(ctx, q, at, to) })
}

func (r *Repo) refuseBusy() error {
	if name := r.Busy(); name != "" {
		return kedge.Errorf(kedge.Conflict, "a git command is unfinished in %q (%s)", r.g.Root(), name).WithStep(kedge.Step("git", "-C", r.g.Root(), "status"))
	}
	return nil
}

func (s *scratch) forward(ctx context.Context, q ForwardRequest, at, to string) error {
	now, err := s.WorkTree(ctx)
	if err != nil {
		return err
	}
	changed, err := s.r.Diff(ctx, at, to)
	if err != nil {
		return err
	}
	f := forwarding{r: s.r, ForwardRequest: q, at: at, to: to, writes: changed}
	if err := f.refuseChanged(ctx, now); err != nil {
		return err
	}
	b := checkout.Begun{Version: 1, Branch: q.Branch, Commit: to, From: at, Paths: make([]string, len(changed))}
	for i, c := range changed {
		b.Paths[i] = c.Path
	}
	target, err := s.r.treePlus(ctx, now, to, b.Paths)
	if err != nil {
		return err
	}
	if err := s.RefuseSwitch(ctx, now, target); err != nil || q.Try {
		return thenAgain(err, q.Again)
	}
	if err := s.SwitchTo(ctx, now, target); err != nil {
		return err
	}
	return s.Move(ctx, b, at, func() error { return s.indexAhead(ctx, to, b.Paths) })
}

// thenAgain is an error whose step is followed by another one.
func thenAgain(err error, again *kedge.NextStep) error {
	step, ok := kedge.StepOf(err)
	if !ok || again == nil {
		return err
	}
	return kedge.Errorf(kedge.KindOf(err), "%w", err).WithStep(step.AndThen(*again))
}

// treePlus is a tree with the paths as another has them.
func (r *Repo) treePlus(ctx context.Context, tree, from string, paths []string) (plus string, err error) {
	err = r.withScratch(ctx, func(s *scratch) error {
		if _, err := s.Do(ctx, nil, "read-tree", tree); err != nil {
			return err
		}
		if err := s.Plus(ctx, from, paths); err != nil {
			return err
		}
		plus, err = s.Tree(ctx)
		return err
	})
	return plus, err
}

// indexAhead makes the scratch index the user's with the paths as in tree, and as
// fresh as their files are: they were written just now.
func (s *scratch) indexAhead(ctx context.Context, tree string, paths []string) error {
	if err := s.IndexPlus(ctx, tree, paths); err != nil {
		return err
	}
	if _, err := s.Do(ctx, nil, "update-index", "-q", "--refresh"); hardened.ExitCode(err) > 1 {
		return err
	}
	return nil
}

// forwarding is a branch on its way ahead, and what it writes on the way.
type forwarding struct {
	ForwardRequest
	r      *Repo
	at, to string
	writes []history.Change
}

// refuseChanged is Conflict when files, of which now is the tree, or what is
// staged are in the way; or, where nothing may be changed, when a tracked file is.
func (f forwarding) refuseChanged(ctx context.Context, now string) error {
	staged, err := checkout.StagedTree(ctx, f.r.g)
	if err != nil {
		return err
	}
	var inWay, tracked []string
	for _, tree := range []string{now, staged} {
		since, err := f.r.Diff(ctx, f.at, tree)
		if err != nil {
			return err
		}
		since = slices.DeleteFunc(since, func(c history.Change) bool { return f.Ours != nil && f.Ours(c.Path) })
		found, err := f.inWay(ctx, tree, since)
		if err != nil {
			return err
		}
		inWay = append(inWay, found...)
		for _, c := range since {
			if c.Status != "A" || tree == staged {
				tracked = append(tracked, c.Path)
			}
		}
	}
	switch tracked = sorted(tracked); {
	case len(inWay) > 0:
		inWay = sorted(inWay)
		return kedge.Errorf(kedge.Conflict, "%q has changes of yours that would be overwritten: %s", f.r.g.Root(), hardened.Some(inWay, shownPaths)).
			WithStep(f.stash(inWay))
	case f.Unchanged && len(tracked) > 0:
		return kedge.Errorf(kedge.Conflict, "%q has changes that are not committed: %s", f.r.g.Root(), hardened.Some(tracked, shownPaths))
	}
	return nil
}

// inWay are those of the changes that moving ahead would undo: of what it writes,
// and of what stands where it needs a folder or a file. What is already as it
// should be is what a crash left of the same move, or no loss.
func (f forwarding) inWay(ctx context.Context, tree string, since []history.Change) ([]string, error) {
	if len(since) == 0 {
		return nil, nil
	}
	ahead, err := f.r.Diff(ctx, tree, f.to)
	if err != nil {
		return nil, err
	}
	differs := map[string]bool{}
	for _, c := range ahead {
		differs[c.Path] = true
	}
	writes, files, folders := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range f.writes {
		writes[c.Path] = true
		if c.Status == "D" {
			continue
		}
		files[c.Path] = true
		for d := path.Dir(c.Path); d != "."; d = path.Dir(d) {
			folders[d] = true
		}
	}
	var out []string
	for _, c := range since {
		covers := c.Status != "D" && (checkout.UnderOne(files, c.Path) || folders[c.Path])
		if covers || writes[c.Path] && differs[c.Path] {
			out = append(out, c.Path)
		}
	}
	return out, nil
}

func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// shownPaths is how many files a refusal names.
const shownPaths = 5

// stash sets files aside, tracked or not, until git stash pop.
func (f forwarding) stash(paths []string) kedge.NextStep {
	args := []string{"--literal-pathspecs", "-C", f.r.g.Root(), "stash", "push", "-u"}
	if len(paths) <= shownPaths {
		args = append(append(args, "--"), paths...)
	}
	step := kedge.Step("git", args...).For("set your changes aside, until git stash pop")
	step.Then = f.Again
	return step
}
