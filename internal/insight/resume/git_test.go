package resume

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/core/check"
	"kedge/internal/insight/audit"
)

// ran is a command that worked, with what it printed.
func ran(command, out string) []audit.Entry {
	return []audit.Entry{{Kind: audit.ToolCall, Call: command, Tool: "Bash", Act: audit.Shell, Command: command}, {Kind: audit.ToolResult, Call: command, Text: out}}
}

// TestGitByItsWords: git is what runs, and not what a text speaks of; what it is told
// are whole words.
func TestGitByItsWords(t *testing.T) {
	const line = "[main 1a2b3c4] Fix a\n"
	for _, c := range []struct {
		command, out string
		left         int
		commit       string
	}{
		{"git checkout .github/x.yml", "", 2, ""},
		{"git restore ./a.txt", "", 2, ""},
		{"git restore --staged .", "", 2, ""},
		{"grep -rn 'git reset --hard' docs", "docs/a.md:7:git reset --hard", 2, ""},
		{`rg "git commit" cmd`, line, 2, ""},
		{"git log -p", line, 2, ""},
		{"git grep Fix", line, 2, ""},
		{`echo "git stash"`, "git stash", 2, ""},
		{"cat <<'EOF'\ngit reset --hard\nEOF", "", 2, ""},
		{"git add -A # git commit", "", 2, ""},
		{"git stash && git checkout main && git stash pop", "", 2, ""},
		{"cd sub && git checkout .", "", 2, ""}, // below nobody knows what

		{"git checkout .", "", 0, ""},
		{"git checkout HEAD -- .", "", 0, ""},
		{"git restore --staged --worktree .", "", 0, ""},
		{"bash -c 'git reset --hard'", "", 0, ""},
		{"GIT_EDITOR=true git rebase --continue", line, 0, "Fix a"},
		{`cd /r && A=1 git -c user.name="X Y" --no-pager commit -m "Fix b"`, "", 0, "Fix b"},
		{`if git -C /r commit -m "Fix c"; then echo ok; fi`, "", 0, "Fix c"},
		{"git commit -F - <<'EOF'\ngit stash pop\nEOF\ngit status", line, 0, "Fix a"},
	} {
		p := played(append([]audit.Entry{edit("/r/a.go"), edit("/r/b.go")}, ran(c.command, c.out)...)...)
		if got := p.uncommitted(); got != c.left || p.step.commit != c.commit {
			t.Errorf("%s: %d files, commit %q, want %d, %q", c.command, got, p.step.commit, c.left, c.commit)
		}
	}
}

// TestShortNamesAreOfTheSessionsFolder: a name without a folder is of no other folder
// than that in which the session works.
func TestShortNamesAreOfTheSessionsFolder(t *testing.T) {
	for _, c := range []struct {
		base, command string
		left          int
	}{
		{"/r", `cd /tmp/x && git commit -m "first"`, 2},
		{"/r", `git -C ../other commit -m "first"`, 2},
		{"/r", "cd /tmp/x && git reset --hard", 2},
		{"/r", `cd /r && git commit -m "Fix a"`, 0},
		{"/r/", `cd sub && git commit -m "Fix a"`, 0},
		{"/r", "cd sub && git checkout .", 1},
		{"/r", "cd sub/.. && git checkout .", 0},
		{"", `cd /tmp/x && git commit -m "first"`, 2},
		{"", `git commit -m "Fix a"`, 0},
		{`C:\r`, `cd "D:\x" && git commit -m "first"`, 2},
	} {
		p := New()
		p.WorksIn(c.base)
		for _, e := range append([]audit.Entry{edit("a.go"), edit("sub/b.go")}, ran(c.command, "")...) {
			p.Add(&e)
		}
		if got := p.uncommitted(); got != c.left || (p.step.commit == "first") {
			t.Errorf("%s in %q: %d files, commit %q, want %d", c.command, c.base, got, p.step.commit, c.left)
		}
	}
}

