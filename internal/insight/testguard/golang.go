package testguard

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	goTestName = lazyre.New(`^(Test|Fuzz|Example)([^a-z]|$)`)
	goFuncLine = lazyre.New(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	goBuildTag = lazyre.New(`(?m)^//go:build (.+)$`)
	asserting  = lazyre.New(`(?i)^(assert|require|expect|check|verify|must|want|should|compare|diff|ensure|equal|fail)`)
)

// goFails are the methods of testing.T that make a test fail.
var goFails = map[string]bool{"Error": true, "Errorf": true, "Fatal": true, "Fatalf": true, "Fail": true, "FailNow": true}

// goTests reads a Go file. One that does not parse still shows its functions, so
// that a broken file does not look like one without tests.
func goTests(src string) []test {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || f == nil {
		return goBroken(src)
	}
	g := goFile{fset: fset, src: src}
	_, g.bare = detect.GoSyntax.Mask(src)
	rest := test{rest: true, line: 1, helpers: map[string]bool{}}
	whole := goExcluded(f, src)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Body == nil || !goTestName.MatchString(fn.Name.Name) {
			g.help(&rest, d)
			continue
		}
		if fn.Name.Name == "TestMain" && goParam(fn.Type) != "" {
			if !goRuns(fn.Body, goParam(fn.Type)) {
				whole = never
			}
			g.help(&rest, d)
			continue
		}
		g.add(fn.Name.Name, fn.Pos(), fn.Body, goScanned(fn.Type, fn.Body))
	}
	for i := range g.tests {
		if !strings.Contains(g.tests[i].name, "/") {
			g.tests[i].skip = max(g.tests[i].skip, whole)
		}
	}
	return append(g.tests, rest)
}

// help adds a declaration that is no test to the rest of the file.
func (g *goFile) help(rest *test, d ast.Decl) {
	rest.body = append(rest.body, detect.CodeLines(g.text(d, 0))...)
	t, owner := "t", ""
	if fn, ok := d.(*ast.FuncDecl); ok {
		owner = fn.Name.Name
		rest.helpers[owner] = true
		t = cmp.Or(goTesting(fn.Type), t)
		if owner == "init" && fn.Body != nil && goExits(fn.Body) {
			rest.skip = never
		}
	}
	for _, c := range g.claims(d, t) {
		c.owner = owner
		rest.claims = append(rest.claims, c)
	}
}

// goTesting is the name of the parameter that is a testing.T or its like.
func goTesting(ft *ast.FuncType) string {
	if ft.Params == nil {
		return ""
	}
	for _, f := range ft.Params.List {
		typ := f.Type
		if p, ok := typ.(*ast.StarExpr); ok {
			typ = p.X
		}
		if sel, ok := typ.(*ast.SelectorExpr); ok && goIs(sel.X, "testing") && len(f.Names) > 0 {
			return f.Names[0].Name
		}
	}
	return ""
}

// goExits tells whether a body ends the program.
func goExits(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && (goIs(sel.X, "os") || goIs(sel.X, "syscall")) && sel.Sel.Name == "Exit" {
			found = true
		}
		return !found
	})
	return found
}

// goRuns tells whether a TestMain runs the tests and ends with their result: it calls m.Run, and
// every exit has a code that is not written down as 0.
func goRuns(body *ast.BlockStmt, m string) bool {
	runs, zero := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			runs = runs || goIs(n.X, m) && n.Sel.Name == "Run"
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && goIs(sel.X, "os") && sel.Sel.Name == "Exit" && len(n.Args) == 1 {
				lit, ok := n.Args[0].(*ast.BasicLit)
				zero = zero || ok && lit.Value == "0"
			}
			for _, a := range n.Args {
				runs = runs || goIs(a, m)
			}
		}
		return true
	})
	return runs && !zero
}

func goBroken(src string) []test {
	var tests []test
	lines := lineCounter{src: src}
	for _, m := range goFuncLine.FindAllStringSubmatchIndex(src, -1) {
		// The body cannot be told, so nothing is said about it: one assertion.
		tests = append(tests, test{name: src[m[2]:m[3]], line: lines.at(m[0]), asserts: 1, unknown: true})
	}
	tests = append(tests, test{rest: true, line: 1, unknown: true})
	return tests
}

// goExcluded tells what a build constraint does to a file: the constraint ignore
// is never built, any other sometimes.
func goExcluded(f *ast.File, src string) skip {
	head := src[:min(len(src), int(f.Package-f.FileStart))]
	m := goBuildTag.FindStringSubmatch(head)
	switch {
	case m == nil:
		return runs
	case strings.TrimSpace(m[1]) == "ignore":
		return never
	}
	return sometimes
}

