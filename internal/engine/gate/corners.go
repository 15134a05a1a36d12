package gate

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/detect"
	"kedge/internal/git"
	"kedge/internal/insight/testguard"
)

// Halves are the tests and the source of a change, and the two trees that have the one side old
// and the other new.
type Halves struct {
	testguard.Corners
	Asserts bool // the new tests assert something
	Changed bool // what was there of tests before is not all there, untouched
	Intact  bool // all of it is there, untouched, whatever explains a change
	request Request
}

// HalvesOf divides the difference between the request's Base and a tree.
func HalvesOf(ctx context.Context, q Request, tree string) (Halves, error) {
	of, err := TestsOf(ctx, q, tree)
	if err != nil {
		return Halves{}, err
	}
	changes := slices.DeleteFunc(of.Changes, func(c testguard.Change) bool { return kedge.IsOwnPath(c.Path) })
	h := Halves{Corners: testguard.Halves(changes, q.Tests), request: q}
	h.Asserts = slices.ContainsFunc(changes, func(c testguard.Change) bool { return testguard.Asserts(c, q.Tests) })
	guard := testguard.Guard{Tests: q.Tests, Mentioned: (&gate{Request: q, before: tree}).mentioned(ctx, of.diff)}
	h.Changed = slices.ContainsFunc(changes, func(c testguard.Change) bool {
		return slices.Contains(h.Tests, c.Path) && !matchAny(q.Announced, c.Path) && !guard.Explained(c, changes)
	})
	h.Intact = !slices.ContainsFunc(changes, func(c testguard.Change) bool {
		return slices.Contains(h.Tests, c.Path) && !guard.Explained(c, nil)
	})
	return h, nil
}

// Compose makes a corner of the tree of the work. Tests that the definition of the feature
// announces stand as they are now: you decided about them.
func (h Halves) Compose(ctx context.Context, repo *git.Repo, tree string, c testguard.Corner) (string, error) {
	var pieces []git.Piece
	for _, f := range c.Files {
		announced := slices.Contains(h.Tests, f.Path) && matchAny(h.request.Announced, f.Path)
		switch {
		case f.Stands == testguard.New || announced:
		case f.Stands == testguard.Old:
			pieces = append(pieces, git.Piece{Path: f.Path, From: h.request.Base})
		default:
			pieces = append(pieces, git.Piece{Path: f.Path, Text: f.Text})
		}
	}
	return repo.Compose(ctx, tree, pieces)
}

// TestChecks are the checks that run tests, each once.
func TestChecks(checks []kedge.Check) []kedge.Check {
	var out []kedge.Check
	for _, c := range checks {
		known := slices.ContainsFunc(out, func(o kedge.Check) bool { return check.Same(o, c) })
		if !known && check.Of(c).Shell && check.KindOf(c).Tests {
			out = append(out, c)
		}
	}
	return out
}

// Loading are the checks that load a changed file: those without paths, and those whose paths cover one.
func Loading(checks []kedge.Check, h Halves) []kedge.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c kedge.Check) bool {
		return len(c.Paths) > 0 && !slices.ContainsFunc(slices.Concat(h.Tests, h.Source), func(p string) bool { return matchAny(c.Paths, p) })
	})
}

// ByProof divides the feature's own checks into those that had to be red before the work and those that
// were green: they need not be red, or they are among held.
func ByProof(own []kedge.Check, held []string) (red, green []kedge.Check) {
	for _, c := range own {
		if c.Prove == check.ProveHolds || slices.Contains(held, c.Name) {
			green = append(green, c)
		} else {
			red = append(red, c)
		}
	}
	return red, green
}

// JudgesOfOld are the checks that judge the tests of before: the others, and where none of them runs these
// tests, the feature's own. An own check may name a test that the work brings, and is red without it.
func JudgesOfOld(others, own []kedge.Check, h Halves) []kedge.Check {
	if out := Loading(TestChecks(others), h); len(out) > 0 {
		return out
	}
	return Loading(TestChecks(own), h)
}

// CanBeTested tells whether new tests can make a check red: its command runs tests, or it is one
// of the project's.
func CanBeTested(c kedge.Check, project []kedge.Check) bool {
	if !check.Of(c).Shell {
		return false
	}
	same := slices.ContainsFunc(TestChecks(project), func(p kedge.Check) bool { return check.Same(p, c) })
	return same || detect.RunsTests(check.ShellLine(c))
}
