package failure_test

import (
	"testing"

	"kedge/internal/insight/failure"
)

func TestRan(t *testing.T) {
	for name, c := range map[string]struct {
		out   string
		n     int
		known bool
	}{
		"nothing is said":     {"all good\n", 0, false},
		"pytest":              {"....s\n===== 4 passed, 1 skipped in 0.12s =====\n", 4, true},
		"pytest ran none":     {"===== no tests ran in 0.01s =====\n", 0, false},
		"pytest, all kinds":   {"2 failed, 3 passed, 1 xfailed, 4 warnings in 2.00s\n", 6, true},
		"unittest":            {"Ran 12 tests in 0.003s\n\nOK\n", 12, true},
		"unittest, skipped":   {"Ran 12 tests in 0.003s\n\nOK (skipped=5)\n", 7, true},
		"go, packages":        {"ok  \tex/a\t0.1s\nok  \tex/b\t(cached)\n?   \tex/c\t[no test files]\nok  \tex/d\t0.1s [no tests to run]\n", 2, true},
		"go -v":               {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\n--- SKIP: TestB (0.00s)\nok  \tex/a\t0.1s\n", 1, true},
		"cargo":               {"test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: ok. 2 passed; 1 failed; 0 ignored\n", 6, true},
		"node":                {"# tests 3\n# pass 2\n# fail 1\n", 3, true},
		"mocha":               {"  5 passing (10ms)\n  1 failing\n", 6, true},
		"jest":                {"Tests:       1 failed, 8 passed, 9 total\n", 9, true},
		"ctest":               {"100% tests passed, 0 tests failed out of 2\n", 2, true},
		"automake":            {"# TOTAL: 4\n# PASS:  3\n# SKIP:  1\n# FAIL:  0\n", 3, true},
		"meson":               {"Ok:                 3   \nFail:               1   \nSkipped:            2   \n", 4, true},
		"TAP":                 {"1..3\nok 1\nok 2\nok 3\n", 3, true},
		"minitest":            {"4 runs, 9 assertions, 0 failures, 0 errors, 0 skips\n", 4, true},
		"rspec":               {"7 examples, 1 failure\n", 7, true},
		"surefire, per class": {"Tests run: 2, Failures: 0\nTests run: 3, Failures: 0\nTests run: 5, Failures: 0\n", 10, true},
	} {
		t.Run(name, func(t *testing.T) {
			if n, known := failure.Ran(c.out); n != c.n || known != c.known {
				t.Errorf("%d %v, want %d %v", n, known, c.n, c.known)
			}
		})
	}
}
