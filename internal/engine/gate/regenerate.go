package gate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process"
)

// Regeneration makes the files of a merge that both sides changed and that a command can
// make.
type Regeneration struct {
	Checkout string    // the folder whose ignored files are copied
	Tree     *git.Repo // the clean worktree
	Rules    config.Config
	Base     string // the commit that the work is merged onto
	Run      kedge.RunID
	Logs     string // the folder of the logs, for this merge alone
	// Put brings the worktree to a tree.
	Put func(ctx context.Context, tree string) error
	// Line runs a command in the worktree. Log is where its output is.
	Line func(ctx context.Context, line string) (res process.Result, log string, err error)
}

// Make gives the merged tree with the files that commands made, or why they could not.
// It leaves no other change of theirs. Done again after a crash it gives the same tree, or
// begins anew where there was none yet.
func (r Regeneration) Make(ctx context.Context, m git.Merged) (tree, why string, err error) {
	begun, err := ReadBegun(r.Logs)
	if err != nil || begun.Tree != "" {
		return begun.Tree, "", err
	}
	if err := Forget(ctx, r.Logs); err != nil { // it may still write into the worktree
		return "", "", err
	}
	whole, err := r.Tree.TreeWith(ctx, m.Tree, r.Base, slot.Kedges...)
	if err != nil {
		return "", "", err
	}
	if err := r.Put(ctx, whole); err != nil {
		return "", "", err
	}
	made, why, err := r.run(ctx, m, whole)
	if err != nil || why != "" {
		return "", why, err
	}
	var pieces []git.Piece
	for _, p := range made.files {
		pieces = append(pieces, git.Piece{Path: p, From: made.tree})
	}
	if tree, err = r.Tree.Compose(ctx, m.Tree, pieces); err != nil {
		return "", "", err
	}
	if err := os.MkdirAll(r.Logs, 0o700); err != nil {
		return "", "", kedge.Errorf(kedge.Internal, "cannot make the folder for the logs of run %q: %w", r.Run, err)
	}
	return tree, "", Begun{Version: 1, Run: r.Run, Tree: tree}.Write(r.Logs)
}

// remade are the files that commands made, as a tree has them.
type remade struct {
	tree  string
	files []string
}

// run runs the commands for the files, and puts the worktree back.
func (r Regeneration) run(ctx context.Context, m git.Merged, whole string) (out remade, why string, err error) {
	rules := r.Rules.Worktree
	rules.Setup = "" // it may read what is about to be made
	if _, why, err = Equip(ctx, Equipment{Checkout: r.Checkout, Tree: r.Tree, Whole: whole, Rules: rules}); err != nil || why != "" {
		return out, why, err
	}
	used := r.Rules.Merge.Needed(m.Kept)
	for i, rule := range used {
		again := slices.ContainsFunc(used[:i], func(u config.Regenerate) bool { return u.Run == rule.Run })
		if again || why != "" {
			continue
		}
		res, log, err := r.Line(ctx, rule.Run)
		if err != nil {
			return out, "", err
		}
		why = lineFailure("command", rule.Run, log, res)
	}
	if out.tree, err = r.Tree.Tree(ctx); err != nil {
		return out, "", err
	}
	changed, err := r.Tree.Diff(ctx, whole, out.tree)
	if err == nil && len(changed) > 0 {
		err = r.Tree.PutTree(ctx, git.PutRequest{Dir: r.Tree.Root(), Tree: whole, Expect: []string{out.tree}})
	}
	if err != nil || why != "" {
		return out, why, err
	}
	out.files = slices.DeleteFunc(git.PathsOf(changed), func(p string) bool {
		return !slices.ContainsFunc(used, func(rule config.Regenerate) bool { return rule.Makes(p) })
	})
	why, err = r.unmade(ctx, m, out)
	return out, why, err
}

// unmade says which of the files no command made.
func (r Regeneration) unmade(ctx context.Context, m git.Merged, out remade) (string, error) {
	for _, p := range m.Kept {
		rule, _ := r.Rules.Merge.For(p)
		if !slices.Contains(out.files, p) {
			return fmt.Sprintf("the command %q did not write the file %s again", rule.Run, p), nil
		}
		text, err := r.Tree.ReadFile(ctx, out.tree, p)
		if kedge.NotFound.Is(err) {
			continue // it makes none any more
		}
		if err != nil {
			return "", err
		}
		if HasMarkers(text) {
			return fmt.Sprintf("the command %q left conflict markers in %s", rule.Run, p), nil
		}
	}
	return "", nil
}

// HasMarkers tells whether both sides of a conflict stand in a text between git's markers.
func HasMarkers(text []byte) bool {
	begins, ends := false, false
	for line := range bytes.Lines(text) {
		begins = begins || bytes.HasPrefix(line, []byte("<<<<<<< "))
		ends = ends || begins && bytes.HasPrefix(line, []byte(">>>>>>> "))
	}
	return ends
}

// MergedByRules tells, in the verdict on a merge, which conflicts a rule resolved.
func MergedByRules(m git.Merged) []kedge.Finding {
	var out []kedge.Finding
	for _, by := range []struct {
		files []string
		what  string
	}{
		{m.Kept, "both sides changed it: made again by its command in [[merge.regenerate]]"},
		{m.United, "both sides changed it: it has the lines of both, by [merge] union"},
	} {
		for _, p := range by.files {
			out = append(out, kedge.Finding{Level: kedge.LevelInfo, What: by.what, Where: p, Fix: "nothing to do"})
		}
	}
	return out
}
