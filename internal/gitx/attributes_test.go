package gitx_test

import (
	"os"
	"path/filepath"
	"testing"

	"kedge/internal/gitx"
)

// privately writes attributes where no tree holds them.
func (r *repo) privately(text string) {
	r.t.Helper()
	r.must(os.WriteFile(r.path(".git/info/attributes"), []byte(text), 0o644))
}

// TestT7NoAttributeHidesAChange: what is binary is decided by the files alone.
func TestT7NoAttributeHidesAChange(t *testing.T) {
	for name, hide := range map[string]func(*repo){
		"in the git dir":   func(r *repo) { r.privately("*_test.go -diff\n") },
		"in the work tree": func(r *repo) { r.write(".gitattributes", "*_test.go binary\n") },
		"in the user's own": func(r *repo) {
			r.write(".gitattributes", "*_test.go diff=x\n")
			r.git("config", "diff.x.binary", "true")
		},
		"by a file": func(r *repo) {
			r.git("config", "core.attributesFile", filepath.Join(r.home, "attributes"))
			r.must(os.WriteFile(filepath.Join(r.home, "attributes"), []byte("* -diff\n"), 0o644))
		},
		"by its size": func(r *repo) { r.git("config", "core.bigFileThreshold", "1") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("x_test.go", "package x\n\nfunc TestX() { fail() }\n")
			r.write("real", "a\x00b")
			from := r.commit("second")
			hide(r)
			r.write("x_test.go", "package x\n")
			r.write("real", "a\x00c")
			to := r.commit("third")
			list, err := r.open().Diff(t.Context(), from, to)
			r.must(err)
			found := map[string]gitx.Change{}
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
		set  func(*repo)
		text string
	}{
		"ident in the git dir":    {func(r *repo) { r.privately("*.go ident\n") }, code},
		"ident in a tree":         {func(r *repo) { r.write(".gitattributes", "*.go ident\n") }, code},
		"ident in a folder":       {func(r *repo) { r.write("d/.gitattributes", "*.go ident\n") }, code},
		"ident by a macro":        {func(r *repo) { r.write(".gitattributes", "[attr]hide ident\n*.go hide\n") }, code},
		"encoding in the git dir": {func(r *repo) { r.privately("*.go working-tree-encoding=UTF-7\n") }, "package x // +AGE-\n"},
		"line ends":               {func(r *repo) { r.privately("*.go text eol=crlf\n") }, "package x\r\n"},
		"a filter in the git dir": {func(r *repo) {
			r.privately("*.go filter=other\n")
			r.git("config", "filter.other.clean", "echo other")
			r.opt.Approved = func(string, string) bool { return true }
		}, code},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.set(r)
			r.write("d/x.go", c.text)
			b, err := r.open().ReadFile(t.Context(), r.tree(), "d/x.go")
			if err != nil || string(b) != c.text {
				t.Errorf("the tree holds %q, %v; the file is %q", b, err, c.text)
			}
		})
	}
}

// TestT7CommittedAttributesCount: line ends and filters of .gitattributes are
// part of the tree, for everybody to see.
func TestT7CommittedAttributesCount(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.txt text\n")
	r.write("x.txt", "one\r\n")
	b, err := r.open().ReadFile(t.Context(), r.tree(), "x.txt")
	if err != nil || string(b) != "one\n" {
		t.Errorf("the tree holds %q, %v", b, err)
	}
}
