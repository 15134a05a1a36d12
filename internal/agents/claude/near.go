package claude

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/insight/transcript"
)

// nearFolders are the folders of transcripts whose names begin like those of the folders
// that are looked for, where their sessions belong to them: they worked in a folder below,
// or in a worktree beside that is gone, of which only the transcripts are left.
func nearFolders(root string, w transcript.Where) []string {
	if w.All || !filepath.IsAbs(root) {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(root, "projects"))
	if err != nil {
		return nil // there are none
	}
	var list []string
	for _, dir := range w.Dirs {
		slug := transcript.Slug(dir)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), slug+"-") && !slices.Contains(list, e.Name()) && belongs(filepath.Join(root, "projects", e.Name()), w) {
				list = append(list, e.Name())
			}
		}
	}
	return list
}

// belongs tells whether the sessions of a folder of transcripts are of the folders that are
// looked for, by the first one that says where it worked.
func belongs(folder string, w transcript.Where) bool {
	files, _ := filepath.Glob(filepath.Join(transcript.Quoted(folder), "*.jsonl")) // a pattern that is none matches nothing
	for _, path := range files {
		if dir, branch, ok := beganIn(path); ok {
			return transcript.Within(w.Dirs, dir) || wasWorktree(dir, branch, w)
		}
	}
	return false
}

// wasWorktree tells whether a folder that is gone was a worktree beside one of the folders:
// it is called like it, and its branch is of the same repository.
func wasWorktree(dir, branch string, w transcript.Where) bool {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || w.Branch == nil || branch == "" || !w.Branch(branch) {
		return false
	}
	return slices.ContainsFunc(w.Dirs, func(d string) bool {
		rest, ok := strings.CutPrefix(dir, strings.TrimSuffix(d, "/"))
		return ok && rest != "" && strings.ContainsRune("-._", rune(rest[0]))
	})
}

// beganIn is where a session began to work, and on which branch.
func beganIn(path string) (dir, branch string, ok bool) {
	r, err := os.Open(path)
	if err != nil {
		return "", "", false
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := transcript.FirstLines(r)
	for err == nil && l.N < transcript.Sniffed {
		var b []byte
		var line struct {
			Dir    string `json:"cwd"`
			Branch string `json:"gitBranch"`
		}
		if b, err = l.Next(); err == nil && json.Unmarshal(b, &line) == nil && line.Dir != "" {
			return line.Dir, line.Branch, true
		}
	}
	return "", "", false
}
