package review

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// Skip says when a test does not run; more is weaker.
type Skip int

// The three states of a test.
const (
	Always    Skip = iota // always runs
	Sometimes             // under a condition
	Never                 // is skipped, or may fail, whatever happens
)

var (
	buildTag  = lazyre.New(`(?m)^//(?:go:build| ?\+build) (.+)$`)
	asserting = lazyre.New(`(?i)^(assert|require|expect|check|verify|must|want|should|compare|diff|ensure|equal|fail)`)
)

// fails are the methods of testing.T that make a test fail.
var fails = map[string]bool{"Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Fail": true, "FailNow": true}

// Testing is the name of the parameter that is a testing.T or its like.
func Testing(ft *ast.FuncType) string {
	if ft.Params == nil {
		return ""
	}
	for _, f := range ft.Params.List {
		typ := f.Type
		if p, ok := typ.(*ast.StarExpr); ok {
			typ = p.X
		}
		if sel, ok := typ.(*ast.SelectorExpr); ok && Is(sel.X, "testing") && len(f.Names) > 0 {
			return f.Names[0].Name
		}
	}
	return ""
}

// Exits tells whether a body ends the program.
func Exits(body ast.Node) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && (Is(sel.X, "os") || Is(sel.X, "syscall")) && sel.Sel.Name == "Exit" {
			found = true
		}
		return !found
	})
	return found
}

// Runs tells whether a TestMain runs the tests and ends with their result: it calls m.Run, and
// every exit has a code that is not written down as 0.
func Runs(body *ast.BlockStmt, m string) bool {
	runs, zero := false, false
	ast.Inspect(Reached(body), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			runs = runs || Is(n.X, m) && n.Sel.Name == "Run"
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && Is(sel.X, "os") && sel.Sel.Name == "Exit" && len(n.Args) == 1 {
				lit, ok := n.Args[0].(*ast.BasicLit)
				zero = zero || ok && lit.Value == "0"
			}
			for _, a := range n.Args {
				runs = runs || Is(a, m)
			}
		}
		return true
	})
	return runs && !zero
}

// Param is the name of a test's parameter: t, mostly.
func Param(ft *ast.FuncType) string {
	if ft.Params == nil || len(ft.Params.List) == 0 || len(ft.Params.List[0].Names) == 0 {
		return ""
	}
	return ft.Params.List[0].Names[0].Name
}

// Returns finds a test that returns before it has done its work: a return among
// its own statements that is not the last.
func Returns(body *ast.BlockStmt) Skip {
	out := Always
	for i, st := range body.List[:max(0, len(body.List)-1)] {
		switch st := st.(type) {
		case *ast.ReturnStmt:
			return Never
		case *ast.IfStmt:
			if n := len(st.Body.List); st.Else == nil && n > 0 && n < 3 && i < len(body.List)-1 {
				if _, ok := st.Body.List[n-1].(*ast.ReturnStmt); ok && (n == 1 || says(st.Body.List[0])) {
					out = Sometimes
				}
			}
		}
	}
	return out
}

// says tells whether a statement only says something.
func says(st ast.Stmt) bool {
	x, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (strings.HasPrefix(sel.Sel.Name, "Log") || strings.HasPrefix(sel.Sel.Name, "Print"))
}

// Dead tells whether a statement stands under a condition that is written down as false.
func Dead(n ast.Node) bool {
	st, ok := n.(*ast.IfStmt)
	return ok && Is(st.Cond, "false")
}

// Skips tells whether an expression is t.Skip and its kin.
func Skips(e ast.Expr, t string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && Is(sel.X, t) && (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow")
}

func Is(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && name != "" && id.Name == name
}

// Asserts tells whether a call can make the test fail: a method of t, a call
// that is given t, or one with an asserting name.
func Asserts(call *ast.CallExpr, t string) bool {
	name := ""
	switch fn := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = fn.Sel.Name
		if Is(fn.X, t) {
			return fails[name]
		}
		if x, ok := fn.X.(*ast.Ident); ok && asserting.MatchString(x.Name) {
			return true
		}
	case *ast.Ident:
		name = fn.Name
	}
	for _, a := range call.Args {
		if Is(a, t) {
			return true
		}
	}
	return name != "" && asserting.MatchString(name)
}

// Excluded tells what a build constraint does to a file: the constraint ignore
// is never built, any other sometimes.
func Excluded(f *ast.File, src string) Skip {
	head := src[:min(len(src), int(f.Package-f.FileStart))]
	m := buildTag.FindStringSubmatch(head)
	switch {
	case m == nil:
		return Always
	case strings.TrimSpace(m[1]) == "ignore":
		return Never
	}
	return Sometimes
}

// Reached is a body up to the first return among its own statements: what stands behind never runs.
func Reached(body *ast.BlockStmt) *ast.BlockStmt {
	for i, st := range body.List {
		if _, ok := st.(*ast.ReturnStmt); ok && i+1 < len(body.List) {
			return &ast.BlockStmt{Lbrace: body.Lbrace, List: body.List[:i+1], Rbrace: st.End() - 1}
		}
	}
	return body
}

// LoadExits tells whether a file of Go ends the program with success when it is loaded: in init, or where
// a variable of the package gets its value, by itself or through a function of the file. Source may, unless
// it asks whether tests run.
func LoadExits(src string, tests bool) bool {
	masked, _ := detect.GoSyntax.Mask(src)
	if !strings.Contains(masked, "Exit") || !tests && !strings.Contains(masked, "testing.Testing") && !strings.Contains(src, `"test.v"`) && !strings.Contains(src, `".test"`) {
		return false
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	leaving := map[string]bool{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil && Exits(fn.Body) {
			leaving[fn.Name.Name] = true
		}
	}
	if leaving["init"] {
		return true
	}
	found := false
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			ast.Inspect(g, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					id, ok := n.Fun.(*ast.Ident)
					found = found || ok && leaving[id.Name]
				case *ast.SelectorExpr:
					found = found || (Is(n.X, "os") || Is(n.X, "syscall")) && n.Sel.Name == "Exit"
				}
				return !found
			})
		}
	}
	return found
}

// InSuite tells whether a method is a test of a suite, as testify and gocheck have them.
func InSuite(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) != 1 || fn.Body == nil || !strings.HasPrefix(fn.Name.Name, "Test") || fn.Type.Results != nil && len(fn.Type.Results.List) > 0 {
		return false
	}
	params := fn.Type.Params.List
	if len(params) == 0 {
		return true
	}
	return len(params) == 1 && len(params[0].Names) == 1 && TypeName(params[0].Type) == "C"
}

// TypeName is the last word of a type.
func TypeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return TypeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// SkipsBy tells whether a body calls a function by which a test skips: among its own statements always.
func SkipsBy(body *ast.BlockStmt, name string) Skip {
	out := Always
	for _, st := range body.List {
		x, _ := st.(*ast.ExprStmt)
		ast.Inspect(st, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			word := TypeName(call.Fun)
			if _, plain := call.Fun.(*ast.Ident); plain != (name != "") || word != "Skip" && word != "Skipf" && word != "SkipNow" {
				return true
			}
			out = max(out, Sometimes)
			if x != nil && x.X == call {
				out = Never
			}
			return true
		})
	}
	return out
}
