package arch

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tools are programs of the repository that the product does not contain.
func isTool(pkg string) bool {
	return strings.HasPrefix(pkg, "kedge/tools/") || pkg == "kedge/internal/arch"
}

// impure is what no package of a pure room, and not the nouns, may import.
var impure = []string{"os", "os/exec", "net", "net/http", "database/sql", "log/slog", "sync", "syscall", "math/rand", "math/rand/v2"}

type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	GoFiles    []string
	Imports    []string
}

// packages are those of the product and of its tests, without tools.
func packages(t *testing.T) []pkg {
	t.Helper()
	return slices.DeleteFunc(listed(t), func(p pkg) bool { return isTool(p.ImportPath) || len(p.GoFiles) == 0 })
}

func listed(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports", "kedge/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestRooms(t *testing.T) {
	all := homes()
	for _, p := range packages(t) {
		_, placed := all[p.ImportPath]
		nouns, wiring := p.ImportPath == "kedge", p.ImportPath == "kedge/cmd/kedge"
		if !placed && !nouns && !wiring {
			t.Errorf("%s: give this package a line in rooms_test.go", p.ImportPath)
		}
		pure := nouns || isPure(all, p.ImportPath)
		for _, imp := range p.Imports {
			if why := refused(all, p.ImportPath, imp); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imp, why)
			}
			if nouns && strings.HasPrefix(imp, "kedge/") || wiring && strings.HasPrefix(imp, "kedge/internal/testkit") {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
			if pure && slices.Contains(impure, imp) && !slices.Contains(exceptions[p.ImportPath], imp) {
				t.Errorf("%s is pure and must not import %s", p.ImportPath, imp)
			}
		}
	}
}

// TestRoomsRefuse tries the rule of every pair of rooms in both directions: an import
// that the table does not name is refused, and one that it names is not.
func TestRoomsRefuse(t *testing.T) {
	all := homes()
	first := func(r room) string { return pathOf(r, r.packages[0]) }
	last := func(r room) string { return pathOf(r, r.packages[len(r.packages)-1]) }
	for i, from := range rooms {
		for j, to := range rooms {
			if i == j {
				continue
			}
			why := refused(all, first(from), first(to))
			names := strings.Fields(from.imports)
			named := slices.Contains(names, to.name) || slices.Contains(names, "*") && j < i && to.name != "testkit"
			if (why == "") != named {
				t.Errorf("%s imports %s: %q", from.name, to.name, why)
			}
		}
		if len(from.packages) > 1 {
			if refused(all, first(from), last(from)) == "" || refused(all, last(from), first(from)) != "" {
				t.Errorf("the order inside %s is not held", from.name)
			}
		}
	}
}

// TestRoomsName: what a room may import is a room that stands before it.
func TestRoomsName(t *testing.T) {
	seen := map[string]bool{"*": true}
	for _, r := range rooms {
		for _, name := range strings.Fields(r.imports) {
			if !seen[name] {
				t.Errorf("%s imports %s, which does not stand before it", r.name, name)
			}
		}
		seen[r.name] = true
	}
}

// TestEveryEntryIsThere: the table names no package that is gone.
func TestEveryEntryIsThere(t *testing.T) {
	have := map[string]bool{}
	for _, p := range listed(t) {
		have[p.ImportPath] = true
	}
	for path := range homes() {
		if !have[path] {
			t.Errorf("%s is in the table and not in the tree", path)
		}
	}
}

// TestNothingOfTheTestkitIsLinked: the binary holds no package of it.
func TestNothingOfTheTestkitIsLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "kedge/cmd/kedge").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, path := range strings.Fields(string(out)) {
		if strings.HasPrefix(path, "kedge/internal/testkit") {
			t.Errorf("kedge links %s", path)
		}
	}
}

// databases are the packages that may import a driver: the journal, and the
// reader of what other programs keep in one.
var databases = []string{"kedge/internal/journal", "kedge/internal/agents/opencode"}

