package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/core/detect"
)

// Commit is one step of a history: the change to the first parent.
type Commit struct {
	ID, Parent, Subject string
	Files               []File
}

// File is a changed file of a commit.
type File struct {
	Path string
	Side detect.Side
	Gone bool
}

// of gives the paths of a commit on some sides.
func (c Commit) of(sides ...detect.Side) []string {
	var out []string
	for _, f := range c.Files {
		if slices.Contains(sides, f.Side) {
			out = append(out, f.Path)
		}
	}
	return out
}

// history reads a repository through a clone of its own, whose work tree is for trials.
type history struct {
	dir     string // the clone
	env     []string
	commits []Commit
}

// openHistory clones a repository and reads the commits after base up to tip, along the first
// parents, so that each begins where the one before ended. With most, only the last so many.
func openHistory(ctx context.Context, p Project, dir string, env []string) (*history, error) {
	h := &history{dir: dir, env: env}
	if _, err := run(ctx, filepath.Dir(dir), env, "git", "clone", "-q", "--shared", "--no-checkout", p.Git, dir); err != nil {
		return nil, err
	}
	args := []string{"rev-list", "--first-parent", "--reverse", or(p.Tip, "HEAD")}
	if p.Base != "" {
		args = append(args, "^"+p.Base)
	}
	out, err := h.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(out)
	for n := len(ids) - 1; n >= 0 && len(h.commits) < or(p.Most, len(ids)); n-- {
		c, err := h.read(ctx, ids[n], p.Tests)
		if err != nil {
			return nil, err
		}
		if c.Parent == "" {
			break
		}
		h.commits = append(h.commits, c)
	}
	slices.Reverse(h.commits)
	if len(h.commits) == 0 {
		return nil, fmt.Errorf("%s: no commit to replay", p.Name)
	}
	return h, nil
}

func (h *history) git(ctx context.Context, args ...string) (string, error) {
	return run(ctx, h.dir, h.env, "git", args...)
}

func (h *history) read(ctx context.Context, id string, tests []string) (Commit, error) {
	out, err := h.git(ctx, "log", "-1", "--format=%H%n%P%n%s%n%b", id)
	if err != nil {
		return Commit{}, err
	}
	lines := strings.Split(out, "\n")
	parents := strings.Fields(lines[1])
	c := Commit{ID: lines[0], Subject: lines[2]}
	if len(parents) == 0 {
		return c, nil
	}
	c.Parent = parents[0]
	if len(parents) > 1 && strings.HasPrefix(c.Subject, "Merge ") && len(lines) > 4 && lines[4] != "" {
		c.Subject = lines[4] // the title of a pull request
	}
	raw, err := h.git(ctx, "diff-tree", "-r", "--no-renames", "--raw", "-z", c.Parent, c.ID)
	if err != nil {
		return Commit{}, err
	}
	fields := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(fields[i])
		if f[0] == ":160000" || f[1] == "160000" {
			continue // a submodule: no patch carries it
		}
		c.Files = append(c.Files, File{Path: fields[i+1], Side: detect.SideOf(fields[i+1], tests), Gone: f[1] == "000000"})
	}
	return c, nil
}

// patch writes the change from one commit to another, of some paths or all, into a file.
func (h *history) patch(ctx context.Context, file, from, to string, paths ...string) error {
	args := append([]string{"diff", "--binary", "--full-index", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", from, to, "--"}, paths...)
	out, err := h.git(ctx, args...)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(out), 0o600)
}

// checkout puts a commit into the work tree for trials, whatever was there.
func (h *history) checkout(ctx context.Context, id string) error {
	for _, args := range [][]string{{"checkout", "-q", "-f", "--detach", id}, {"reset", "-q", "--hard", id}, {"clean", "-q", "-f", "-d"}} {
		if _, err := h.git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// text is a file of a commit, or "".
func (h *history) text(ctx context.Context, id, path string) string {
	out, err := h.git(ctx, "cat-file", "blob", id+":"+path)
	if err != nil {
		return "" // it is not there
	}
	return out
}

// tree lists what a commit holds, apart from some paths: one line for each file.
func tree(ctx context.Context, dir string, env []string, id string, apart func(string) bool) ([]string, error) {
	out, err := run(ctx, dir, env, "git", "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(out, "\x00"), "\x00")
	return slices.DeleteFunc(lines, func(l string) bool {
		_, path, _ := strings.Cut(l, "\t")
		return l == "" || apart(path)
	}), nil
}

// run starts a program and gives what it printed on its standard output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	out, errs, code, err := start(ctx, dir, env, name, args...)
	if err != nil || code == 0 {
		return out, err
	}
	return out, fmt.Errorf("%s %s: exit code %d: %s", name, strings.Join(args, " "), code, strings.TrimSpace(errs))
}

// start starts a program and gives what it printed and its exit code.
func start(ctx context.Context, dir string, env []string, name string, args ...string) (out, errs string, code int, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err = cmd.Run(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); ended {
			err = nil
		}
	}
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	return o.String(), e.String(), code, err
}

func or[T comparable](a, b T) T {
	var none T
	if a == none {
		return b
	}
	return a
}
