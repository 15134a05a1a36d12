package audit

import (
	"cmp"
	"slices"
	"strings"
)

// HeavyFile is a file that fills contexts again and again.
type HeavyFile struct {
	Path     string        `json:"path"`
	Reads    int64         `json:"reads"`
	Chars    int64         `json:"chars"` // that its reads put into contexts
	Share    float64       `json:"share"` // of all that was read from files
	Sessions int           `json:"sessions"`
	Evidence []SessionRead `json:"evidence"` // what read most of it first
}

// SessionRead is what one session read of a file.
type SessionRead struct {
	ID    string `json:"id"` // of the transcript
	Agent string `json:"agent"`
	Reads int64  `json:"reads"`
	Chars int64  `json:"chars"`
}

// What makes a file a heavy one: it is read often enough, and is enough of it.
const (
	heavyReads = 3
	heavyChars = 2000 // about 500 tokens
	shownHeavy = 20
	shownReads = 5
)

// Heavy lists the files that sessions read at least heavyReads times, those that filled
// the contexts most first. Name gives the path of a file in the repository; a file for
// which it gives nothing does not count.
func Heavy(list []Figures, name func(path string) string) []HeavyFile {
	files := map[string]*HeavyFile{}
	var all int64
	for _, s := range list {
		for path, r := range named(s.Files, name) {
			f := files[path]
			if f == nil {
				f = &HeavyFile{Path: path}
				files[path] = f
			}
			f.Sessions++
			f.Reads += r.Reads
			f.Chars += r.Chars
			f.Evidence = append(f.Evidence, SessionRead{ID: s.ID, Agent: s.Agent, Reads: r.Reads, Chars: r.Chars})
			all += r.Chars
		}
	}
	out := []HeavyFile{}
	for _, f := range files {
		if f.Reads < heavyReads || f.Chars < heavyChars {
			continue
		}
		f.Share = float64(f.Chars*1000/max(all, 1)) / 1000
		slices.SortFunc(f.Evidence, func(a, b SessionRead) int { return cmp.Or(cmp.Compare(b.Chars, a.Chars), strings.Compare(a.ID, b.ID)) })
		f.Evidence = f.Evidence[:min(len(f.Evidence), shownReads)]
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b HeavyFile) int {
		return cmp.Or(cmp.Compare(b.Chars, a.Chars), strings.Compare(a.Path, b.Path))
	})
	return out[:min(len(out), shownHeavy)]
}

// named adds up the reads of the same file in a session under its name in the repository:
// agents call one file by several paths.
func named(uses []FileUse, name func(string) string) map[string]FileUse {
	out := map[string]FileUse{}
	for _, u := range uses {
		if path := name(u.Path); path != "" && u.Reads > 0 {
			sum := out[path]
			sum.add(u)
			out[path] = sum
		}
	}
	return out
}