func TestOnlyTheseHaveADatabase(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			driver := imp == "database/sql" || strings.HasPrefix(imp, "modernc.org/sqlite")
			if driver && !slices.Contains(databases, p.ImportPath) {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
		}
	}
}

// gitParts are what package git is made of. Whoever has one could start git past what
// TestT7TrapRepository tries: only git, the parts themselves and tests import them.
var gitParts = []string{"hardened", "history", "checkout", "salvage", "worktree", "stored"}

func TestT7OnlyGitHasItsParts(t *testing.T) {
	const root, testing = "kedge/internal/git", "kedge/internal/testkit/gittest"
	for _, p := range packages(t) {
		inside := p.ImportPath == root || strings.HasPrefix(p.ImportPath, root+"/")
		for _, imp := range p.Imports {
			part, ok := strings.CutPrefix(imp, root+"/")
			if ok && slices.Contains(gitParts, part) && !inside && p.ImportPath != testing {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
			if inside && imp == "os/exec" && p.ImportPath != root+"/hardened" {
				t.Errorf("%s imports %s: git is started by %s/hardened", p.ImportPath, imp, root)
			}
		}
	}
}

// startsGit are the packages that may start git: the hardened way, and what sets
// repositories up for tests.
var startsGit = []string{"kedge/internal/git/hardened", "kedge/internal/testkit/gittest", "kedge/internal/testkit/agenttest", "kedge/internal/testkit/replay"}

// TestT7OnlyHardenedStartsGit: nothing else of the product names git as the program
// that it starts.
func TestT7OnlyHardenedStartsGit(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			for _, at := range gitStarts(t, filepath.Join(p.Dir, name)) {
				found++
				if !slices.Contains(startsGit, p.ImportPath) {
					t.Errorf("%s: git is started by internal/git/hardened only", at)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no place starts git: this test looks for the wrong thing")
	}
}

// gitStarts are the places of a file at which a command is made of git.
func gitStarts(t *testing.T, path string) []token.Position {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []token.Position
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(sel.Sel.Name, "Command") {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "exec" && slices.ContainsFunc(call.Args[:min(2, len(call.Args))], isGit) {
			out = append(out, fset.Position(n.Pos()))
		}
		return true
	})
	return out
}

// isGit tells whether an argument is the name of the program.
func isGit(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return false
	}
	name, err := strconv.Unquote(lit.Value)
	return err == nil && filepath.Base(name) == "git"
}

func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	bad := regexp.MustCompile(`/(util|utils|common|helpers|types|shared|base|misc)$`)
	for _, p := range packages(t) {
		if len(p.Doc) < 40 {
			t.Errorf("%s has no package comment to speak of", p.ImportPath)
		}
		if bad.MatchString(p.ImportPath) {
			t.Errorf("%s: name it for what it does", p.ImportPath)
		}
	}
}

// TestForbidden holds what the language allows and this codebase does not: init
// functions, sleeping, exiting outside main, and reading the clock in pure code.
func TestForbidden(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			checkFile(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, path string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	rel, _ := filepath.Rel(filepath.Join("..", ".."), path)
	name := "kedge/" + filepath.ToSlash(filepath.Dir(rel))
	pure := isPure(homes(), name)
	isMain := f.Name.Name == "main"
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				t.Errorf("%s: init function", fset.Position(n.Pos()))
			}
		case *ast.GoStmt:
			if pure && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s: goroutine in a pure package", fset.Position(n.Pos()))
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch call := x.Name + "." + n.Sel.Name; {
			case call == "time.Sleep",
				call == "time.Now" && pure && !strings.HasSuffix(path, "_test.go"),
				call == "os.Exit" && !isMain && !strings.HasSuffix(path, "_test.go"):
				t.Errorf("%s: %s", fset.Position(n.Pos()), call)
			}
		}
		return true
	})
}
