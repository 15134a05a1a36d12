package gate_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
)

// TestOnceLooksAtTheCheckedTree: a check that waits for a file runs as soon as the tree
// under it has the file, committed or not, and removing the file does not switch it off.
// What it says while it waits counts for no other gate.
func TestOnceLooksAtTheCheckedTree(t *testing.T) {
	const file = "package.json"
	bare := t.TempDir() // a PATH without git
	if err := os.Symlink("/bin/sh", filepath.Join(bare, "sh")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path       string
		committed, there bool
		runs             bool
	}{
		{name: "before the file"},
		{name: "the work adds it", there: true, runs: true},
		{name: "the work removes it", committed: true, runs: true},
		{name: "it is there for good", committed: true, there: true, runs: true},
		{name: "no git, no file: nobody can tell", path: bare, runs: true},
		{name: "no git, the file", path: bare, there: true, runs: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := request(t, kedge.Check{Name: "test", Run: check.Once("echo ran; false", file)})
			q.Repo, q.Base = &fakeRepo{trees: []string{"tree"}, changes: map[string][]git.Change{}}, committed(t, q.Dir, file, c.committed)
			if err := os.Remove(filepath.Join(q.Dir, file)); c.committed && err != nil {
				t.Fatal(err)
			}
			if c.there {
				write(t, filepath.Join(q.Dir, file), "{}")
			}
			if c.path != "" {
				q.Env = []string{"PATH=" + c.path}
			}
			learned := 0
			q.Learn = func(string, kedge.Check, string, kedge.CheckResult) { learned++ }
			v := mustRun(t, q)
			if v.Green() == c.runs || learned != 0 {
				t.Errorf("green %v, kept for others %d times: %+v", v.Green(), learned, v.Checks)
			}
			if waits := len(v.Findings) == 1 && strings.Contains(v.Findings[0].What, "waits for "+file); waits == c.runs {
				t.Errorf("findings %+v", v.Findings)
			}
		})
	}
}

// TestOnceIsKeptWhereItRan: the command itself depends on the tree alone.
func TestOnceIsKeptWhereItRan(t *testing.T) {
	q := request(t, kedge.Check{Name: "style", Kind: kedge.CheckBuild, Run: check.Once("echo fine", "a")})
	q.Repo = &fakeRepo{trees: []string{"tree"}, changes: map[string][]git.Change{}}
	write(t, filepath.Join(q.Dir, "a"), "")
	u := &gate.Reuse{All: &gate.Verdicts{}, Keeps: "clean", Reads: []string{"clean"}, Bare: func(tree string) string { return tree }}
	q.Known, q.Learn = u.Known, u.Learn
	if v := mustRun(t, q); !v.Green() || len(v.Findings) != 0 {
		t.Fatalf("%+v", v)
	}
	if _, ok := u.Known("tree", q.Checks[0], q.Checks[0].Run); !ok {
		t.Error("the result is not kept")
	}
}

// committed makes a repository with one commit, which may have the file, and names the
// commit.
func committed(t *testing.T, dir, file string, has bool) string {
	t.Helper()
	if has {
		write(t, filepath.Join(dir, file), "{}")
	}
	var out []byte
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "first"},
		{"rev-parse", "HEAD"},
	} {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	return strings.TrimSpace(string(out))
}
