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

// layer numbers every package; a package imports only lower numbers, or its own
// number where an arrow is drawn. Names are those of docs/ARCHITECTURE.md.
var layer = map[string]int{
	"kedge": 0,

	"kedge/internal/strictjson":  5, // notations: what L1 is written with
	"kedge/internal/glob":        5,
	"kedge/internal/lazyre":      4,
	"kedge/internal/frontmatter": 5,
	"kedge/internal/tokens":      5,
	"kedge/internal/plain":       5,
	"kedge/internal/ansi":        5,
	"kedge/internal/age":         5,

	"kedge/internal/config":            10,
	"kedge/internal/plan":              10,
	"kedge/internal/ledger":            10,
	"kedge/internal/brief":             10,
	"kedge/internal/condense":          10,
	"kedge/internal/price":             10,
	"kedge/internal/weaken":            10,
	"kedge/internal/redact":            10,
	"kedge/internal/redact/redacttest": 11,
	"kedge/internal/detect":            10,
	"kedge/internal/setup":             10,
	"kedge/internal/hooks":             10,
	"kedge/internal/unit":              10,
	"kedge/internal/run":               10,
	"kedge/internal/watch":             10,
	"kedge/internal/audit":             10,
	"kedge/internal/run/sim":           11,
	"kedge/internal/route":             11,
	"kedge/internal/yield":             11,
	"kedge/internal/pickup":            11,
	"kedge/internal/pickup/measure":    12,

	"kedge/internal/atomicfile": 15,
	"kedge/internal/proc":       15,
	"kedge/internal/hold/tape":  15,
	"kedge/internal/hold/wire":  15,
	"kedge/internal/peer":       15,
	"kedge/internal/lean":       15,
	"kedge/internal/term":       15,
	"kedge/internal/outputs":    16,
	"kedge/internal/spool":      16,
	"kedge/internal/capability": 16,
	"kedge/internal/sandbox":    16,
	"kedge/internal/hold":       20,

	"kedge/internal/gitx/holder":   15,
	"kedge/internal/gitx/attic":    16,
	"kedge/internal/gitx/stored":   15,
	"kedge/internal/gitx/hardened": 16,
	"kedge/internal/gitx/history":  17,
	"kedge/internal/gitx/checkout": 18,
	"kedge/internal/gitx/salvage":  19,
	"kedge/internal/gitx/worktree": 20,
	"kedge/internal/gitx/gitxtest": 21, // for tests only

	"kedge/internal/store":      20,
	"kedge/internal/gitx":       20,
	"kedge/internal/gate":       20,
	"kedge/internal/find":       20,
	"kedge/internal/cast":       20,
	"kedge/internal/agent":      20,
	"kedge/internal/transcript": 20,
	"kedge/internal/trust":      20,
	"kedge/internal/slot":       22,

	"kedge/internal/agent/talk":      21,
	"kedge/internal/agent/agenttest": 21,
	"kedge/internal/agent/claude":    22,
	"kedge/internal/agent/codex":     22,
	"kedge/internal/agent/acp":       22,
	"kedge/internal/agent/opencode":  22,
	"kedge/internal/agent/pi":        22,
	"kedge/internal/agent/aider":     22,
	"kedge/internal/agent/command":   22,
	"kedge/internal/agent/adapters":  23,
	"kedge/internal/fakeagent":       21,
	"kedge/internal/modelserver":     20, // for tests only

	"kedge/internal/engine":            26,
	"kedge/internal/engine/enginetest": 27,
	"kedge/internal/engine/local":      28,
	"kedge/internal/engine/exec":       28,

	"kedge/internal/project":  25,
	"kedge/internal/settings": 26,
	"kedge/internal/regain":   26,
	"kedge/internal/life":     25,
	"kedge/internal/book":     26,
	"kedge/internal/care":     27,
	"kedge/internal/standing": 27,
	"kedge/internal/gating":   27,
	"kedge/internal/enrol":    28,
	"kedge/internal/keep":     28,
	"kedge/internal/look":     29,
	"kedge/internal/drive":    29,
	"kedge/internal/attend":   29,
	"kedge/internal/clerk":    27,

	"kedge/internal/service": 30,

	"kedge/internal/api":        40,
	"kedge/internal/api/client": 41,
	"kedge/internal/daemon":     40,
	"kedge/internal/demo":       41,
	"kedge/internal/hook":       41,
	"kedge/internal/mcpserver":  41,
	"kedge/internal/cli":        42,

	"kedge/cmd/kedge": 50,
}

