package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a reader can take in. Tests may be larger.
const (
	mostRooms     = 15    // entries of internal/
	mostPackages  = 100   // outside the testkit
	packageLines  = 4_000 // in one package
	fileLines     = 500
	functionLines = 70
	interfaceSize = 9 // methods
)

func TestTheHouseIsSmall(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > mostRooms {
		t.Errorf("internal/ has %d entries, at most %d", len(entries), mostRooms)
	}
	n := 0
	for _, p := range listed(t) {
		if !strings.HasPrefix(p.ImportPath, "kedge/internal/testkit") {
			n++
		}
	}
	if n > mostPackages {
		t.Errorf("there are %d packages outside the testkit, at most %d", n, mostPackages)
	}
}

func TestPackagesFilesAndFunctionsAreSmall(t *testing.T) {
	for _, p := range listed(t) {
		if strings.HasPrefix(p.ImportPath, "kedge/internal/testkit") {
			continue
		}
		total := 0
		for _, name := range p.GoFiles {
			total += measureFile(t, filepath.Join(p.Dir, name))
		}
		if total > packageLines {
			t.Errorf("%s has %d lines, at most %d", p.ImportPath, total, packageLines)
		}
	}
}

// measureFile counts the lines of a file, and tells which of its parts are too large.
func measureFile(t *testing.T, path string) int {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := fset.File(f.Pos()).LineCount()
	if lines > fileLines {
		t.Errorf("%s has %d lines, at most %d", path, lines, fileLines)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if long := fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1; long > functionLines {
				t.Errorf("%s: %s has %d lines, at most %d", fset.Position(n.Pos()), n.Name.Name, long, functionLines)
			}
		case *ast.InterfaceType:
			if n.Methods.NumFields() > interfaceSize {
				t.Errorf("%s: an interface of %d methods, at most %d", fset.Position(n.Pos()), n.Methods.NumFields(), interfaceSize)
			}
		}
		return true
	})
	return lines
}
