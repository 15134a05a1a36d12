package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
)

// setup is the set-up of config.toml as it is now; empty: it has none, or cannot be read.
func (at *site) setup() string {
	b, ok, err := at.Read(scaffold.ConfigFile)
	if err != nil || !ok {
		return ""
	}
	c, err := config.ParseConfig(scaffold.ConfigFile, b, catalog.Kinds())
	if err != nil {
		return ""
	}
	return c.Worktree.Setup
}

// gate reads gate.toml as it is now; nil when there is none, or none that can be read.
func (at *site) gate() (*config.Gate, error) {
	b, ok, err := at.Read(scaffold.GateFile)
	if err != nil || !ok {
		return nil, err
	}
	g, err := config.ParseGate(scaffold.GateFile, b)
	if err != nil {
		return nil, err
	}
	return &g, nil
}

// resolve follows a link at path to the file it stands for, as long as that lies
// in the folder: the link is what the user wanted.
func resolve(root *os.Root, path string) (string, error) {
	info, err := root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		return path, err
	}
	target, err := root.Readlink(path)
	if err != nil {
		return path, err
	}
	target = filepath.ToSlash(filepath.Join(filepath.Dir(path), target))
	if info, err := root.Lstat(target); err != nil || !info.Mode().IsRegular() || strings.HasPrefix(target, "..") {
		return path, errors.New("is a link to something that Kedge cannot edit")
	}
	return target, nil
}
