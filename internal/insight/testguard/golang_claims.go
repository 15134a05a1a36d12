package testguard

import (
	"go/ast"
	"go/token"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/core/review"
	"kedge/internal/text/lazyre"
)

// goClaims walks a body and collects what can make a test fail. Subtests that have a name of
// their own are left to themselves.
type goClaims struct {
	g     *goFile
	t     string
	stack []ast.Node
	told  map[ast.Node]bool
	out   []claim
	table int
}

func (g *goFile) claims(body ast.Node, t string) []claim {
	c := goClaims{g: g, t: t, told: map[ast.Node]bool{}}
	ast.Inspect(body, c.visit)
	return c.out
}

func (c *goClaims) visit(n ast.Node) bool {
	if n == nil {
		c.stack = c.stack[:len(c.stack)-1]
		return true
	}
	deeper := !review.Dead(n)
	switch n := n.(type) {
	case *ast.CallExpr:
		if _, ok := goSubtest(n, c.t); ok {
			return false
		}
		if review.Asserts(n, c.t) {
			c.assertion(n)
			deeper = goTakesFunc(n)
		}
	case *ast.CompositeLit:
		deeper = !c.rows(n)
	}
	if deeper {
		c.stack = append(c.stack, n)
	}
	return deeper
}

// goTakesFunc tells whether a call has a body of code inside, which may assert more.
func goTakesFunc(call *ast.CallExpr) bool {
	for _, a := range call.Args {
		if _, ok := a.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// assertion records a call: by the condition it stands under, which says more than its message
// does, or by itself.
func (c *goClaims) assertion(call *ast.CallExpr) {
	for i := len(c.stack) - 1; i >= 0; i-- {
		switch n := c.stack[i].(type) {
		case *ast.FuncLit:
			i = 0
		case *ast.IfStmt:
			if goIsMethod(call, c.t) {
				if !c.told[n] {
					c.told[n] = true
					c.add(n.Pos(), n.Body.Lbrace, false)
				}
				return
			}
		}
	}
	c.add(call.Pos(), call.End(), false)
	if n := len(c.stack); n > 1 && !goIsMethod(call, c.t) && !asserting.MatchString(review.TypeName(call.Fun)) {
		_, plain := c.stack[n-2].(*ast.BlockStmt)
		if a, ok := c.stack[n-1].(*ast.AssignStmt); ok && plain && len(a.Rhs) == 1 && a.Rhs[0] == call {
			c.out[len(c.out)-1].aside = true // it gives what is asserted about, and is given t only to fail
		}
	}
}

var asserting = lazyre.New(`(?i)^(?:assert|require|expect|check|verify|want|should|compare|diff|ensure|equal)`)

// goIsMethod tells whether a call is one of t's own methods.
func goIsMethod(call *ast.CallExpr, t string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && review.Is(sel.X, t)
}

func (c *goClaims) add(from, to token.Pos, row bool) {
	a, b := c.g.fset.Position(from).Offset, c.g.fset.Position(to).Offset
	if a < 0 || a > b || b > len(c.g.bare) {
		return
	}
	cl := claim{Asks: detect.Tokens(c.g.bare[a:b]), row: row, table: c.table, line: c.g.fset.Position(from).Line}
	cl.aside = !row && (sideways.MatchString(cl.Text()) || builders.MatchString(cl.Text()))
	c.out = append(c.out, cl)
}

// builders are helpers that are given t only to fail when they cannot make what they give.
var builders = lazyre.New(`^(?:\w+ \. )?(?i:new|build|make|create|setup|set|get|start|open|temp|load|read|write|mk|init|with|fake|mock|stub|run|prepare|parse|must|remove|clean|close|tear|reset|stop)\w* \(`)

// rows records the elements of a table: a list of lists or structs, a map, or a list that a loop goes
// through.
func (c *goClaims) rows(lit *ast.CompositeLit) bool {
	_, isMap := lit.Type.(*ast.MapType)
	_, isList := lit.Type.(*ast.ArrayType)
	if !isMap && !isList || len(lit.Elts) == 0 {
		return false
	}
	if n := len(c.stack); n > 0 && isList {
		r, ok := c.stack[n-1].(*ast.RangeStmt)
		isMap = ok && r.X == lit || len(lit.Elts) > 2 && c.ranged(c.stack[n-1])
	}
	found := false
	c.table++
	for _, e := range lit.Elts {
		if isMap || goComposite(e) {
			c.add(e.Pos(), e.End(), true)
			found = true
		}
	}
	return found
}

// ranged tells whether a statement gives a list a name that a loop goes through.
func (c *goClaims) ranged(n ast.Node) bool {
	var name ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		name = n.Lhs[0]
	case *ast.ValueSpec:
		name = n.Names[0]
	}
	id, ok := name.(*ast.Ident)
	return ok && strings.Contains(c.g.bare, " range "+id.Name+" {")
}

// goComposite tells whether an element is a list or a struct itself.
func goComposite(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		return goComposite(e.X)
	case *ast.KeyValueExpr:
		return goComposite(e.Value)
	}
	return false
}
