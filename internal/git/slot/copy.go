package slot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"kedge"
	"kedge/internal/git"
)

// CopyFiles brings files of the user's checkout that are in no commit into a
// worktree. Only what git ignores there is copied: anything else would become
// part of the work. A file that the checkout does not have is left out. The reason says
// why a file cannot be copied.
func CopyFiles(ctx context.Context, checkout string, w *git.Repo, names []string) (reason string, err error) {
	var files []string
	for _, name := range names {
		found, err := filesBelow(checkout, name)
		if err != nil {
			return "", err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return "", nil
	}
	free, err := w.NotIgnored(ctx, files)
	if err != nil {
		return "", err
	}
	if len(free) > 0 {
		return fmt.Sprintf("%s is to be copied into worktrees but git does not ignore it (next: echo '/%s' >> .gitignore && git commit .gitignore)", free[0], free[0]), nil
	}
	root, err := os.OpenRoot(w.Root()) // an agent's link does not lead out of it
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot open the worktree: %w", err)
	}
	defer func() { _ = root.Close() }()
	for _, f := range files {
		if err := copyFile(checkout, root, f); err != nil {
			return "", kedge.Errorf(kedge.Internal, "cannot copy %q into the worktree: %w", f, err)
		}
	}
	return "", nil
}

// filesBelow lists the regular files at or below a path, relative to the root.
func filesBelow(root, name string) ([]string, error) {
	name = path.Clean(filepath.ToSlash(name))
	if !fs.ValidPath(name) || name == "." {
		return nil, kedge.Errorf(kedge.Invalid, "%q cannot be copied into worktrees", name).WithHint("name a file below the project's folder")
	}
	var out []string
	err := fs.WalkDir(os.DirFS(root), name, func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.Type().IsRegular():
			out = append(out, p)
		}
		return nil
	})
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read %q: %w", name, err)
	}
	return out, nil
}

func copyFile(from string, to *os.Root, name string) error {
	info, err := os.Stat(filepath.Join(from, name))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return err
	}
	if err := to.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := to.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return to.WriteFile(name, text, info.Mode().Perm())
}
