package arch

import (
	"flag"
	"fmt"
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

var update = flag.Bool("update", false, "write the parts of the docs that tests draw")

// drawn gives the rooms as docs/ARCHITECTURE.md shows them.
func drawn() string {
	var b strings.Builder
	for _, r := range rooms {
		fmt.Fprintf(&b, "### internal/%s\n\n%s. %s\n\n| package | what it does |\n|---|---|\n", r.name, upper(r.sign), rule(r))
		for _, e := range r.packages {
			name := strings.TrimPrefix(pathOf(r, e), "kedge/")
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.ReplaceAll(e.does, "|", "\\|"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// rule says in words what a room may import.
func rule(r room) string {
	switch r.imports {
	case "":
		return "May import only the nouns."
	case "*":
		if r.name == "testkit" {
			return "May import every room. Only tests and tools may import it."
		}
		return "May import every room above."
	}
	return "May import: " + strings.ReplaceAll(r.imports, " ", ", ") + "."
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TestArchitectureIsDrawn: the rooms in the documentation are those of the table.
func TestArchitectureIsDrawn(t *testing.T) {
	const from, to = "<!-- rooms: drawn by go test ./internal/arch -update -->\n", "<!-- /rooms -->"
	text := architecture(t)
	head, rest, ok := strings.Cut(text, from)
	was, tail, ended := strings.Cut(rest, to)
	if !ok || !ended {
		t.Fatalf("docs/ARCHITECTURE.md has no %q … %q", from, to)
	}
	if want := "\n" + drawn(); was != want {
		if !*update {
			t.Fatal("docs/ARCHITECTURE.md does not show the rooms as they are: go test ./internal/arch -update")
		}
		file := filepath.Join("..", "..", "docs", "ARCHITECTURE.md")
		if err := os.WriteFile(file, []byte(head+from+want+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
