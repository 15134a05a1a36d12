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
	"kedge/internal/git"
	"kedge/internal/text/environ"
)

// Source reads the files that decide about the work. For an agent these
// are those of the base: it must not write its own rules.
type Source struct {
	Project *Project
	Repo    *git.Repo // nil: read the work tree
	Base    string
}

// Gate reads gate.toml. One that is new since the base is taken from the work
// tree: that it is new is a finding.
func (r Source) Gate(ctx context.Context) (config.Gate, error) {
	const name = ".kedge/gate.toml"
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
	return config.ParseGate(name, b)
}

// Config reads config.toml over the user's. One that is new since the base
// counts for nothing: it could say that nothing is protected.
func (r Source) Config(ctx context.Context, userFile string) (config.Config, error) {
	const name = ".kedge/config.toml"
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

// Read gives a file, at the base where one is set; fs.ErrNotExist when there is
// none.
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

// UserFile is the user-wide config.toml by the caller's environment.
func UserFile(env []string) string {
	if dir := environ.Get(env, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kedge", "config.toml")
	}
	return filepath.Join(environ.Get(env, "HOME"), ".config", "kedge", "config.toml")
}
