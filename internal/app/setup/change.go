package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/scaffold"
	"kedge/internal/git"
	"kedge/internal/process/atomicfile"
)

// change is what init, or its removal, does to one file.
type change struct {
	path     string
	perm     fs.FileMode
	old      *string // nil: there is no such file
	text     *string // as it should be; nil: no such file
	inserted string  // into a file of the user's
	// again does the same to another text of the file. A file is committed
	// only when this turns HEAD's into the present one, so that no commit
	// ever holds a line that somebody else had not committed.
	again func(head *string) *string
}

func (c change) done() bool { return same(c.old, c.text) }

// same compares texts, by the lines they have: git may end them differently.
func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b || strings.ReplaceAll(*a, "\r\n", "\n") == strings.ReplaceAll(*b, "\r\n", "\n")
}

func (at *site) text(path string) (*string, error) {
	b, ok, err := at.Read(path)
	if err != nil || !ok {
		return nil, err
	}
	s := string(b)
	return &s, nil
}

// fileChange writes a file of Kedge's own when there is none.
func (at *site) fileChange(f scaffold.File) (change, error) {
	old, err := at.text(f.Path)
	again := func(t *string) *string {
		if t == nil {
			return &f.Text
		}
		return t
	}
	return change{path: f.Path, perm: f.Perm, old: old, text: again(old), again: again}, err
}

// pieceChanges puts Kedge's lines into files of the user's; ignore are those for .gitignore.
func (at *site) pieceChanges(root *os.Root, pl *initPlan, ignore []string) ([]change, error) {
	var out []change
	agents := ""
	pieces := scaffold.Pieces(at.repo != nil)
	if len(ignore) > 0 {
		pieces = append(pieces, scaffold.IgnorePiece(ignore))
	}
	for _, piece := range pieces {
		path, err := resolve(root, piece.Path)
		if err != nil {
			pl.notes = append(pl.notes, fmt.Sprintf("Kedge does not change %s, because this file %v", piece.Path, err))
			continue
		}
		if piece.Path == scaffold.AgentsFile {
			agents = path
		} else if path == agents {
			continue // one file under both names needs no import
		}
		c, err := at.pieceChange(piece, path)
		if err != nil {
			return out, err
		}
		if piece.Path == scaffold.AgentsFile && c.done() && !piece.Current(*c.old) {
			pl.notes = append(pl.notes, fmt.Sprintf("Kedge's lines in %s come from another version of Kedge; to get the current lines, delete the old ones, then: kedge init", path))
		}
		out = append(out, c)
	}
	return out, nil
}

func (at *site) pieceChange(piece scaffold.Piece, path string) (change, error) {
	old, err := at.text(path)
	if err != nil {
		return change{}, err
	}
	insert := func(t *string) (*string, string) {
		before := ""
		if t != nil {
			before = *t
		}
		out, inserted := piece.Insert(before)
		return &out, inserted
	}
	text, inserted := insert(old)
	again := func(t *string) *string { out, _ := insert(t); return out }
	return change{path: path, perm: at.mode(path), old: old, text: text, inserted: inserted, again: again}, nil
}

