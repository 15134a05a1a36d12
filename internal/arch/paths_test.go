package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guides are the pages that lead to places in the code. Decisions are not among them:
// they also tell what was before.
var guides = []string{"docs/ARCHITECTURE.md", "docs/extending.md", "AGENTS.md"}

var (
	quoted   = regexp.MustCompile("`([^`\\s]+)`")
	function = regexp.MustCompile(`^([A-Za-z]\w*)\(\)$`)
	open     = regexp.MustCompile(`[A-Z]{3,}(/|$)|[<…]`) // NAME, AREA: you choose it
)

// TestGuidesLeadToTheCode: every path and every function() that a guide names exists.
func TestGuidesLeadToTheCode(t *testing.T) {
	all := pages(t)
	known := functions(t)
	for _, page := range guides {
		found := 0
		for _, name := range quotations(all[page]) {
			if m := function.FindStringSubmatch(name); m != nil {
				found++
				if !known[m[1]] {
					t.Errorf("%s names %s, and there is no such function", page, name)
				}
			}
			if file := inCode(name); file != "" {
				found++
				if hits, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(file))); err != nil || len(hits) == 0 {
					t.Errorf("%s names %s, and there is no such file", page, name)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s names nothing of the code: this test looks for the wrong thing", page)
		}
	}
}

// quotations gives what a page has in backquotes, outside of fenced blocks.
func quotations(text string) []string {
	var out []string
	for _, line := range prose(text) {
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// inCode gives the path that a quotation means, from the root of the repository, with
// wildcards; empty when it means no path of the repository. A package may be named
// without "internal/".
func inCode(name string) string {
	name = strings.TrimPrefix(name, "./")
	first, _, deeper := strings.Cut(name, "/")
	switch {
	case open.MatchString(name) || !deeper:
		return ""
	case slices.Contains([]string{"internal", "cmd", "tools", "docs"}, first):
		return path.Clean(name)
	case slices.ContainsFunc(rooms, func(r room) bool { return r.name == first }):
		return path.Join("internal", name)
	}
	return ""
}

// functions gives the names of all functions and methods of the repository.
func functions(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && file != root || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				names[fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPathsInProse(t *testing.T) {
	for name, want := range map[string]string{
		"internal/core/run":           "internal/core/run",
		"app/verify":                  "internal/app/verify",
		"./tools/bench":               "tools/bench",
		"internal/server/calls_*.go":  "internal/server/calls_*.go",
		"internal/agents/NAME/":       "",
		"internal/app/AREA":           "",
		"docs/extending.md":           "docs/extending.md",
		"kedge/<run>":                 "",
		"check.go":                    "",
		"journal":                     "",
		"refs/heads/main":             "",
		"internal/testkit/sim/sim.go": "internal/testkit/sim/sim.go",
	} {
		if got := inCode(name); got != want {
			t.Errorf("%s is the path %q, want %q", name, got, want)
		}
	}
}
