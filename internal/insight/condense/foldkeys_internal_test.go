package condense

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/insight/failure"
	"kedge/internal/text/lazyre"
)

// TestKeysLoseNothing: what is looked at first lets every line through that a pattern
// matches, in all outputs that were recorded.
func TestKeysLoseNothing(t *testing.T) {
	names, err := filepath.Glob("../*/testdata/*/*.txt")
	if err != nil || len(names) < 100 {
		t.Fatalf("%d recordings, %v", len(names), err)
	}
	type pair struct {
		name    string
		quick   func(string) bool
		pattern *lazyre.Regexp
	}
	pairs := []pair{{"failing", fails, failing}, {"compared", compares, compared}, {"stuck", isStuck, stuck}, {"moves", redrawn, moves}}
	for _, k := range totals {
		pairs = append(pairs, pair{k.keys[0], k.match, k.pattern})
	}
	seen := map[string]bool{}
	matched := map[string]int{}
	check := func(l string) {
		if seen[l] || len(l) > longLine {
			return
		}
		seen[l] = true
		for _, p := range pairs {
			if is := p.pattern.MatchString(l); is {
				matched[p.name]++
				if !p.quick(l) {
					t.Errorf("%s: %q is lost", p.name, l)
				}
			}
		}
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.SplitSeq(string(b), "\n") {
			check(l)
			check(failure.Unescaped(l))
		}
	}
	for _, l := range []string{
		"\t✕ adds", "  12) x", "a_test.py ..F", "\u00a0\u00a0● x", "- Expected: 1", "+ received = 2", "  ~~~~", "UU a.go", "Exited (3)", "x (unhealthy)", "[ 3/17] x", "########",
		"#=#=#=#=#", "⠋ x", " 45.5% x", "Receiving objects: 3", "1 passing", "3 problems (1 error)", "Found 2 errors", "BUILD SUCCESS", "Plan: 1 to add, ", "real\t1s", "Summary: x", "TOTALS = 3",
		"3 files changed", "# tests 3", "Tests: 3", "[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0", "added by us: x", "E   x", "=== FAILURES ", "==== ERRORS ", "thread 'x'",
	} {
		check(l)
	}
	for _, p := range pairs {
		if matched[p.name] == 0 {
			t.Errorf("no line has %s", p.name)
		}
	}
}
