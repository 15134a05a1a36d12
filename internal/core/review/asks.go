package review

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var aboutTests = lazyre.New(`(?i)\b(tests?|testing|tested|specs?|coverage|fixtures?|snapshots?|goldens?|regression|benchmarks?|fuzz(ing)?|e2e)\b`)

// mostTold bounds the tests that a reason names.
const mostTold = 5

// Altered says what work does to tests that were there before, and what running those said; empty:
// nothing that is for you to decide.
func Altered(findings []kedge.Finding, ran string) string {
	var parts []string
	for _, f := range findings {
		if f.Test && f.Waits {
			parts = append(parts, f.What+" ("+f.Where+")")
		}
	}
	if n := len(parts) - mostTold; n > 0 {
		parts = append(parts[:mostTold], strconv.Itoa(n)+" more")
	}
	if ran != "" {
		parts = append(parts, ran)
	}
	if len(parts) == 0 {
		return ""
	}
	return "it changes existing tests: " + strings.Join(parts, "; ")
}

// AsksForTests tells whether a definition asks for tests themselves: its name or kind says so, or the
// work may change nothing else. Then work that has only tests is what was asked for.
func AsksForTests(d kedge.Definition) bool {
	if aboutTests.MatchString(d.Name) || aboutTests.MatchString(d.Category) {
		return true
	}
	onlyTests := func(p string) bool { return detect.SideOf(p, nil) == detect.Tests }
	return len(d.Paths) > 0 && !slices.ContainsFunc(d.Paths, func(p string) bool { return !onlyTests(p) })
}
