package replay

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/glob"
)

// Project is a repository to replay, with what the person who uses Kedge on it knows.
type Project struct {
	Name  string   `json:"name"`
	Git   string   `json:"git"`   // its git directory
	Base  string   `json:"base"`  // where the range begins; empty: so many commits before its end
	Tip   string   `json:"tip"`   // where it ends; empty: HEAD
	Most  int      `json:"most"`  // at most so many commits, the last ones; 0: all
	Setup string   `json:"setup"` // [worktree] setup
	Gate  string   `json:"gate"`  // the text of gate.toml; empty: what kedge init finds
	Suite string   `json:"suite"` // the check of a feature whose commit touches no test
	Each  []Narrow `json:"each"`  // the check of one whose commit does: the first that fits
	Tests []string `json:"tests"` // globs of tests, as in [gate] tests
	Env   []string `json:"env"`   // of everything, as NAME=VALUE
	Plant []string `json:"plant"` // the plants to take; empty: all
	Every int      `json:"every"` // a plant before each so manieth commit; 0: before each

	// At are the plants before a commit, by its number from 1; nil: one in turn.
	At map[int][]string `json:"at"`
}

// Narrow is the command that runs some test files only. In Run, {files} are their paths, {dirs} their
// folders as ./dir, {modules} their names as modules, {stems} their names without folder and
// ending, joined by |, {names} the new tests in them, likewise. Without new tests, one with {names} does not fit.
type Narrow struct {
	Files string `json:"files"`
	Run   string `json:"run"`
}

// newTest finds the names of tests in added lines.
var newTest = regexp.MustCompile(`(?m)^\+\s*(?:func (Test\w+)|(?:async )?def (test_?\w+)|(test_\w+)\(\) *\{)`)

// check gives the command that a person would write for a commit, and whether it can be green
// before the work. added is the patch of the commit's tests.
func (p Project) check(c Commit, added string) (command string, holds bool) {
	var tests []string
	for _, f := range c.Files {
		if f.Side == detect.Tests && !f.Gone {
			tests = append(tests, f.Path)
		}
	}
	for _, n := range p.Each {
		files := slices.DeleteFunc(slices.Clone(tests), func(f string) bool { return !glob.Match(n.Files, f) })
		if len(files) == 0 {
			continue
		}
		if command, ok := n.expand(files, added); ok {
			return command, false
		}
	}
	return p.Suite, true
}

func (n Narrow) expand(files []string, added string) (string, bool) {
	var names, dirs, modules, stems []string
	for _, m := range newTest.FindAllStringSubmatch(added, -1) {
		names = append(names, strings.Join(m[1:], ""))
	}
	if strings.Contains(n.Run, "{names}") && len(names) == 0 {
		return "", false
	}
	for _, f := range files {
		bare := strings.TrimSuffix(f, path.Ext(f))
		dirs = append(dirs, "./"+path.Dir(f))
		modules = append(modules, strings.ReplaceAll(bare, "/", "."))
		stems = append(stems, path.Base(bare))
	}
	list := func(s []string, sep string) string {
		slices.Sort(s)
		return strings.Join(slices.Compact(s), sep)
	}
	return strings.NewReplacer("{files}", list(files, " "), "{dirs}", list(dirs, " "), "{modules}", list(modules, " "),
		"{stems}", list(stems, "|"), "{names}", list(names, "|")).Replace(n.Run), true
}
