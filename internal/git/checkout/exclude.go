package checkout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/process/atomicfile"
)

// Exclude makes git pass over a path of the worktree that nobody tracks, for this
// repository only and without a change to any file of it; false when git does so
// already.
func (r *Repo) Exclude(ctx context.Context, path string) (bool, error) {
	shown, err := r.NotIgnored(ctx, []string{path})
	if err != nil || len(shown) == 0 {
		return false, err
	}
	return true, r.g.Exclusively(ctx, func(context.Context) error {
		return r.editExcludes(func(text string) string {
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			return text + "/" + path + "\n"
		})
	})
}

// Include takes back what Exclude did.
func (r *Repo) Include(ctx context.Context, path string) error {
	return r.g.Exclusively(ctx, func(context.Context) error {
		return r.editExcludes(func(text string) string {
			line := "/" + path + "\n"
			if i := strings.LastIndex("\n"+text, "\n"+line); i >= 0 {
				return text[:i] + text[i+len(line):]
			}
			return text
		})
	})
}

func (r *Repo) editExcludes(edit func(text string) string) error {
	file := filepath.Join(r.g.CommonDir(), "info", "exclude")
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot read %q: %w", file, err)
	}
	after := edit(string(b))
	if after == string(b) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // as git makes it
		return kedge.Errorf(kedge.Internal, "cannot make %q: %w", filepath.Dir(file), err)
	}
	return atomicfile.Write(file, []byte(after), 0o644)
}
