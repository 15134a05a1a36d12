package history_test

import (
	"os"
	"strings"
	"testing"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// forked is a repository with a base and two sides of it, each a tree.
func forked(t *testing.T, base, ours, theirs map[string]string) (r *gittest.Repo, g *git.Repo, q git.MergeRequest) {
	t.Helper()
	r = gittest.New(t)
	g = r.Open()
	write := func(files map[string]string) string {
		for name, text := range files {
			if text == "" {
				r.Must(os.RemoveAll(r.Path(name)))
				continue
			}
			r.Write(name, text)
		}
		return r.Tree()
	}
	q.Date = gittest.Day
	q.Base = write(base)
	q.Ours = write(ours)
	write(base) // what neither side adds stays as it is
	for name := range ours {
		if base[name] == "" {
			r.Must(os.RemoveAll(r.Path(name)))
		}
	}
	q.Theirs = write(theirs)
	return r, g, q
}

func named(paths ...string) func(string) bool {
	return func(p string) bool { return strings.Contains(" "+strings.Join(paths, " ")+" ", " "+p+" ") }
}

func TestMergeByRules(t *testing.T) {
	_, g, q := forked(t,
		map[string]string{"log": "1\n", "deep/er/log": "1\n", "lock": "v1\n", "deep/lock": "v1\n", "gone/lock": "v1\n", "code": "1\n"},
		map[string]string{"log": "1\nours\n", "deep/er/log": "1\nours\n", "lock": "v2\n", "deep/lock": "v2\n", "gone/lock": "", "code": "2\n", "new/log": "ours\n"},
		map[string]string{"log": "1\ntheirs\n", "deep/er/log": "1\ntheirs\n", "lock": "v3\n", "deep/lock": "v3\n", "gone/lock": "v3\n", "code": "3\n", "new/log": "theirs\n"})
	q.Union = named("log", "deep/er/log", "new/log", "lock")
	q.Keep = named("lock", "deep/lock", "gone/lock")
	m, err := g.Merge(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.Conflicts, " "); got != "code" {
		t.Errorf("conflicts in %q", got)
	}
	if got := strings.Join(m.United, " "); got != "deep/er/log log new/log" {
		t.Errorf("united %q", got)
	}
	if got := strings.Join(m.Kept, " "); got != "deep/lock gone/lock lock" {
		t.Errorf("kept %q", got)
	}
	for path, want := range map[string]string{
		"log": "1\nours\ntheirs\n", "deep/er/log": "1\nours\ntheirs\n", "new/log": "ours\ntheirs\n", "lock": "v2\n", "deep/lock": "v2\n",
	} {
		if b, err := g.ReadFile(t.Context(), m.Tree, path); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v", path, b, err)
		}
	}
	if there, err := g.Exists(t.Context(), m.Tree, "gone"); err != nil || there {
		t.Errorf("what ours removed is there: %v, %v", there, err)
	}
	if again, err := g.Merge(t.Context(), q); err != nil || again.Tree != m.Tree {
		t.Errorf("merged again: %+v, %v", again, err)
	}
}

// TestUnionIsOfText: what is not text, and what one side removed, stays a conflict.
func TestUnionIsOfText(t *testing.T) {
	r, g, q := forked(t,
		map[string]string{"bin": "\x00one", "gone": "1\n"}, map[string]string{"bin": "\x00two", "gone": ""}, map[string]string{"bin": "\x00three", "gone": "2\n"})
	q.Union = func(string) bool { return true }
	m, err := g.Merge(t.Context(), q)
	if err != nil || strings.Join(m.Conflicts, " ") != "bin gone" || len(m.United) > 0 {
		t.Errorf("merged %+v, %v", m, err)
	}
	r.Must(os.Remove(r.Path("bin")))
	r.Must(os.Symlink("a", r.Path("bin"))) // a link cannot be kept or united by a rule
	q.Theirs = r.Tree()
	q.Keep = named("bin", "gone")
	if m, err = g.Merge(t.Context(), q); err != nil || !strings.HasPrefix(strings.Join(m.Conflicts, " "), "bin") || strings.Join(m.Kept, " ") != "gone" {
		t.Errorf("merged %+v, %v", m, err)
	}
}
