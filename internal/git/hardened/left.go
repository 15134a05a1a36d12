package hardened

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge/internal/process"
)

// A git that is killed leaves its lock files, which nobody removes: every other
// git, the user's too, fails on them. What a git of Kedge left is taken away as
// soon as it is known to be dead; all other locks are honoured until they are old.

// OwnerFile marks a worktree as made by Kedge, in its own git dir, and says for
// which process: "pid starttime".
const OwnerFile = "kedge-owner"

// leftDir is where lock files go that nobody holds any more: not beside the refs,
// where git takes every file for one.
const leftDir = "kedge-left"

// folders are where a git of this repository works: no lock is taken away while
// one does.
func (g *Git) folders() []string {
	out := []string{g.common, g.root}
	links, _ := filepath.Glob(filepath.Join(g.common, "worktrees", "*", "gitdir"))
	for _, link := range links {
		if root := RootBehind(link); root != "" {
			out = append(out, root)
		}
	}
	return out
}

// RootBehind is the worktree that a git dir's "gitdir" file names.
func RootBehind(link string) string {
	b, err := os.ReadFile(link)
	if err != nil {
		return ""
	}
	dot := strings.TrimSpace(string(b))
	if !filepath.IsAbs(dot) {
		dot = filepath.Join(filepath.Dir(link), dot)
	}
	return filepath.Dir(dot)
}

// ownTree tells whether a lock file is of a worktree that Kedge made and in which
// nobody works: whoever left the lock there is gone.
func (g *Git) ownTree(lock string) bool {
	rest, ok := strings.CutPrefix(lock, filepath.Join(g.common, "worktrees")+"/")
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(rest, "/")
	admin := filepath.Join(g.common, "worktrees", name)
	root := RootBehind(filepath.Join(admin, "gitdir"))
	return Exists(filepath.Join(admin, OwnerFile)) && root != "" && process.Occupant(root) == 0
}

// moveAway moves a lock file away, if it still is the one that was looked at, and
// tells whether the way is now free.
func (g *Git) moveAway(lock string, fi os.FileInfo) bool {
	dir := filepath.Join(g.common, leftDir)
	if os.MkdirAll(dir, 0o700) != nil {
		return false
	}
	aside := filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(lock), g.opt.Now().UnixNano()))
	if Exists(aside) || os.Rename(lock, aside) != nil {
		return false
	}
	if moved, err := os.Lstat(aside); err == nil && !os.SameFile(fi, moved) {
		_ = os.Link(aside, lock) // somebody locked in this very moment: give it back
		_ = os.Remove(aside)
		return false
	}
	return true
}

// section is what is done while f, the repository's lock, is held. The file says
// so, by not being empty, until everything has ended well: what a section in whose
// middle Kedge or its git was killed left behind is taken away by the next one.
func (g *Git) section(f *os.File, do func() error) error {
	clear := true
	if fi, err := f.Stat(); err == nil && fi.Size() > 0 {
		clear = g.sweepLocks(fi.ModTime())
	}
	if clear {
		if _, err := f.WriteAt([]byte("kedge\n"), 0); err != nil { // its time is when the section began
			return err
		}
	}
	killed := g.opt.memory.killed.Load()
	err := do()
	if clear && g.opt.memory.killed.Load() == killed {
		_ = f.Truncate(0) // else the next one looks for locks, and finds none
	}
	return err
}

// sweepLocks sets aside the locks on refs that were made since a section began
// that was cut short, and tells whether none is left. No Kedge is in a section
// now, so who made them was killed, or was none of Kedge's and is dead too.
func (g *Git) sweepLocks(since time.Time) bool {
	clear := true
	for _, lock := range g.refLocks() {
		fi, err := os.Lstat(lock)
		if err != nil || fi.ModTime().Before(since) {
			continue
		}
		if !process.LockIsFree(lock, g.folders()...) || !g.moveAway(lock, fi) {
			clear = false
		}
	}
	return clear
}

// refLocks lists the lock files that a git of Kedge makes in the common git dir.
// The index of the user's checkout has none: see install.
func (g *Git) refLocks() []string {
	var out []string
	for _, name := range []string{"HEAD.lock", "packed-refs.lock", "reftable/tables.list.lock"} {
		if lock := filepath.Join(g.common, name); Exists(lock) {
			out = append(out, lock)
		}
	}
	_ = filepath.WalkDir(filepath.Join(g.common, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".lock") {
			out = append(out, path)
		}
		return nil
	})
	return out
}
