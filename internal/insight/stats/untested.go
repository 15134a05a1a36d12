package stats

import (
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// Work is what one feature changed.
type Work struct {
	Feature kedge.FeatureID
	Run     kedge.RunID
	Commit  string // empty: unknown
	Files   []kedge.FileChange
}

// Untested is a source file that features changed without a test, and that no test
// mentions.
type Untested struct {
	Path     string     `json:"path"`
	Lines    int        `json:"lines"` // added and removed by these features
	Evidence []Untaught `json:"evidence"`
}

// Untaught is one feature that changed the file and no test.
type Untaught struct {
	Feature kedge.FeatureID `json:"feature"`
	Run     kedge.RunID     `json:"run"`
	Commit  string          `json:"commit"`
}

// UntestedIn finds source that every feature which changed it changed without any test,
// and that no test of the repository mentions: by the name of the file, or by a name
// that the file declares. Read gives a file as it is now; false when it is gone.
func UntestedIn(works []Work, tests []string, read func(path string) (string, bool)) []Untested {
	var order []string
	found, tested := map[string]*Untested{}, map[string]bool{}
	for _, w := range works {
		with := slices.ContainsFunc(w.Files, func(c kedge.FileChange) bool { return c.Status != "D" && detect.IsTest(c.Path) })
		for _, c := range w.Files {
			switch {
			case c.Status == "D" || c.Binary || !detect.IsSource(c.Path):
			case with:
				tested[c.Path] = true
			default:
				if found[c.Path] == nil {
					found[c.Path] = &Untested{Path: c.Path}
					order = append(order, c.Path)
				}
				u := found[c.Path]
				u.Lines += c.Added + c.Removed
				u.Evidence = append(u.Evidence, Untaught{Feature: w.Feature, Run: w.Run, Commit: w.Commit})
			}
		}
	}
	order = slices.DeleteFunc(order, func(p string) bool { return tested[p] })
	out := []Untested{}
	if len(order) == 0 {
		return out
	}
	words := wordsOf(tests, read)
	for _, p := range order {
		if text, there := read(p); there && !mentioned(p, text, words) {
			out = append(out, *found[p])
		}
	}
	slices.SortStableFunc(out, func(a, b Untested) int { return b.Lines - a.Lines })
	return out
}

var (
	declared = lazyre.New(`\b(?:func|def|class|function|fn|type|struct|interface|enum|trait|module|object|protocol|record|fun|sub|const|var|let|defmodule|defp)\s+(?:\([^)\n]*\)\s*)?([\pL_][\pL\pN_]*)`)
	inline   = lazyre.New(`#\[cfg\(test\)\]|#\[test\]|^\s*>>> |\n\s*>>> `)
)

// wordsOf are the words of test files.
func wordsOf(tests []string, read func(string) (string, bool)) map[string]bool {
	out := map[string]bool{}
	for _, t := range tests {
		text, ok := read(t)
		if !ok || len(text) > detect.MaxSource {
			continue
		}
		for _, w := range detect.Words(text) {
			out[w] = true
		}
	}
	return out
}

// mentioned tells whether a test names the file, or something that it declares, or the
// file has its tests inside.
func mentioned(name, text string, words map[string]bool) bool {
	if inline.MatchString(text) {
		return true
	}
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if !detect.Common(stem) && mentionsStem(stem, words) {
		return true
	}
	for _, m := range declared.FindAllStringSubmatch(text[:min(len(text), detect.MaxSource)], -1) {
		if w := m[1]; len(w) > 3 && !detect.Common(w) && words[w] {
			return true
		}
	}
	return false
}

// mentionsStem tells whether every part of a file's name is a word of the tests:
// "order-list" is imported as that, or as order_list.
func mentionsStem(stem string, words map[string]bool) bool {
	parts := detect.Words(stem)
	for _, p := range parts {
		if !words[p] {
			return false
		}
	}
	return len(parts) > 0
}
