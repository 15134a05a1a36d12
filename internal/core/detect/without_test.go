package detect_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge/internal/core/detect"
)

func TestWithout(t *testing.T) {
	many := ""
	for i := range 11 {
		many += fmt.Sprintf("--- FAIL: TestA%d (0.00s)\n", i)
	}
	for _, c := range []struct{ name, line, output, want string }{
		{"go", "go test ./...", "--- FAIL: TestB (0.00s)\n    a_test.go:1: x\n--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/sub (0.1s)\nFAIL\tx\t0.1s\n", "go test -skip '^(TestA|TestB)$' ./..."},
		{"go, once more", "go test -skip '^(TestB)$' ./...", "--- FAIL: TestA (0.1s)\npanic: x\n", "go test -skip '^(TestB|TestA)$' ./..."},
		{"go, in a folder", "cd 'a b' && go test ./... ./tools/...", "--- FAIL: TestA (0.1s)\n", "cd 'a b' && go test -skip '^(TestA)$' ./... ./tools/..."},
		{"go, the build is red", "go test ./...", "--- FAIL: TestA (0.1s)\nFAIL\tx [build failed]\n", ""},
		{"go, the same again", "go test -skip '^(TestA)$' ./...", "--- FAIL: TestA (0.1s)\n", ""},
		{"go, too many", "go test ./...", many, ""},
		{"go, and something after it", "go test ./... && ./lint", "--- FAIL: TestA (0.1s)\n", ""},
		{"pytest", ".venv/bin/python -m pytest", "FAILED tests/test_a.py::test_x[1-2] - assert\nFAILED tests/test_a.py::T::test_y\n1 passed\n", ".venv/bin/python -m pytest --deselect tests/test_a.py::T::test_y --deselect tests/test_a.py::test_x"},
		{"pytest, a file that cannot be loaded", "python3 -m pytest", "ERROR tests/test_b.py\nFAILED tests/test_a.py::test_x\n", ""},
		{"cargo", "cargo test --workspace", "test a::b ... FAILED\ntest c ... ok\n", "cargo test --workspace -- --exact --skip a::b"},
		{"cargo, once more", "cargo test -- --exact --skip a::b", "test c ... FAILED\n", "cargo test -- --exact --skip a::b --skip c"},
		{"ctest", "cmake -S . -B build && cd build && ctest --output-on-failure", "The following tests FAILED:\n\t  3 - parse.x (Failed)\n", "cmake -S . -B build && cd build && ctest --output-on-failure -E '^(parse.x)$'"},
		{"ctest, not built", "cmake -B b && ctest --output-on-failure", "\t  3 - a (Failed)\n\t  4 - b (Not Run)\n", ""},
		{"npm", "npm test", "not ok 1 - x\n", ""},
		{"nothing red", "go test ./...", "panic: x\n", ""},
	} {
		if got := detect.Without(c.line, c.output); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzWithout: no output gets anything into a line but names.
func FuzzWithout(f *testing.F) {
	f.Add("--- FAIL: TestA (0.00s)\n")
	f.Add("FAILED a/b.py::test_x - no\n")
	f.Add("test a::b ... FAILED\n")
	f.Add("\t 1 - x';rm (Failed)\n")
	f.Fuzz(func(t *testing.T, output string) {
		for _, line := range []string{"go test ./...", "python3 -m pytest", "cargo test", "true && ctest --output-on-failure"} {
			got := detect.Without(line, output)
			if strings.ContainsAny(strings.ReplaceAll(got, "true && ", ""), "\n;&`\"<>") || strings.Count(got, "'")%2 != 0 {
				t.Fatalf("%q", got)
			}
			if got != "" && detect.Without(got, output) != "" {
				t.Fatalf("%q is not the end", got)
			}
		}
	})
}
