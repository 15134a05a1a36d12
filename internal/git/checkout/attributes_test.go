package checkout_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// privately writes attributes where no tree holds them.
func privately(r *gittest.Repo, text string) {
	r.T.Helper()
	r.Must(os.WriteFile(r.Path(".git/info/attributes"), []byte(text), 0o644))
}

// TestT7NoAttributeHidesAChange: what is binary is decided by the files alone.
func TestT7NoAttributeHidesAChange(t *testing.T) {
	for name, hide := range map[string]func(*gittest.Repo){
		"in the git dir":  func(r *gittest.Repo) { privately(r, "*_test.go -diff\n") },
		"in the worktree": func(r *gittest.Repo) { r.Write(".gitattributes", "*_test.go binary\n") },
		"in the user's own": func(r *gittest.Repo) {
			r.Write(".gitattributes", "*_test.go diff=x\n")
			r.Git("config", "diff.x.binary", "true")
		},
		"by a file": func(r *gittest.Repo) {
			r.Git("config", "core.attributesFile", filepath.Join(r.Home, "attributes"))
			r.Must(os.WriteFile(filepath.Join(r.Home, "attributes"), []byte("* -diff\n"), 0o644))
		},
		"by its size": func(r *gittest.Repo) { r.Git("config", "core.bigFileThreshold", "1") },
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			r.Write("x_test.go", "package x\n\nfunc TestX() { fail() }\n")
			r.Write("real", "a\x00b")
			from := r.Commit("second")
			hide(r)
			r.Write("x_test.go", "package x\n")
			r.Write("real", "a\x00c")
			to := r.Commit("third")
			list, err := r.Open().Diff(t.Context(), from, to)
			r.Must(err)
			found := map[string]git.Change{}
			for _, c := range list {
				found[c.Path] = c
			}
			if c := found["x_test.go"]; c.Binary || c.Removed != 2 || c.Added != 0 {
				t.Errorf("the test is %+v", c)
			}
			if c := found["real"]; !c.Binary {
				t.Errorf("a binary file is %+v", c)
			}
		})
	}
}

// TestT7TreeHoldsTheTestedBytes: attributes that are in no tree change nothing
// in a tree, and what "ident" would leave out is in it whoever asks for it.
func TestT7TreeHoldsTheTestedBytes(t *testing.T) {
	const code = "package x\n\nconst n = 1 /*$Id: */ + 4 /* $*/\n"
	for name, c := range map[string]struct {
		set  func(*gittest.Repo)
		text string
	}{
		"ident in the git dir":    {func(r *gittest.Repo) { privately(r, "*.go ident\n") }, code},
		"ident in a tree":         {func(r *gittest.Repo) { r.Write(".gitattributes", "*.go ident\n") }, code},
		"ident in a folder":       {func(r *gittest.Repo) { r.Write("d/.gitattributes", "*.go ident\n") }, code},
		"ident by a macro":        {func(r *gittest.Repo) { r.Write(".gitattributes", "[attr]hide ident\n*.go hide\n") }, code},
		"encoding in the git dir": {func(r *gittest.Repo) { privately(r, "*.go working-tree-encoding=UTF-7\n") }, "package x // +AGE-\n"},
		"line ends":               {func(r *gittest.Repo) { privately(r, "*.go text eol=crlf\n") }, "package x\r\n"},
		"a filter in the git dir": {func(r *gittest.Repo) {
			privately(r, "*.go filter=other\n")
			r.Git("config", "filter.other.clean", "echo other")
			r.Opt.Approved = func(string, string) bool { return true }
		}, code},
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			c.set(r)
			r.Write("d/x.go", c.text)
			b, err := r.Open().ReadFile(t.Context(), r.Tree(), "d/x.go")
			if err != nil || string(b) != c.text {
				t.Errorf("the tree holds %q, %v; the file is %q", b, err, c.text)
			}
		})
	}
}

// TestT7CommittedAttributesCount: line ends and filters of .gitattributes are
// part of the tree, for everybody to see.
func TestT7CommittedAttributesCount(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitattributes", "*.txt text\n")
	r.Write("x.txt", "one\r\n")
	b, err := r.Open().ReadFile(t.Context(), r.Tree(), "x.txt")
	if err != nil || string(b) != "one\n" {
		t.Errorf("the tree holds %q, %v", b, err)
	}
}
