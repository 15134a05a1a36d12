package gate

import "testing"

// TestRow11NothingToRun: only a runner that itself failed for want of tests is
// excused; any other failure is red, whatever else the output says.
func TestRow11NothingToRun(t *testing.T) {
	const npm = "\n> shop@1.0.0 test\n> jest --ci\n\nNo tests found, exiting with code 1\n"
	for _, tc := range []struct {
		name, line, text string
		exit             int
		want             bool
	}{
		{"pytest", "pytest -q", "no tests ran in 0.01s\n", 5, true},
		{"pytest by path", ".venv/bin/pytest", "no tests ran in 0.01s\n", 5, true},
		{"python -m pytest", "python3 -m pytest", "no tests ran in 0.01s\n", 5, true},
		{"pytest, another exit", "pytest -q", "no tests ran in 0.01s\n", 2, false},
		{"jest", "npx jest", "No tests found, exiting with code 1\n", 1, true},
		{"vitest", "npx vitest run", "No test files found, exiting with code 1\n", 1, true},
		{"npm test", "npm test", npm, 1, true},
		{"npm test of two commands", "npm test", "\n> a@1 test\n> jest && eslint .\n\nNo tests found, exiting with code 1\n", 1, false},
		{"go without a package", "go test ./...", "go: warning: \"./...\" matched no packages\nno packages to test\n", 1, true},
		{"unittest without a test", "python3 -m unittest", "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n", 5, true},
		{"a second command fails", "go test ./... && echo 'lint: 3 problems found' && false", "?   \tx\t[no test files]\nlint: 3 problems found\n", 1, false},
		{"only the words", `echo "No tests found"; echo database is gone; exit 70`, "No tests found\ndatabase is gone\n", 70, false},
		{"a script of one's own", "./test.sh", "No tests found, exiting with code 1\n", 1, false},
		{"go fails to build", "go test ./...", "# x\n./a.go:1:1: expected 'package'\n?   \ty\t[no test files]\nFAIL\tx [setup failed]\n", 1, false},
		{"jest named in a pipe", "npx jest | tee log", "No tests found, exiting with code 1\n", 1, false},
	} {
		if got := nothingToRun(tc.line, tc.text, tc.exit); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}
