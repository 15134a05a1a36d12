package gate

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"kedge/internal/text/glob"
	"kedge/internal/text/redact"

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
			if d != nil && d.IsDir() && p != "." && !mayHold(patterns, p) {
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

// mayHold tells whether files that match can be in a folder. Dependencies are looked
// through only where a pattern names them: there are too many files in them.
func mayHold(patterns []string, dir string) bool {
	if path.Base(dir) == ".git" {
		return false
	}
	const dependencies = "node_modules"
	return slices.ContainsFunc(patterns, func(p string) bool {
		switch {
		case path.Base(dir) == dependencies && !strings.Contains(p, dependencies):
			return false
		case strings.ContainsAny(dir, `*?[\`): // it would be read as a pattern
			return true
		}
		return glob.Overlap(p, dir+"/**")
	})
}

// keepEvidence copies what the check made or changed and gives the copies. A
// file that cannot be copied is a warning: the check's result stands.
func (g *gate) keepEvidence(patterns []string, before map[string]stamp, into string) []string {
	var names []string
	for p, s := range g.evidenceNow(patterns) {
		old, ok := before[p]
		if !ok {
			g.left = append(g.left, p)
		}
		if !ok || old.size != s.size || !old.mod.Equal(s.mod) {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	var kept []string
	room := int64(maxEvidenceBytes)
	for _, p := range names {
		if len(kept) == maxEvidenceFiles {
			g.find(kedge.LevelWarning, "the check left more evidence than Kedge keeps", p, "narrow the evidence patterns of the check")
			break
		}
		to := filepath.Join(into, filepath.FromSlash(p))
		n, err := g.copyOut(p, to, room)
		if err != nil {
			g.find(kedge.LevelWarning, "Kedge could not keep evidence: "+err.Error(), p, "narrow the evidence patterns of the check")
			continue
		}
		room -= n
		kept = append(kept, to)
	}
	return kept
}

// clearEvidence removes, when a gate ends, the files that its checks made as evidence. In
// a worktree of Kedge's own they would be taken for the agent's work. Until then another
// check may read them.
func (g *gate) clearEvidence() {
	if !g.ours {
		return
	}
	root, err := os.OpenRoot(g.Dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	for _, p := range g.left {
		_ = root.Remove(filepath.FromSlash(p)) // what stays is named as a file of the work
	}
}

var errTooLarge = errors.New("the file is too large")

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
	n, err := copyPlain(dst, io.LimitReader(src, room))
	return n, errors.Join(err, dst.Sync(), dst.Close())
}

// maxText is how large a file may be that is read for secrets.
const maxText = 4 << 20

// copyPlain copies a file. Secrets are removed from a text; what is no text stays as it
// is.
func copyPlain(to io.Writer, from io.Reader) (int64, error) {
	head, err := io.ReadAll(io.LimitReader(from, maxText+1))
	if err != nil {
		return 0, err
	}
	if len(head) <= maxText && utf8.Valid(head) && bytes.IndexByte(head, 0) < 0 {
		n, err := io.WriteString(to, redact.Text(string(head)))
		return int64(n), err
	}
	return io.Copy(to, io.MultiReader(bytes.NewReader(head), from))
}

// KeptIn gives the folders of a gate in which files that checks left are kept, by its log
// folder.
func KeptIn(logDir string) (dirs []string) {
	entries, _ := os.ReadDir(logDir) // none: there is no gate
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(logDir, e.Name()+".log")); e.IsDir() && err == nil {
			dirs = append(dirs, filepath.Join(logDir, e.Name()))
		}
	}
	return dirs
}
