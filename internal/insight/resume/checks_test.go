package resume

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

// redRun is a command that failed, with what it printed.
func redRun(command, out string) []audit.Entry {
	list := ran(command, out)
	list[1].Failed = true
	return list
}

// TestMarksOfFailureEnd: a red check is forgotten when one that covers it is green.
func TestMarksOfFailureEnd(t *testing.T) {
	const out = "--- FAIL: TestA (0.00s)\n    a_test.go:7: no\nFAIL\n"
	for _, c := range []struct {
		red, green string
		ends       bool
	}{
		{"go test ./...", "go test ./...", true},
		{"go test ./... 2>&1 | tail -20", "go test ./... | head", true},
		{"go test ./x -run TestA", "go test ./...", true},
		{"go test ./x -run TestA", "go test ./x", true},
		{"go test ./x/y", "go test ./x/...", true},
		{"go test ./x", "mise run test", true},
		{"npm test", "npx jest", true},
		{"mise run test", "mise run test:ci", true},
		{"mise run fmt && mise run lint && mise run test", "mise run lint && mise run test", true},
		{"golangci-lint run", "mise run lint", true},
		{"pytest -k one", "pytest", true},

		{"go test ./...", "go test ./x", false},
		{"go test ./...", "go test -run TestB ./...", false},
		{"go test ./x", "go test ./y", false},
		{"mise run test:integration", "mise run test", false},
		{"mise run test", "mise run lint", false},
		{"mise run lint && mise run test", "mise run test", false},
		{"go test ./...", "git status", false},
		{"go test ./...", "echo test", false},
	} {
		entries := append([]audit.Entry{ask("fix it"), edit("/r/a_test.go")}, redRun(c.red, out)...)
		entries = append(append(entries, edit("/r/b.go")), ran(c.green, "ok")...)
		b := played(append(entries, ran("ls", "a")...)...).Brief("/r", DefaultBudget)
		why := b.Why[slices.Index(b.Files, "/r/a_test.go")]
		open := strings.Join(b.Open, "\n")
		if strings.Contains(open, "red when it last ran") == c.ends || strings.Contains(why, "in failing output") == c.ends {
			t.Errorf("%s, then %s: open %q, the file: %q", c.red, c.green, open, why)
		}
	}
}

// TestGoneFiles: what was removed or moved away is not needed next; what is there again is.
func TestGoneFiles(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"rm a.go", []string{"/r/sub/b.go", "/r/sub/c.go"}},
		{"rm -f /r/a.go && ls", []string{"/r/sub/b.go", "/r/sub/c.go"}},
		{"git rm -q a.go", []string{"/r/sub/b.go", "/r/sub/c.go"}},
		{"rm -rf sub", []string{"/r/a.go"}},
		{"cd sub && rm *.go", []string{"/r/a.go"}},
		{"git mv a.go d.go", []string{"/r/sub/b.go", "/r/sub/c.go", "d.go"}},
		{"mv sub/b.go sub/e.go", []string{"/r/a.go", "/r/sub/c.go", "sub/e.go"}},
		{"git rm --cached a.go", []string{"/r/a.go", "/r/sub/b.go", "/r/sub/c.go"}},
		{"echo rm a.go", []string{"/r/a.go", "/r/sub/b.go", "/r/sub/c.go"}},
		{"rm -rf *", []string{"/r/a.go", "/r/sub/b.go", "/r/sub/c.go"}},
	} {
		p := New()
		p.WorksIn("/r")
		for _, e := range append([]audit.Entry{edit("/r/a.go"), read("/r/sub/b.go"), read("/r/sub/c.go")}, ran(c.command, "")...) {
			p.Add(&e)
		}
		if got := slices.Sorted(slices.Values(p.order())); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
	p := played(append(append([]audit.Entry{edit("/r/a.go")}, ran("rm /r/a.go", "")...), edit("/r/a.go"))...)
	if got := p.order(); !slices.Equal(got, []string{"/r/a.go"}) {
		t.Errorf("written again: %q", got)
	}
	p = played(append([]audit.Entry{read("/r/a.go")}, ran("cat x.go; cat b.go", "cat: x.go: No such file or directory\npackage b\n")...)...)
	if got := p.order(); slices.Contains(got, "x.go") {
		t.Errorf("not found: %q", got)
	}
}
