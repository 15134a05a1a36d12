package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/git/hardened"
)

// partEnding ends the name of a repository that is not whole yet, beside the folder of its
// submodule.
const partEnding = ".kedge-part"

// DropPart removes what a crash left of a repository that was being made.
func (m Submodule) DropPart() error {
	if err := os.RemoveAll(m.Dir + partEnding); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot remove the unfinished repository of submodule %q: %w", m.Path, err).WithHint("remove it yourself: rm -r %s", hardened.Quote(m.Dir+partEnding))
	}
	return nil
}

// Fill makes a repository of its own in the folder of a submodule, with the files of its
// commit, from its home. It shares nothing with that: what an agent does in it stays in it.
// The folder has nothing in it.
func (m Submodule) Fill(ctx context.Context, g *hardened.Git) error {
	part := m.Dir + partEnding
	if err := m.clone(ctx, g, part); err != nil {
		return err
	}
	if err := m.fillLFS(ctx, g, part); err != nil {
		return err
	}
	_ = os.Remove(m.Dir) // empty, or not there; else the next line says so
	if err := os.Rename(part, m.Dir); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot write the files of submodule %q: %w", m.Path, err)
	}
	return nil
}

// Mend gives the folder of a submodule its repository back, where that is gone or cannot be
// used, at its commit. The files stay as they are. A git dir that stands there is moved to
// aside.
func (m Submodule) Mend(ctx context.Context, g *hardened.Git, aside string) error {
	part, link := m.Dir+partEnding, filepath.Join(m.Dir, ".git")
	if err := m.clone(ctx, g, part); err != nil {
		return err
	}
	for _, args := range [][]string{{"update-ref", "--no-deref", "HEAD", m.Link}, {"read-tree", m.Link}} {
		if _, err := inPart(ctx, g, part, nil, args...); err != nil {
			return err
		}
	}
	var err error
	if isFolder(link) {
		if err = os.MkdirAll(filepath.Dir(aside), 0o700); err == nil {
			err = os.Rename(link, aside)
		}
	} else if hardened.Exists(link) {
		err = os.Remove(link)
	}
	if err == nil {
		err = os.Rename(filepath.Join(part, ".git"), link)
	}
	if err = errors.Join(err, m.DropPart()); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot repair submodule %q: %w", m.Path, err).WithHint("see what is there: ls -la %s", hardened.Quote(m.Dir))
	}
	return nil
}

// clone makes a repository without files from the home of a submodule.
func (m Submodule) clone(ctx context.Context, g *hardened.Git, part string) error {
	if err := m.DropPart(); err != nil { // whole or not there: a crash leaves this one behind
		return err
	}
	if m.Lent { // no program of git's runs by the settings that are there
		format := "--object-format=" + g.Format()
		if _, err := g.Run(ctx, hardened.Call{Mode: hardened.InScratch, Dir: g.CommonDir(), Args: []string{"init", "-q", "--template=", format, "--", part}}); err != nil {
			return err
		}
		return m.lacks(ctx, g, part)
	}
	// Only this one copy is allowed, of a folder that is in the git dir.
	_, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_ALLOW_PROTOCOL=file"},
		Args: []string{"-c", "protocol.file.allow=always", "clone", "-q", "--no-checkout", "--no-hardlinks", "--template=", "--end-of-options", m.Home, part},
	})
	if err != nil {
		return err
	}
	return m.lacks(ctx, g, part)
}

// lacks gives a clone its commit, where no branch of its home holds it, and the remote that
// the home has: a relative path in a .gitmodules of its own counts from there.
func (m Submodule) lacks(ctx context.Context, g *hardened.Git, part string) error {
	dir := filepath.Join(part, ".git")
	missing, err := MissingCommits(ctx, g, dir, []string{m.Link})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := GiveCommit(ctx, g, m.Home, dir, "refs/kedge/base", m.Link); err != nil {
			return err
		}
	}
	return handOn(ctx, g, m.Home, dir, "remote.origin.url")
}

// handOn gives a git dir a setting that another one has.
func handOn(ctx context.Context, g *hardened.Git, from, to, key string) error {
	out, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_DIR=" + g.CommonDir()},
		Args: []string{"config", "--file", filepath.Join(from, "config"), "--no-includes", "-z", "--get", key},
	})
	value := strings.TrimSuffix(string(out), "\x00")
	if hardened.ExitCode(err) != 0 || value == "" || strings.ContainsAny(value, "\x00\r\n") {
		return nil // it has none
	}
	return setIn(ctx, g, to, key, value)
}

// setIn writes a setting into a git dir.
func setIn(ctx context.Context, g *hardened.Git, dir, key, value string) error {
	_, err := g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_DIR=" + g.CommonDir()},
		Args: []string{"config", "--file", filepath.Join(dir, "config"), "--end-of-options", key, value},
	})
	return err
}

// Enlist tells git in the repository of a submodule that the one below it is wanted there, as
// git submodule init does. In that of a worktree the user decided it.
func (m Submodule) Enlist(ctx context.Context, sub *hardened.Git, below Submodule) error {
	to := sub.CommonDir()
	if below.Name == "" || strings.ContainsAny(below.Name, "\x00\r\n") {
		return nil
	}
	if err := setIn(ctx, sub, to, "submodule."+below.Name+".active", "true"); err != nil {
		return err
	}
	return handOn(ctx, sub, m.Home, to, "submodule."+below.Name+".url")
}

func inPart(ctx context.Context, g *hardened.Git, part string, conf []string, args ...string) ([]byte, error) {
	return g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: part, Env: []string{"GIT_DIR=" + filepath.Join(part, ".git"), "GIT_WORK_TREE=" + part}, Conf: conf, Args: args,
	})
}

// Unlink puts the git dir of a submodule into its folder, where it stands in that of the
// worktree: it goes with it.
func (m Submodule) Unlink(ctx context.Context, g *hardened.Git) error {
	link := filepath.Join(m.Dir, ".git")
	if isFolder(link) || !m.isOwn(g) {
		return nil
	}
	dir := gitDirOf(link)
	err := os.Rename(link, link+partEnding)
	if err == nil {
		err = errors.Join(os.Rename(dir, link), os.Remove(link+partEnding))
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot move the repository of submodule %q: %w", m.Path, err)
	}
	_, err = g.Run(ctx, hardened.Call{
		Mode: hardened.InScratch, Dir: g.CommonDir(), Env: []string{"GIT_DIR=" + g.CommonDir()}, Args: []string{"config", "--file", filepath.Join(link, "config"), "--unset-all", "core.worktree"},
	})
	if hardened.ExitCode(err) == 5 { // it had none
		return nil
	}
	return err
}
