package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOnlyTheRootTakesActorsApart: who is a user and who is an agent is asked of
// kedge.Actor. No other package looks at the text.
func TestOnlyTheRootTakesActorsApart(t *testing.T) {
	inProduct(t, "kedge", func(at token.Position, n ast.Node) {
		if s, ok := literal(n); ok && (s == "human:" || s == "agent:") {
			t.Errorf("%s: %q: ask kedge.Actor", at, s)
		}
		if call, ok := n.(*ast.CallExpr); ok && isOf(call.Fun, "strings") && slices.ContainsFunc(call.Args, isActorText) {
			t.Errorf("%s: the text of an actor is taken apart: ask kedge.Actor", at)
		}
	})
}

// TestOnlyTheRootKnowsKedgesPaths: whether a path is Kedge's own is asked of
// kedge.IsOwnPath, IsGenerated and IsUserFile.
func TestOnlyTheRootKnowsKedgesPaths(t *testing.T) {
	inProduct(t, "kedge", func(at token.Position, n ast.Node) {
		if s, ok := literal(n); ok && slices.Contains([]string{".kedge", ".kedge/", "AGENT_CONTEXT.md"}, s) {
			t.Errorf("%s: %q: ask kedge.IsOwnPath, or use kedge.Dir and kedge.ContextFile", at, s)
		}
	})
}

// inProduct visits every node of the product's files, but for one package.
func inProduct(t *testing.T, but string, visit func(at token.Position, n ast.Node)) {
	t.Helper()
	nodes := 0
	for _, p := range packages(t) {
		if p.ImportPath == but {
			continue
		}
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if n != nil {
					nodes++
					visit(fset.Position(n.Pos()), n)
				}
				return true
			})
		}
	}
	if nodes == 0 {
		t.Error("no file of the product was read")
	}
}

// literal gives the value of a string literal.
func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// isOf tells whether a function is one of a package.
func isOf(fun ast.Expr, pkg string) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// isActorText tells whether an argument is the text of an actor: string(ev.Actor).
func isActorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	if fun, ok := call.Fun.(*ast.Ident); !ok || fun.Name != "string" {
		return false
	}
	name := ""
	switch x := call.Args[0].(type) {
	case *ast.SelectorExpr:
		name = x.Sel.Name
	case *ast.Ident:
		name = x.Name
	}
	return strings.EqualFold(name, "actor") || strings.EqualFold(name, "by")
}
