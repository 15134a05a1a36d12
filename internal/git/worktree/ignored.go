package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/git/hardened"
	"kedge/internal/process/atomicfile"
)

// ignoredFile lists the ignored files that a worktree was given, in its git dir.
const ignoredFile = "kedge-ignored"

// NoteIgnored remembers the ignored files of the worktree: whoever made it put them there.
func (r *Repo) NoteIgnored(ctx context.Context) error {
	files, err := r.listIgnored(ctx)
	if err != nil {
		return err
	}
	var marks []string
	for _, file := range files {
		marks = append(marks, r.markOf(file))
	}
	return atomicfile.Write(filepath.Join(r.g.GitDir(), ignoredFile), []byte(strings.Join(marks, "\x00")), 0o600)
}

// IgnoredSince lists the ignored files that were made or changed since NoteIgnored; all
// if it was never called.
func (r *Repo) IgnoredSince(ctx context.Context) ([]string, error) {
	files, err := r.listIgnored(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	text, _ := os.ReadFile(filepath.Join(r.g.GitDir(), ignoredFile)) // unreadable: nothing is known to be Kedge's
	known := map[string]bool{}
	for mark := range strings.SplitSeq(string(text), "\x00") {
		known[mark] = true
	}
	return slices.DeleteFunc(files, func(file string) bool { return known[r.markOf(file)] }), nil
}

// markOf tells a file from a changed one without reading it.
func (r *Repo) markOf(file string) string {
	fi, err := os.Lstat(filepath.Join(r.g.Root(), file))
	if err != nil {
		return "? " + file
	}
	return fmt.Sprintf("%d %d %s", fi.Size(), fi.ModTime().UnixNano(), file)
}

// ignored lists the ignored files of the worktree; a folder that is ignored
// whole is one entry, with a slash at its end.
func (r *Repo) ignored(ctx context.Context) ([]string, error) {
	return r.listIgnored(ctx, "--directory", "--no-empty-directory")
}

// listIgnored lists each ignored file, or what options of git ls-files make of that.
func (r *Repo) listIgnored(ctx context.Context, how ...string) ([]string, error) {
	var list []string
	err := r.withScratch(ctx, func(s *scratch) error {
		if err := s.UseTracked(ctx); err != nil {
			return err
		}
		out, err := s.Do(ctx, nil, append([]string{"ls-files", "-z", "-o", "-i", "--exclude-standard"}, how...)...)
		list = hardened.Fields(out)
		return err
	})
	return list, err
}
