package checkout

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"kedge/internal/git/hardened"
	"kedge/internal/git/stored"
)

// lfsConf makes this program the filter of Git LFS.
func (s *Scratch) lfsConf() []string {
	if !s.lfs {
		return nil
	}
	return lfsConf(s.r.g, filepath.Join(s.r.g.CommonDir(), stored.LFS), s.wroteFile())
}

func lfsConf(g *hardened.Git, store, wrote string) []string {
	const key = "filter." + stored.LFS + "."
	return []string{key + "process=" + stored.LFSCommand(g.Options().Program, store, wrote), key + "required=true"}
}

// wroteFile lists the files that git wrote with the content of an object.
func (s *Scratch) wroteFile() string { return filepath.Join(s.dir, "lfs-wrote") }

// Age makes files look older that git wrote with the content of an object. A git without
// git-lfs looks into a file that is as young as its index, and would call it changed.
func (s *Scratch) Age(ctx context.Context) error {
	aged, err := age(s.wroteFile(), s.r.g.Root())
	if err != nil || !aged {
		return err
	}
	return s.look(ctx)
}

// age is Age for the files below root that a list names; false where there is none.
func age(list, root string) (bool, error) {
	b, err := os.ReadFile(list)
	if err != nil {
		return false, nil //nolint:nilerr // nothing was written
	}
	for _, p := range hardened.Fields(b) {
		full := filepath.Join(root, p)
		fi, err := os.Lstat(full)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		older := fi.ModTime().Add(-2 * time.Second)
		if err := os.Chtimes(full, older, older); err != nil {
			return false, err
		}
	}
	return true, os.Remove(list)
}

// fillLFS checks the commit of a submodule out in its own new repository, with the content that
// its home has of files under Git LFS.
func (m Submodule) fillLFS(ctx context.Context, g *hardened.Git, part string) error {
	var conf []string
	list := filepath.Join(part, ".git", "lfs-wrote")
	if g.Options().Program != "" {
		conf = lfsConf(g, filepath.Join(m.Home, stored.LFS), list)
	}
	if _, err := inPart(ctx, g, part, conf, "checkout", "-q", "--detach", m.Link); err != nil { // a full object name
		return err
	}
	aged, err := age(list, part)
	if err != nil || !aged {
		return err
	}
	if _, err := inPart(ctx, g, part, conf, "update-index", "-q", "--refresh"); hardened.ExitCode(err) > 1 {
		return err
	}
	return nil
}

// GiveHome brings a commit of a submodule from a git dir into its home, as GiveCommit does, with
// the content of files under Git LFS.
func (m Submodule) GiveHome(ctx context.Context, g *hardened.Git, from, ref, commit string) error {
	if err := stored.LFSStore(filepath.Join(from, stored.LFS)).GiveTo(stored.LFSStore(filepath.Join(m.Home, stored.LFS))); err != nil {
		return err
	}
	return GiveCommit(ctx, g, from, m.Home, ref, commit)
}