// arrows are the imports allowed inside one layer.
var arrows = map[string][]string{
	"kedge/internal/gate":   {"kedge/internal/gitx", "kedge/internal/hold"},
	"kedge/internal/gitx":   {"kedge/internal/gitx/worktree"},
	"kedge/internal/attend": {"kedge/internal/look"},
}

// exceptions are the impure imports of pure packages, each with its reason.
var exceptions = map[string][]string{
	"kedge/internal/run/sim": {"math/rand/v2"}, // seeded by its caller
	"kedge/internal/lazyre":  {"sync"},         // compiles each pattern once
}

// tools are programs of the repository that the product does not contain.
func isTool(pkg string) bool {
	return strings.HasPrefix(pkg, "kedge/tools/") || pkg == "kedge/internal/arch"
}

// impure is what no package of L0 and L1 may import.
var impure = []string{"os", "os/exec", "net", "net/http", "database/sql", "log/slog", "sync", "syscall", "math/rand", "math/rand/v2"}

type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []pkg {
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
		if !isTool(p.ImportPath) && len(p.GoFiles) > 0 {
			all = append(all, p)
		}
	}
}

func TestLayers(t *testing.T) {
	for _, p := range packages(t) {
		n, ok := layer[p.ImportPath]
		if !ok {
			t.Errorf("%s: give this package a layer", p.ImportPath)
		}
		for _, imp := range p.Imports {
			m, ours := layer[imp]
			if ours && m >= n && !slices.Contains(arrows[p.ImportPath], imp) {
				t.Errorf("%s (layer %d) imports %s (layer %d)", p.ImportPath, n, imp, m)
			}
			allowed := slices.Contains(exceptions[p.ImportPath], imp)
			if n <= 11 && slices.Contains(impure, imp) && !allowed {
				t.Errorf("%s is pure and must not import %s", p.ImportPath, imp)
			}
		}
	}
}

// databases are the packages that may import a driver: the journal, and the
// reader of what other programs keep in one.
var databases = []string{"kedge/internal/store", "kedge/internal/transcript"}

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

// gitParts are what gitx is made of. Whoever has one could start git past what
// TestT7TrapRepository tries: only gitx and the parts themselves import them.
var gitParts = []string{"hardened", "history", "checkout", "salvage", "worktree", "attic", "stored", "gitxtest"}

func TestT7OnlyGitxHasItsParts(t *testing.T) {
	const gitx = "kedge/internal/gitx"
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			part, ok := strings.CutPrefix(imp, gitx+"/")
			inside := p.ImportPath == gitx || strings.HasPrefix(p.ImportPath, gitx+"/")
			if ok && slices.Contains(gitParts, part) && (!inside || part == "gitxtest") {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
			if inside && imp == "os/exec" && p.ImportPath != gitx+"/hardened" && p.ImportPath != gitx+"/gitxtest" {
				t.Errorf("%s imports %s: git is started by %s/hardened", p.ImportPath, imp, gitx)
			}
		}
	}
}

// startsGit are the packages that may start git: the hardened way, and what sets
// repositories up for tests.
var startsGit = []string{"kedge/internal/gitx/hardened", "kedge/internal/gitx/gitxtest", "kedge/internal/agent/agenttest"}

// TestT7OnlyHardenedStartsGit: nothing else of the product names git as the program
// that it starts.
func TestT7OnlyHardenedStartsGit(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			for _, at := range gitStarts(t, filepath.Join(p.Dir, name)) {
				found++
				if !slices.Contains(startsGit, p.ImportPath) {
					t.Errorf("%s: git is started by internal/gitx/hardened only", at)
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
	pure := layer[name] > 0 && layer[name] <= 11
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
