package gate

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/git"
	"kedge/internal/insight/testguard"
)

// ChangedTests is what a change does to tests.
type ChangedTests struct {
	diff     []git.Change
	Changes  []testguard.Change // every changed file; of one that says nothing about tests only whether it is there
	Findings []testguard.Finding
}

// TestsOf tells what the difference between the request's Base and a tree does to tests.
func TestsOf(ctx context.Context, q Request, tree string) (ChangedTests, error) {
	g := &gate{Request: q, before: tree, told: map[string]bool{}}
	changed, err := q.Repo.Diff(ctx, q.Base, tree)
	if err != nil {
		return ChangedTests{}, err
	}
	return g.testsOf(ctx, q.Base, changed)
}

// inspectTests compares the changed files with what they were, all together: a test that moved to
// another file is not gone, and the tests of a function that the source no longer has may go.
// Whether a changed expectation was talked down is for the old tests to say.
func (g *gate) inspectTests(ctx context.Context, rev string, changed []git.Change) error {
	of, err := g.testsOf(ctx, rev, changed)
	if err != nil {
		return err
	}
	for _, f := range of.Findings {
		if f.Kind.Certain() && g.once("weakened", f.What, f.Where) {
			g.verdict.Findings = append(g.verdict.Findings, g.weakened(rev, f))
			if g.verdict.Findings[len(g.verdict.Findings)-1].Level == kedge.LevelError {
				g.mark(kedge.TestFailure)
			}
		}
	}
	return nil
}

// weakened says of a weakened test what it means here: red; or, if somebody can decide about it,
// that the work waits for that; or that the definition announced it.
func (g *gate) weakened(rev string, f testguard.Finding) kedge.Finding {
	path := pathOf(f.Where)
	out := f.Finding
	out.Test, out.Fix = true, orElse(f.Fix, restore(rev, path))
	switch {
	case matchAny(g.Announced, path):
		out.Level, out.Fix = kedge.LevelInfo, "nothing to do: changes_tests of the feature names it"
	case g.TestsWait:
		out.Level, out.Waits = kedge.LevelWarning, true
	}
	return out
}

// pathOf is the file of a place.
func pathOf(where string) string {
	if i := strings.LastIndexByte(where, ':'); i > 0 && strings.Trim(where[i+1:], "0123456789") == "" {
		return where[:i]
	}
	return where
}

// testsOf reads the changed files and compares their tests.
func (g *gate) testsOf(ctx context.Context, rev string, changed []git.Change) (ChangedTests, error) {
	out := ChangedTests{diff: changed}
	var judged []testguard.Change
	for _, c := range changed {
		if kedge.IsGenerated(c.Path) {
			continue
		}
		one, known, err := g.versions(ctx, rev, c, len(judged))
		if err != nil {
			return out, err
		}
		out.Changes = append(out.Changes, one)
		if known {
			judged = append(judged, one)
		} else if c.Binary && c.Status != "D" && detect.IsTest(c.Path) {
			out.Findings = append(out.Findings, testguard.Finding{Kind: testguard.Runner, Finding: kedge.Finding{
				Level: kedge.LevelError, What: "a test file is no longer text", Where: c.Path,
			}})
		}
	}
	guard := testguard.Guard{Tests: g.Tests, Mentioned: g.mentioned(ctx, changed)}
	out.Findings = append(out.Findings, guard.All(judged)...)
	return out, nil
}

// maxSources bounds how many files of source are read to see what tests were about.
const maxSources = 500

// judged tells whether a changed file says something about tests: it is on their side, it runs them, or
// it is source that they may have tested.
func (g *gate) judged(path string, sofar int) bool {
	switch detect.SideOf(path, g.Tests) {
	case detect.Tests, detect.Build:
		return true
	case detect.Source:
		return sofar < maxSources && detect.IsSource(path)
	case detect.Neither:
	}
	return false
}

// versions reads a file at a revision and as it is now; nil where there is none. Known is false for one
// of which nothing can be said but that it is there: it was not read.
func (g *gate) versions(ctx context.Context, rev string, c git.Change, sofar int) (one testguard.Change, known bool, err error) {
	one.Path = c.Path
	known = g.judged(c.Path, sofar) && (!c.Binary || c.Status == "D")
	read := func(at string) ([]byte, error) {
		if !known {
			return []byte{}, nil
		}
		text, err := g.Repo.ReadFile(ctx, at, c.Path)
		if kedge.Invalid.Is(err) && !detect.IsTest(c.Path) { // a submodule
			known = false
			return []byte{}, nil
		}
		if text == nil {
			text = []byte{}
		}
		return text, err
	}
	if c.Status != "A" {
		if one.Before, err = read(rev); err != nil {
			return one, known, err
		}
	}
	if c.Status != "D" {
		one.After, err = read(g.before)
	}
	return one, known, err
}

// Finder finds the files of a revision that contain a text.
type Finder interface {
	Grep(ctx context.Context, rev, text string) ([]string, error)
}

// The bounds of looking for a name in source that did not change. A name that is asked for beyond
// them counts as being there, so that its tests may not go.
const (
	mostNames = 40
	mostFiles = 20
)

// mentioned tells of a name whether source that did not change has it; nil where nobody can look.
func (g *gate) mentioned(ctx context.Context, changed []git.Change) func(name string) bool {
	find, ok := g.Repo.(Finder)
	if !ok {
		return nil
	}
	asked := 0
	return func(name string) bool {
		if asked++; asked > mostNames {
			return true
		}
		files, err := find.Grep(ctx, g.before, name)
		files = slices.DeleteFunc(files, func(p string) bool {
			return detect.SideOf(p, g.Tests) != detect.Source || !detect.IsSource(p) ||
				slices.ContainsFunc(changed, func(c git.Change) bool { return c.Path == p })
		})
		return err != nil || len(files) > mostFiles || slices.ContainsFunc(files, func(p string) bool { return g.hasWord(ctx, p, name) })
	}
}

// hasWord tells whether a file has a name as a word of its own outside its tests and comments.
func (g *gate) hasWord(ctx context.Context, path, name string) bool {
	text, err := g.Repo.ReadFile(ctx, g.before, path)
	return err != nil || slices.Contains(detect.Words(detect.WithoutTests(path, string(text))), name)
}