// mode is the permission a file has, so that writing it keeps it.
func (at *site) mode(path string) fs.FileMode {
	if info, err := os.Stat(filepath.Join(at.Root, filepath.FromSlash(path))); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// refuseCommit makes sure that the changes can be committed, if there is
// anything to commit.
func (at *site) refuseCommit(ctx context.Context, changes []change) error {
	if at.repo == nil {
		return nil
	}
	todo, err := at.todo(ctx, changes)
	if err != nil || !todo {
		return err
	}
	head, err := at.repo.Head(ctx)
	if err != nil {
		return err
	}
	if head.Detached {
		return kedge.Errorf(kedge.Blocked, "HEAD is detached, so there is no branch on which Kedge can commit").WithHint("make a branch here: git switch -c work")
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Stat(filepath.Join(at.repo.GitDir(), name)); err == nil {
			return kedge.Errorf(kedge.Conflict, "a merge, rebase, cherry-pick or revert is not finished in this repository (%s)", name).WithHint("see how to finish or abort it: git status; then repeat your command")
		}
	}
	_, err = at.repo.Identity(ctx)
	return err
}

func (at *site) todo(ctx context.Context, changes []change) (bool, error) {
	for _, c := range changes {
		if !c.done() {
			return true, nil
		}
	}
	paths, err := at.committable(ctx, at.repo, changes)
	return len(paths) > 0, err
}

// carryOut makes the changes and commits them; on an error all is as before.
// Left are the changed files that are not in the commit.
func (s *Setup) carryOut(ctx context.Context, at *site, changes []change, message string) (commit string, left []string, err error) {
	root, err := os.OpenRoot(at.Root)
	if err != nil {
		return "", nil, kedge.Errorf(kedge.Invalid, "cannot open the project's folder %q: %w", at.Root, err)
	}
	defer func() { _ = root.Close() }()
	for i, c := range changes {
		if c.done() {
			continue
		}
		if c.text != nil && (c.path == ledger.FeaturesFile || c.path == scaffold.ProgressFile) {
			err = s.ledger.RememberProjected(at.Project, projects.Sum([]byte(*c.text)))
		}
		if err == nil {
			err = set(root, c.path, c.text, c.perm)
		}
		if err != nil {
			undo(root, changes[:i])
			return "", nil, err
		}
	}
	if at.repo == nil {
		return "", nil, nil
	}
	commit, left, err = s.commitChanges(ctx, at, changes, message)
	if err != nil {
		undo(root, changes)
	}
	return commit, left, err
}

func (s *Setup) commitChanges(ctx context.Context, at *site, changes []change, message string) (commit string, left []string, err error) {
	repo, err := s.home.Git(ctx, at.Project)
	if err != nil {
		return "", nil, err
	}
	paths, err := at.committable(ctx, repo, changes)
	if err != nil {
		return "", nil, err
	}
	for _, c := range changes {
		if !c.done() && !slices.Contains(paths, c.path) {
			left = append(left, c.path)
		}
	}
	if len(paths) == 0 {
		return "", left, nil
	}
	author, err := repo.Identity(ctx)
	if err != nil {
		return "", nil, err
	}
	commit, err = repo.CommitPaths(ctx, git.CommitPathsRequest{Paths: paths, Message: message, Date: s.home.Now(), Author: author})
	return commit, left, err
}

// committable gives the paths whose difference from HEAD is this change and
// nothing else, and that git does not ignore. Only these files are looked at: what
// else is in the folder may be gigabytes.
func (at *site) committable(ctx context.Context, repo *git.Repo, changes []change) ([]string, error) {
	var out, there []string
	for _, c := range changes {
		head, err := repo.HeadText(ctx, c.path)
		if err != nil {
			return nil, err
		}
		if same(head, c.text) || !same(c.again(head), c.text) {
			continue
		}
		switch {
		case c.text == nil:
			out = append(out, c.path)
		case at.within(c.path):
			there = append(there, c.path)
		}
	}
	there, err := repo.NotIgnored(ctx, there)
	return append(out, there...), err
}

// within tells whether a path is the repository's own: behind no link, and in no
// repository inside it.
func (at *site) within(path string) bool {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(at.Root, dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it will be made
		}
		if err != nil || !info.IsDir() {
			return false
		}
		if _, err := os.Lstat(filepath.Join(at.Root, dir, ".git")); err == nil {
			return false
		}
	}
	return true
}

// set makes a file have this text, or be gone.
func set(root *os.Root, path string, text *string, perm fs.FileMode) error {
	if text != nil {
		return atomicfile.WriteIn(root, path, []byte(*text), perm)
	}
	if err := root.Remove(path); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot remove %s: %w", path, err)
	}
	return nil
}

// undo puts back what the changes found, as far as it can: the error that made
// it necessary is what the caller has to hear about.
func undo(root *os.Root, changes []change) {
	for _, c := range changes {
		if !c.done() {
			_ = set(root, c.path, c.old, c.perm)
		}
	}
	_ = root.Remove(kedge.Dir) // only if that is empty now
}
