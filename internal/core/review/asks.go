package review

import (
	"slices"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var aboutTests = lazyre.New(`(?i)\b(tests?|testing|tested|specs?|coverage|fixtures?|snapshots?|goldens?|regression|benchmarks?|fuzz(ing)?|e2e)\b`)

// AsksForTests tells whether a definition asks for tests themselves: it names them, or lets the
// work change nothing else. Then work that has only tests is what was asked for.
func AsksForTests(d kedge.Definition) bool {
	if aboutTests.MatchString(d.Name) || aboutTests.MatchString(d.Category) || slices.ContainsFunc(d.Acceptance, aboutTests.MatchString) {
		return true
	}
	onlyTests := func(p string) bool { return detect.SideOf(p, nil) == detect.Tests }
	return len(d.Paths) > 0 && !slices.ContainsFunc(d.Paths, func(p string) bool { return !onlyTests(p) })
}
