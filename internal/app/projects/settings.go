package projects

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
	"kedge/internal/git"
	"kedge/internal/process"
)

// Source reads the settings that the work is measured by. For an agent it reads them at
// the base: an agent must not write its own rules.
type Source struct {
	Project *Project
	Repo    *git.Repo // nil: read the worktree
	Base    string
}

// Gate reads gate.toml. A file that is new since the base is read from the worktree;
// that it is new is a finding.
func (r Source) Gate(ctx context.Context) (config.Gate, error) {
	const name = scaffold.GateFile
	b, err := r.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) && r.Repo != nil {
		b, err = Source{Project: r.Project}.Read(ctx, name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return config.Gate{}, nil
	}
	if err != nil {
		return config.Gate{}, err
	}
	return parseGate(b)
}

// Config reads config.toml over the user-wide one. A file that is new since the base is
// ignored: it could say that nothing is protected.
func (r Source) Config(ctx context.Context, userFile string) (config.Config, error) {
	const name = scaffold.ConfigFile
	var user, ours config.Config
	b, err := os.ReadFile(userFile)
	if err == nil {
		user, err = config.ParseConfig(userFile, b, catalog.Kinds())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return config.Config{}, err
	}
	b, err = r.Read(ctx, name)
	if err == nil {
		ours, err = config.ParseConfig(name, b, catalog.Kinds())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return config.Config{}, err
	}
	return config.Merge(user, ours, catalog.Kinds())
}

// Read gives a file, at the base if there is one; fs.ErrNotExist if it does not exist.
func (r Source) Read(ctx context.Context, path string) ([]byte, error) {
	if r.Repo == nil {
		b, ok, err := r.Project.Read(path)
		if err == nil && !ok {
			err = fs.ErrNotExist
		}
		return b, err
	}
	b, err := r.Repo.ReadFile(ctx, r.Base, path)
	if kedge.NotFound.Is(err) {
		return nil, fs.ErrNotExist
	}
	return b, err
}

// UserFile gives the path of the user-wide config.toml in the caller's environment.
func UserFile(env []string) string {
	if dir := process.Getenv(env, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kedge", "config.toml")
	}
	return filepath.Join(process.Getenv(env, "HOME"), ".config", "kedge", "config.toml")
}
