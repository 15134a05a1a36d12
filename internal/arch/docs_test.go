package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func architecture(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// testNames gives the tests and fuzz targets of the repository.
func testNames(t *testing.T) []string {
	t.Helper()
	var names []string
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestDocumentedTestsExist: an invariant that names its test names one that is
// there; "…" stands for the rest of a name.
func TestDocumentedTestsExist(t *testing.T) {
	names := testNames(t)
	named := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z0-9]\w*…?`).FindAllString(architecture(t), -1)
	if len(named) < 15 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, want := range named {
		prefix, open := strings.CutSuffix(want, "…")
		// TestF1… is not TestF10Something: a number ends where it ends.
		is := func(name string) bool {
			rest, ok := strings.CutPrefix(name, prefix)
			return ok && (rest == "" || open && (rest[0] < '0' || rest[0] > '9'))
		}
		if !slices.ContainsFunc(names, is) {
			t.Errorf("docs/ARCHITECTURE.md names %s, which does not exist", want)
		}
	}
}

// TestDocumentedPackages: the table of layers in the documentation has every
// package of this one, and no other.
func TestDocumentedPackages(t *testing.T) {
	text := architecture(t)
	have := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)\b((?:internal|cmd)/[a-z/]*[a-z])\b`).FindAllString(text, -1) {
		have["kedge/"+m] = true
	}
	for name := range layer {
		if name != "kedge" && !have[name] {
			t.Errorf("docs/ARCHITECTURE.md does not name %s", name)
		}
	}
	for name := range have {
		file := strings.HasPrefix(name, "kedge/internal/arch") || strings.Contains(text, strings.TrimPrefix(name, "kedge/")+".go")
		if _, ok := layer[name]; !ok && !file {
			t.Errorf("docs/ARCHITECTURE.md names %s, which has no layer", name)
		}
	}
}
