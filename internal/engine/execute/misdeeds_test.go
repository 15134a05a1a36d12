package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/core/run"
)

// TestT7ForeignRepositoryInPlaceOfTheLink: a worktree whose .git an agent made name a
// whole repository of its own, or is one, is judged and committed in the repository
// that it is of; the other is not touched, and what was tried is told.
func TestT7ForeignRepositoryInPlaceOfTheLink(t *testing.T) {
	for name, plant := range map[string]func(y *yard, foreign, dot string) (told string){
		"named by the file": func(y *yard, foreign, dot string) string {
			y.must(os.WriteFile(dot, []byte("gitdir: "+foreign+"/.git\n"), 0o644))
			return foreign
		},
		"a link": func(y *yard, foreign, dot string) string {
			y.must(os.Remove(dot))
			y.must(os.Symlink(foreign+"/.git", dot))
			return foreign
		},
		"a repository": func(y *yard, foreign, dot string) string {
			y.must(os.Remove(dot))
			y.must(os.CopyFS(dot, os.DirFS(foreign+"/.git")))
			return "a repository of its own"
		},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, nil)
			y.feature("one", own("grep -q work a.txt"))
			base := y.head()
			y.prepared(1, "one", base)
			link := y.read(y.slot(1), ".git")
			foreign := filepath.Join(t.TempDir(), "foreign")
			y.git("init", "-q", "-b", "main", foreign)
			y.git("-C", foreign, "commit", "-q", "--allow-empty", "-m", "theirs")
			y.put(foreign, ".git/hooks/post-index-change", "#!/bin/sh\ntouch canary\n")
			y.must(os.Chmod(filepath.Join(foreign, ".git/hooks/post-index-change"), 0o755))
			before := y.git("-C", foreign, "for-each-ref") + y.git("-C", foreign, "count-objects", "-v")
			told := plant(y, foreign, filepath.Join(y.slot(1), ".git"))
			y.put(y.slot(1), "a.txt", "work\n")

			tree := y.gated(run.Green, 1, "one", base).Tree
			if got := findings(y.book.evidence[0].Verdict.Findings); !strings.Contains(got, "replaced the worktree's link") || !strings.Contains(got, told) {
				t.Errorf("the verdict does not say what it tried:\n%s", got)
			}
			y.inspected(run.Clean, base, tree)
			if got := findings(y.inspection().Findings); !strings.Contains(got, told) {
				t.Errorf("the inspection does not say what it tried:\n%s", got)
			}
			if got := y.read(y.slot(1), ".git"); got != link {
				t.Errorf("the link is %q, and was %q", got, link)
			}
			in := y.integrated(run.Green, 1, "one", base, tree)
			y.want(run.OK, y.command(run.Commit, 1, run.Command{Feature: "one", Base: base, Tree: in.Tree}))
			if after := y.git("-C", foreign, "for-each-ref") + y.git("-C", foreign, "count-objects", "-v"); after != before {
				t.Errorf("the foreign repository was touched:\n%s\n%s", before, after)
			}
			for _, dir := range []string{foreign, y.slot(1), y.clean()} {
				if _, err := os.Lstat(filepath.Join(dir, "canary")); err == nil {
					t.Errorf("code of the foreign repository ran in %s", dir)
				}
			}
			y.prepared(2, "one", base)
			y.put(y.slot(2), "a.txt", "more work\n")
			y.gated(run.Green, 2, "one", base)
			if got := findings(y.book.evidence[len(y.book.evidence)-1].Verdict.Findings); strings.Contains(got, "replaced the link") {
				t.Errorf("another job is told of it:\n%s", got)
			}
		})
	}
}

// TestLandingIsNobodysDoing: a branch that Kedge itself moved while a session worked is
// no finding; one that somebody moved on from there is.
func TestLandingIsNobodysDoing(t *testing.T) {
	y, tip := verified(t)
	y.feature("one", own("grep -q done a.txt"))
	base := y.head()
	y.prepared(1, "one", base)
	y.want(run.OK, y.landing(tip))
	y.put(y.slot(1), "a.txt", "done\n")
	tree := y.gated(run.Green, 1, "one", base).Tree
	y.inspected(run.Clean, base, tree)
	if got := findings(y.book.evidence[0].Verdict.Findings) + findings(y.inspection().Findings); strings.Contains(got, "refs/heads/main") {
		t.Errorf("what Kedge landed is told as somebody's doing:\n%s", got)
	}
	y.git("-C", y.root, "commit", "-q", "--allow-empty", "-m", "mine")
	y.inspected(run.Clean, base, tree)
	if got := findings(y.inspection().Findings); !strings.Contains(got, "refs/heads/main moved") {
		t.Errorf("a move of somebody's is not told:\n%s", got)
	}
}