// goParam is the name of a test's parameter: t, mostly.
func goParam(ft *ast.FuncType) string {
	if ft.Params == nil || len(ft.Params.List) == 0 || len(ft.Params.List[0].Names) == 0 {
		return ""
	}
	return ft.Params.List[0].Names[0].Name
}

type goFile struct {
	fset  *token.FileSet
	src   string
	bare  string // without comments
	tests []test
}

// add records a test and the subtests in it that have a name of their own. What
// a subtest does counts for the test that runs it as well.
func (g *goFile) add(name string, pos token.Pos, body *ast.BlockStmt, s goScan) {
	asserts := s.asserts
	if strings.HasPrefix(name, "Example") {
		asserts++ // its output is compared
	}
	g.tests = append(g.tests, test{
		name: name, line: g.fset.Position(pos).Line, skip: s.skip, asserts: asserts, body: detect.CodeLines(g.text(body, 1)),
		claims: g.claims(body, s.t),
	})
	for _, sub := range s.subs {
		g.add(name+"/"+sub.name, sub.lit.Pos(), sub.lit.Body, sub.scan)
	}
}

// text is a node's source without comments, and without a margin at both ends.
func (g *goFile) text(n ast.Node, margin int) string {
	from, to := g.fset.Position(n.Pos()).Offset+margin, g.fset.Position(n.End()).Offset-margin
	if from < 0 || from > to || to > len(g.bare) {
		return ""
	}
	return g.bare[from:to]
}

// goReturns finds a test that returns before it has done its work: a return among
// its own statements that is not the last.
func goReturns(body *ast.BlockStmt) skip {
	for i, st := range body.List {
		if _, ok := st.(*ast.ReturnStmt); ok && i < len(body.List)-1 {
			return never
		}
	}
	return runs
}

// goScan walks one test's body.
type goScan struct {
	t       string
	skip    skip
	asserts int
	subs    []goSub
}

type goSub struct {
	name string
	lit  *ast.FuncLit
	scan goScan
}

func goScanned(ft *ast.FuncType, body *ast.BlockStmt) goScan {
	s := goScan{t: goParam(ft), skip: goReturns(body)}
	s.block(body)
	return s
}

// block looks at each statement of the test itself: a skip there is for always,
// one deeper down is for some cases.
func (s *goScan) block(body *ast.BlockStmt) {
	for _, st := range body.List {
		if x, ok := st.(*ast.ExprStmt); ok && goSkips(x.X, s.t) {
			s.skip = never
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sub, ok := goSubtest(call, s.t); ok {
			sub.scan = goScanned(sub.lit.Type, sub.lit.Body)
			s.asserts += sub.scan.asserts
			s.subs = append(s.subs, sub)
			return false
		}
		if goSkips(call, s.t) {
			s.skip = max(s.skip, sometimes)
		}
		if goAsserts(call, s.t) {
			s.asserts++
		}
		return true
	})
}

// goSkips tells whether an expression is t.Skip and its kin.
func goSkips(e ast.Expr, t string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && goIs(sel.X, t) && (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow")
}

func goIs(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && name != "" && id.Name == name
}

// goSubtest gives t.Run("name", func…).
func goSubtest(call *ast.CallExpr, t string) (goSub, bool) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !goIs(sel.X, t) || sel.Sel.Name != "Run" || len(call.Args) != 2 {
		return goSub{}, false
	}
	name, ok1 := call.Args[0].(*ast.BasicLit)
	lit, ok2 := call.Args[1].(*ast.FuncLit)
	if !ok1 || !ok2 {
		return goSub{}, false
	}
	s, err := strconv.Unquote(name.Value)
	return goSub{name: s, lit: lit}, err == nil
}

// goAsserts tells whether a call can make the test fail: a method of t, a call
// that is given t, or one with an asserting name.
func goAsserts(call *ast.CallExpr, t string) bool {
	name := ""
	switch fn := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = fn.Sel.Name
		if goIs(fn.X, t) {
			return goFails[name]
		}
		if x, ok := fn.X.(*ast.Ident); ok && asserting.MatchString(x.Name) {
			return true
		}
	case *ast.Ident:
		name = fn.Name
	}
	for _, a := range call.Args {
		if goIs(a, t) {
			return true
		}
	}
	return name != "" && asserting.MatchString(name)
}
