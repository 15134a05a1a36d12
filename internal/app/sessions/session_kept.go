package sessions

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/engine/gate"
)

// retainKept deletes what checks left, screenshots for example, by the same limits as the
// output of sessions. The logs and verdicts stay.
func (s *Manager) retainKept(keep config.Sessions, reply *SessionRetainReply) error {
	for _, d := range drops(s.keptFolders(), keep, s.home.Now()) {
		if err := os.RemoveAll(d.dir); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot delete old files of a check, such as screenshots: %w", err)
		}
		reply.Kept++
		reply.Bytes += d.bytes
	}
	return nil
}

// keptFolders are the folders of all verdicts in which files of checks are, the oldest
// first.
func (s *Manager) keptFolders() []folder {
	gates, _ := filepath.Glob(filepath.Join(s.home.StateDir("*"), "gate", "*")) // the pattern is well formed
	var out []folder
	for _, dir := range gates {
		for _, kept := range gate.KeptIn(dir) {
			out = append(out, measured(kept))
		}
	}
	slices.SortStableFunc(out, func(a, b folder) int { return a.ended.Compare(b.ended) })
	return out
}

// measured adds up a folder. A file that goes meanwhile counts nothing.
func measured(dir string) folder {
	f := folder{dir: dir}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			f.add(d)
		}
		return nil
	})
	return f
}

func (f *folder) add(d fs.DirEntry) {
	info, err := d.Info()
	if err != nil {
		return
	}
	f.bytes += info.Size()
	if info.ModTime().After(f.ended) {
		f.ended = info.ModTime()
	}
}