// TestWritten: what stands behind ">", ">>" and tee is edited, and not read.
func TestWritten(t *testing.T) {
	for command, want := range map[string]string{
		"cat > x.go": "x.go",
		"cat <<EOF > new.go\ncat old.go > other.go\nEOF": "new.go",
		"cat >./a/b.go <<'EOF'\nx\nEOF\ngo vet ./...":    "a/b.go",
		"echo x >>notes.md; printf y 1> z.txt":           "notes.md,z.txt",
		"echo x | sudo tee -a conf.toml more.toml":       "conf.toml,more.toml",
		"cd sub && cat > c.go":                           "sub/c.go",
		"cd /r/sub && cat > c.go":                        "/r/sub/c.go",
		"\\\ncd /r/x # it's there > y.go\ncat > d.go":    "/r/x/d.go",
		"make > build.log 2>&1":                          "build.log",
		"make 2> err.log":                                "",
		"make > /dev/null":                               "",
		"grep '>' a.go":                                  "",
		`awk '$1 > 5' a.txt; echo "a > b.go"`:            "",
		"echo a \\> b.go":                                "",
		"cat > $OUT.txt":                                 "",
		"bash -lc cat > d.py":                            "d.py",
		`bash -c "cat > e.py"`:                           "e.py",
	} {
		if got := strings.Join(check.Written(command, ""), ","); got != want {
			t.Errorf("%s writes %q, want %q", command, got, want)
		}
	}
	for command, want := range map[string]string{"cat > x.go": "", "cat <<EOF > new.go\nEOF": "", "cat a.go > b.go": "a.go", "cat a.go 2>err.log": "a.go"} {
		if got := strings.Join(check.Printed(command), ","); got != want {
			t.Errorf("%s prints %q, want %q", command, got, want)
		}
	}
	p := played(shell("cat > x.go <<'EOF'\npackage x\nEOF"), shell("make > /tmp/out.txt"))
	by := p.Brief("", DefaultBudget)
	if p.uncommitted() != 1 || !slices.Equal(by.Files, []string{"x.go", "/tmp/out.txt"}) || !strings.Contains(by.Why[0], "no commit seen") {
		t.Errorf("%d files, %q, %q", p.uncommitted(), by.Files, by.Why)
	}
}

// TestStillRed: only what builds, tests or checks is red until it is green again.
func TestStillRed(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./... | grep FAIL": true, "make": true, "npm run lint:go": true, "python3 -m pytest -q": true, "bash scripts/run_tests.sh": true,
		"cd x && CI=1 ./gradlew check": true, "cargo clippy": true, "npx tsc --noEmit": true, "mise run test": true, "go vet ./... > out.txt": true,
		"grep -rn build src": false, "git checkout main": false, "ls test": false, "cat build.log": false, "node serve.js latest": false, "test -f go.mod": false,
		"curl example.com/check": false, "rg test; echo no test": false, "./deploy testing.json": false,
	} {
		if got := check.Checks(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
	report := func(command string) Summary {
		return played(
			ask("fix a"), audit.Entry{Kind: audit.ToolCall, Call: "1", Tool: "Bash", Act: audit.Shell, Command: command}, audit.Entry{Kind: audit.ToolResult, Call: "1", Failed: true},
			audit.Entry{Kind: audit.ToolCall, Call: "2", Tool: "Read", Act: audit.Read, Path: "/r/a.go"}, audit.Entry{Kind: audit.ToolResult, Call: "2", Text: "x"},
			audit.Entry{Kind: audit.AssistantText, Text: "Nothing else uses the old name."},
		).Brief("", DefaultBudget)
	}
	if b := report("grep -rn oldName src"); !strings.HasPrefix(b.Next, "The ask looks done") || len(b.Open) != 0 {
		t.Errorf("after a search without a match: %q, %q", b.Next, b.Open)
	}
	if b := report("go test ./..."); !strings.Contains(b.Next, "this was still red: go test ./...") || !slices.Equal(b.Open, []string{"still red: go test ./..."}) {
		t.Errorf("after a red test: %q, %q", b.Next, b.Open)
	}
}
