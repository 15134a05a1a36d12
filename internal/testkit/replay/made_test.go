package replay_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/testkit/replay"
)

// made commits a history that was written down, and gives its git directory. Commits begin
// with "== SUBJECT", files with "-- PATH --"; what a file does not name stays.
func made(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".history"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), name)
	commits := strings.Split(string(b), "\n== ")[1:]
	git(t, dir, "init", "-q", "-b", "main", ".")
	for _, c := range commits {
		subject, rest, _ := strings.Cut(c, "\n")
		for _, f := range strings.Split("\n"+rest, "\n-- ")[1:] {
			path, text, ok := strings.Cut(f, " --\n")
			if !ok {
				t.Fatalf("%s: %q names no file", name, f)
			}
			put(t, filepath.Join(dir, path), strings.TrimSuffix(text, "\n")+"\n")
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", subject)
	}
	return filepath.Join(dir, ".git")
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// gate is a gate.toml of one check.
func gate(command string) string {
	return "version = 1\n[[check]]\nname = \"test\"\nkind = \"test\"\nrun = \"" + command + "\"\n"
}

// histories are the made ones, with the plants before each commit.
func histories(t *testing.T) []replay.Project {
	return []replay.Project{
		{
			Name: "stock", Git: made(t, "stock"), Gate: gate("go test ./..."), Suite: "go test ./...",
			Each: []replay.Narrow{{Files: "**/*_test.go", Run: "go test -run '^({names})$' ./..."}, {Files: "**/*_test.go", Run: "go test ./..."}},
			Env:  []string{"GOFLAGS=-vet=off", "GOTOOLCHAIN=local"},
			At: map[int][]string{
				1: {"lie", "source only", "tests only"}, 2: {"wrong", "assertion deleted"}, 3: {"gutted", "test skipped"},
				4: {"lie"}, 5: {"outside", "empty"}, 6: {"tests only"},
			},
		},
		{
			Name: "label", Git: made(t, "label"), Gate: gate("make test"), Suite: "make test",
			Each: []replay.Narrow{{Files: "test/*_test.sh", Run: "for t in {files}; do sh $t || exit 1; done"}},
			At: map[int][]string{
				1: {"lie", "source only", "tests only", "wrong", "twice"}, 2: {"assertion loosened", "commits"}, 3: {"test skipped", "gutted", "rest"},
				4: {"lie"}, 5: {"outside", "assertion deleted", "empty"}, 6: {"source only"},
			},
		},
	}
}

// untold are the tries of made histories that a check cannot tell from the work that was asked for.
var untold = []untoldTry{
	{"stock", 2, "wrong"}, // the check is the suite, and other work has good tests too
}

type untoldTry struct {
	project string
	commit  int // from 1
	plant   string
}

// TestMadeHistories replays histories that were made for it: honest commits pass, and what an agent
// did not do, did by half, or did to the tests, does not.
func TestMadeHistories(t *testing.T) {
	program := build(t)
	for _, p := range histories(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			r, err := replay.Play(t.Context(), program, p, place(t, p.Name), t.Logf)
			t.Log("\n" + replay.Table([]replay.Result{r}))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Different) > 0 {
				t.Errorf("the end is not the real one: %v differ", r.Different)
			}
			planned := r.Commits
			for _, names := range p.At {
				planned += len(names)
			}
			if whole := countWhole(p); len(r.Tries) != planned-whole {
				t.Errorf("%d tries, want %d", len(r.Tries), planned-whole)
			}
			judge(t, p.Name, r)
		})
	}
}

// countWhole counts the plants that stand for the honest work.
func countWhole(p replay.Project) int {
	n := 0
	for _, names := range p.At {
		for _, name := range names {
			if name == "commits" || name == "rest" || name == "twice" {
				n++
			}
		}
	}
	return n
}

// judge holds every try to the right verdict, or to standing in the list of what comes later; and
// what came of it to the golden file.
func judge(t *testing.T, project string, r replay.Result) {
	t.Helper()
	var lines []string
	commits := []string{""}
	for _, try := range r.Tries {
		if !slices.Contains(commits, try.Commit) {
			commits = append(commits, try.Commit)
		}
		n := slices.Index(commits, try.Commit)
		plant := try.Plant
		lines = append(lines, fmt.Sprintf("%d\t%s\t%s\t%s\t%s", n, cmp.Or(plant, "honest"), try.Outcome, try.Verdict, try.Why))
		right := try.Verdict == replay.Right || try.Verdict == replay.WaitsRightly
		known := slices.Contains(untold, untoldTry{project, n, plant})
		if right == known || known && try.Verdict != replay.Untold {
			t.Errorf("commit %d (%s), %s: %s: %s, %s", n, try.Subject, cmp.Or(plant, "honest"), try.Verdict, try.Reason, try.Note)
		}
	}
	golden(t, filepath.Join("testdata", project+".golden"), strings.Join(lines, "\n")+"\n")
}

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		put(t, file, text)
		return
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != text {
		t.Errorf("%s says\n%s\nand it was\n%s\ngo test ./internal/testkit/replay -update", file, b, text)
	}
}

// place is an empty folder.
func place(t *testing.T, name string) string {
	t.Helper()
	if *keep == "" {
		return t.TempDir()
	}
	dir := filepath.Join(*keep, name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}
