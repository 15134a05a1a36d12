package gate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"kedge"
)

// Evidence is copied beside the log within these bounds; what is over them is
// left where it is.
const (
	maxEvidenceFiles = 100
	maxEvidenceBytes = 64 << 20
	maxWalked        = 200_000
)

// stamp tells a file from what it was before.
type stamp struct {
	size int64
	mod  time.Time
}

// evidenceNow notes what matches before a check runs, so that an old screenshot
// is not taken for a new one.
func (g *gate) evidenceNow(patterns []string) map[string]stamp {
	found := map[string]stamp{}
	if len(patterns) == 0 {
		return found
	}
	walked := 0
	_ = fs.WalkDir(os.DirFS(g.Dir), ".", func(p string, d fs.DirEntry, err error) error {
		if walked++; walked > maxWalked {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil // a folder that cannot be read holds no evidence
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && matchAny(patterns, p) {
			found[p] = stamp{info.Size(), info.ModTime()}
		}
		return nil
	})
	return found
}

// keepEvidence copies what the check made or changed and gives the copies. A
// file that cannot be copied is a warning: the check's result stands.
func (g *gate) keepEvidence(patterns []string, before map[string]stamp, into string) []string {
	var names []string
	for p, s := range g.evidenceNow(patterns) {
		if old, ok := before[p]; !ok || old.size != s.size || !old.mod.Equal(s.mod) {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	var kept []string
	room := int64(maxEvidenceBytes)
	for _, p := range names {
		if len(kept) == maxEvidenceFiles {
			g.find(kedge.LevelWarning, "more evidence than is kept", p, "narrow the evidence patterns of the check")
			break
		}
		to := filepath.Join(into, filepath.FromSlash(p))
		n, err := g.copyOut(p, to, room)
		if err != nil {
			g.find(kedge.LevelWarning, "evidence could not be kept: "+err.Error(), p, "narrow the evidence patterns of the check")
			continue
		}
		room -= n
		kept = append(kept, to)
	}
	return kept
}

var errTooLarge = errors.New("too large")

// copyOut copies one file out of the worktree. The root keeps a link that
// appears meanwhile from leading outside.
func (g *gate) copyOut(p, to string, room int64) (int64, error) {
	root, err := os.OpenRoot(g.Dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = root.Close() }()
	src, err := root.OpenFile(filepath.FromSlash(p), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = src.Close() }() // only read
	if info, err := src.Stat(); err != nil || info.Size() > room {
		return 0, errors.Join(errTooLarge, err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return 0, err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(dst, io.LimitReader(src, room))
	return n, errors.Join(err, dst.Sync(), dst.Close())
}
