package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
)

// named are the texts in which the name of an agent may stand outside of its package,
// by the package that has them, and why.
var named = map[string]string{
	"internal/core/config claude-*": "a pattern for names of models",
	`internal/core/config add an agent to the entry, for example: use = "claude:opus"`: "an example in a hint",
	"internal/core/scaffold CLAUDE.md":                                                 "a file that init writes beside AGENTS.md",
	"internal/core/scaffold # [run]\n# agent = \"claude\"                  #":          "a line of the file that init writes",
	"internal/insight/stats claude":                                                    "the beginning of names of models",
	"internal/insight/stats codex":                                                     "likewise",
	"internal/insight/stats gemini":                                                    "likewise",
	"internal/insight/stats gcp.gemini":                                                "a provider's name in the conventions of telemetry",
}

// TestAgentsAreNamedAtHome: what is known of one agent stands in its own package. Its
// name in a text of another one is the beginning of a second place to change.
func TestAgentsAreNamedAtHome(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "kedge"), "/")
		if strings.HasPrefix(rel, "internal/testkit") || rel == "internal/agents/catalog" {
			continue
		}
		for _, file := range p.GoFiles {
			for _, text := range texts(t, filepath.Join(p.Dir, file)) {
				agent, is := nameIn(text, strings.TrimPrefix(rel, "internal/agents/"))
				if _, allowed := named[rel+" "+text]; is && !allowed {
					t.Errorf("%s/%s: the text %q names %s: take it from the profile, by package catalog", rel, file, text, agent)
				}
				used[rel+" "+text] = true
			}
		}
	}
	for text := range named {
		if !used[text] {
			t.Errorf("the exception %q is not needed any more", text)
		}
	}
}

// nameIn finds the name of an agent in a text, but for the one whose package it is.
func nameIn(text, home string) (string, bool) {
	for _, p := range catalog.All() {
		if p.Generic || p.Name == home {
			continue
		}
		if regexp.MustCompile(`(?i)(^|[^a-z0-9(|])` + p.Name + `([^a-z0-9)|]|$)`).MatchString(text) {
			return p.Name, true
		}
	}
	return "", false
}

// texts are the string literals of a file without its imports, its tags and what help
// says (a constant whose name ends in Text is a page of it): examples name agents.
func texts(t *testing.T, path string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			return !ok || key.Name != "Example" && key.Name != "Short" && key.Name != "Long"
		case *ast.ValueSpec:
			return !strings.HasSuffix(n.Names[0].Name, "Text")
		case *ast.AssignStmt:
			to, ok := n.Lhs[0].(*ast.SelectorExpr)
			return !ok || to.Sel.Name != "Example" && to.Sel.Name != "Long"
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				out = append(out, text)
			}
		}
		return true
	})
	return out
}

// TestNameIn: names count where they are words, in any letters, of any agent but one's
// own.
func TestNameIn(t *testing.T) {
	for text, want := range map[string]bool{
		"claude": true, ".claude/**": true, "CLAUDE_CONFIG_DIR": true, "Claude Code": true, "~/.pi": true, "PI_CODING_AGENT_DIR": true,
		"A(pi|PI)Base": false, "claudette": false, "api": false, "pip": false, "command": false, "": false,
	} {
		if _, is := nameIn(text, ""); is != want {
			t.Errorf("%q names an agent: %v", text, is)
		}
	}
	if _, is := nameIn("~/.claude", "claude"); is {
		t.Error("an agent's own package may not name it")
	}
}
