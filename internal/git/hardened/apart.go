package hardened

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"kedge"
)

// ScratchPrefix begins the names of git dirs of our own in the common one.
const ScratchPrefix = "kedge-scratch-"

// OwnConfig is the whole configuration of a git dir of ours. Refs are stored in
// one of refStorages; empty is git's default.
func (g *Git) OwnConfig(bare, refs string) []byte {
	version, extensions := "0", ""
	if g.format == "sha256" {
		extensions = "\tobjectformat = sha256\n"
	}
	if refs != "" {
		extensions += "\trefstorage = " + refs + "\n"
	}
	if extensions != "" {
		version, extensions = "1", "[extensions]\n"+extensions
	}
	return []byte("[core]\n\trepositoryformatversion = " + version + "\n\tbare = " + bare + "\n" + extensions)
}

// OnObjects runs one command in a bare git dir that has nothing of the
// repository's but its objects: no attributes, configuration, index or files.
func (g *Git) OnObjects(ctx context.Context, args ...string) ([]byte, error) {
	return g.OnObjectsOf(ctx, filepath.Join(g.common, "objects"), nil, args...)
}

// OnObjectsOf is OnObjects with the objects of another repository, of the same format.
func (g *Git) OnObjectsOf(ctx context.Context, objects string, stdin []byte, args ...string) ([]byte, error) {
	return g.inBare(ctx, objects, nil, Call{Args: args, Stdin: stdin})
}

// OnFiles is OnObjects with files in the folder that git runs in, by their names.
func (g *Git) OnFiles(ctx context.Context, files map[string][]byte, args ...string) ([]byte, error) {
	return g.inBare(ctx, filepath.Join(g.common, "objects"), files, Call{Args: args})
}

// inBare makes a call in a bare git dir that is there for this call alone.
func (g *Git) inBare(ctx context.Context, objects string, files map[string][]byte, c Call) ([]byte, error) {
	dir, err := os.MkdirTemp(g.common, ScratchPrefix)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot make a temporary folder for git: %w", err).WithHint("make sure that you may write to %q", g.common)
	}
	defer func() { _ = os.RemoveAll(dir) }() // else sweep removes it
	err = g.makeBare(dir, objects)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot make a temporary folder for git: %w", err)
	}
	c.Mode, c.Dir, c.Env = InScratch, dir, []string{"GIT_DIR=" + dir}
	return g.Run(ctx, c)
}

func (g *Git) makeBare(dir, objects string) error {
	for name, text := range map[string][]byte{"config": g.OwnConfig("true", ""), "HEAD": []byte("ref: refs/heads/none\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir(filepath.Join(dir, "refs"), 0o700), os.Symlink(objects, filepath.Join(dir, "objects")))
}
