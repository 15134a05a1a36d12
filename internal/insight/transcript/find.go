package transcript

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"kedge/internal/insight/audit"
)

// Where says whose transcripts to look for.
type Where struct {
	Dirs   []string                 // where the sessions worked: the folders of a project
	All    bool                     // sessions of every folder; Dirs then only says where to look for agents that keep theirs in the project
	Branch func(name string) bool   // whether the repository of the folders has a branch; nil: nobody knows
	Getenv func(name string) string // HOME, and where programs keep their files
	Agent  string                   // only this one's; empty: all
	Since  time.Time                // what was last written before need not be found: looking into many files takes long
}

// Find lists the transcripts of sessions that worked in the folders, agent by
// agent, each in the order of their paths. What cannot be looked into, because
// it is not there or is not ours, has none.
func (all Formats) Find(ctx context.Context, w Where) ([]File, error) {
	var list []File
	for _, f := range all {
		if w.Agent == "" || w.Agent == f.Agent {
			list = append(list, f.Find(ctx, w)...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Home gives the folder that a variable names, else one below HOME; empty where
// neither is known.
func (w Where) Home(variable string, below ...string) string {
	if variable != "" {
		if dir := w.Getenv(variable); dir != "" {
			return dir
		}
	}
	if home := w.Getenv("HOME"); home != "" {
		return filepath.Join(append([]string{home}, below...)...)
	}
	return ""
}

// Files gives those that the patterns match, each once.
func Files(agent string, patterns ...string) []File {
	var list []File
	seen := map[string]bool{}
	for _, p := range patterns {
		paths, _ := filepath.Glob(p) // a pattern that is none matches nothing
		for _, path := range paths {
			fi, err := os.Stat(path)
			if err == nil && fi.Mode().IsRegular() && !seen[path] {
				seen[path] = true
				list = append(list, File{Agent: agent, Path: path, Size: fi.Size()})
			}
		}
	}
	return list
}

// Quoted keeps a folder from being a pattern.
func Quoted(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// Slug is a folder's name as several programs write it: what is no
// letter or digit is a dash, one for each unit of UTF-16.
func Slug(dir string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(dir)) {
		if u < 0x80 && (u >= '0' && u <= '9' || u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z') {
			b.WriteByte(byte(u))
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// Worked tells whether a transcript is of a session that worked in one of the folders,
// and was written to since the time that matters.
func (w Where) Worked(ctx context.Context, read Reader, path string) bool {
	if fi, err := os.Stat(path); !w.Since.IsZero() && (err != nil || fi.ModTime().Before(w.Since.Add(-2*time.Second))) { // some file systems keep whole seconds
		return false
	}
	return w.All || workedIn(ctx, read, path, w.Dirs)
}

// workedIn reads the start of a transcript, until its folder is known, and tells whether
// that is one of the folders or lies in one.
func workedIn(ctx context.Context, read Reader, path string, dirs []string) bool {
	r, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // it was only read
	const start = 1 << 20
	m, err := read(ctx, io.LimitReader(r, start), Options{}, func(*audit.Entry) {})
	return err == nil && m.Dir != "" && Within(dirs, m.Dir)
}
