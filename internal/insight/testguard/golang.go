package testguard

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

var (
	goTestName = lazyre.New(`^(Test|Fuzz|Example)([^a-z]|$)`)
	goFuncLine = lazyre.New(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
)

// hiddenImport is an import whose package runs, or whose names are there, without being named.
var hiddenImport = lazyre.New(`^(?:import )?[_.] "`)

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
	whole := review.Excluded(f, src)
	for _, d := range f.Decls {
		g.ginkgo(d)
		fn, ok := d.(*ast.FuncDecl)
		if ok && review.InSuite(fn) {
			g.add(review.TypeName(fn.Recv.List[0].Type)+"."+fn.Name.Name, fn.Pos(), fn.Body, g.suite(fn))
			continue
		}
		if !ok || fn.Recv != nil || fn.Body == nil || !goTestName.MatchString(fn.Name.Name) {
			g.help(&rest, d)
			continue
		}
		if fn.Name.Name == "TestMain" && review.Param(fn.Type) != "" {
			if !review.Runs(fn.Body, review.Param(fn.Type)) {
				whole, rest.stops = never, true
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

// suite scans a method of a suite: it skips by s.T().Skip(), s.Skip() or c.Skip().
func (g *goFile) suite(fn *ast.FuncDecl) goScan {
	s := goScanned(fn.Type, fn.Body)
	s.skip = max(s.skip, review.SkipsBy(fn.Body, ""))
	return s
}

var goNode = lazyre.New(`^([PXF]?)(It|Specify|Entry|DescribeTable)$`)
var goContainer = lazyre.New(`^([PXF]?)(Describe|Context|When|DescribeTableSubtree)$`)

// ginkgo adds the nodes of Ginkgo that a declaration holds: var _ = Describe("…", func() { It("…", …) }).
func (g *goFile) ginkgo(d ast.Decl) {
	if v, ok := d.(*ast.GenDecl); ok && v.Tok == token.VAR {
		ast.Inspect(v, g.nodes("", runs, false))
	}
}

// nodes visits what stands in a container.
func (g *goFile) nodes(within string, skips skip, focused bool) func(ast.Node) bool {
	return func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		word := review.TypeName(call.Fun)
		node, container := goNode.FindStringSubmatch(word), goContainer.FindStringSubmatch(word)
		lit, named := call.Args[0].(*ast.BasicLit)
		if node == nil && container == nil || !named {
			return true
		}
		name := strings.Trim(within+" > "+strings.Trim(lit.Value, "`\""), " >")
		own, alone := skips, focused
		for _, m := range [][]string{node, container} {
			if m != nil && (m[1] == "P" || m[1] == "X") {
				own = never
			}
			alone = alone || m != nil && m[1] == "F"
		}
		for _, a := range call.Args {
			own, alone = max(own, map[bool]skip{review.Is(a, "Pending"): never}[true]), alone || review.Is(a, "Focus")
		}
		for _, a := range call.Args[1:] {
			fn, ok := a.(*ast.FuncLit)
			if !ok {
				continue
			}
			if container != nil {
				ast.Inspect(fn.Body, g.nodes(name, own, alone))
				continue
			}
			s := goScanned(fn.Type, fn.Body)
			s.skip = max(s.skip, own, review.SkipsBy(fn.Body, "Skip"))
			g.add(name, call.Pos(), fn.Body, s)
			g.tests[len(g.tests)-1].focused = alone
			return false
		}
		if node != nil && node[2] == "Entry" || node != nil && own == never { // a row, or one without a body
			g.tests = append(g.tests, test{name: name, line: g.fset.Position(call.Pos()).Line, skip: own, focused: alone, body: detect.CodeLines(g.text(call, 0)), asserts: 1})
		}
		return container == nil
	}
}

// help adds a declaration that is no test to the rest of the file.
func (g *goFile) help(rest *test, d ast.Decl) {
	lines := detect.CodeLines(g.text(d, 0))
	rest.body = append(rest.body, lines...)
	if imports, ok := d.(*ast.GenDecl); ok && imports.Tok == token.IMPORT {
		lines = slices.DeleteFunc(lines, func(l string) bool { return !hiddenImport.MatchString(l) })
	}
	rest.outside = append(rest.outside, lines...)
	t, owner := "t", ""
	if fn, ok := d.(*ast.FuncDecl); ok {
		owner = fn.Name.Name
		rest.helpers[owner] = true
		t = cmp.Or(review.Testing(fn.Type), t)
		if owner == "init" && fn.Body != nil && review.Exits(fn.Body) {
			rest.skip = never
		}
	}
	dead := token.NoPos
	if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
		dead = review.Reached(fn.Body).End()
	}
	for _, c := range g.claims(d, t) {
		if dead.IsValid() && c.line > g.fset.Position(dead).Line {
			continue // behind a return
		}
		c.owner = owner
		if v, ok := d.(*ast.GenDecl); ok && v.Tok == token.VAR && len(v.Specs) == 1 && c.row {
			c.owner = v.Specs[0].(*ast.ValueSpec).Names[0].Name
			rest.helpers[c.owner] = true
		}
		rest.claims = append(rest.claims, c)
	}
}

func goBroken(src string) []test {
	var tests []test
	lines := detect.LineCounter{Src: src}
	for _, m := range goFuncLine.FindAllStringSubmatchIndex(src, -1) {
		// The body cannot be told, so nothing is said about it: one assertion.
		tests = append(tests, test{name: src[m[2]:m[3]], line: lines.At(m[0]), asserts: 1, unknown: true})
	}
	tests = append(tests, test{rest: true, line: 1, unknown: true})
	return tests
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
		claims: g.claims(body, s.t), aside: g.comments(body),
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

// comments are the words of the comments in a node.
func (g *goFile) comments(n ast.Node) string {
	from, to := g.fset.Position(n.Pos()).Offset, g.fset.Position(n.End()).Offset
	if from < 0 || from > to || to > len(g.bare) {
		return ""
	}
	return detect.Commented(g.src[from:to], g.bare[from:to])
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
	s := goScan{t: review.Param(ft), skip: review.Returns(body)}
	s.block(body)
	return s
}

// block looks at each statement of the test itself: a skip there is for always,
// one deeper down is for some cases.
func (s *goScan) block(body *ast.BlockStmt) {
	for _, st := range body.List {
		if x, ok := st.(*ast.ExprStmt); ok && review.Skips(x.X, s.t) {
			s.skip = never
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !review.Dead(n)
		}
		if sub, ok := goSubtest(call, s.t); ok {
			sub.scan = goScanned(sub.lit.Type, sub.lit.Body)
			s.asserts += sub.scan.asserts
			s.subs = append(s.subs, sub)
			return false
		}
		if review.Skips(call, s.t) {
			s.skip = max(s.skip, sometimes)
		}
		if review.Asserts(call, s.t) {
			s.asserts++
		}
		return true
	})
}

// goSubtest gives t.Run("name", func…).
func goSubtest(call *ast.CallExpr, t string) (goSub, bool) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !review.Is(sel.X, t) || sel.Sel.Name != "Run" || len(call.Args) != 2 {
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
