package gate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/core/check"
)

// Verdicts are the green results of checks, by the tree, the command and the environment
// in which they ran, so that the same command on the same tree runs once, whoever asks.
// Red ones are not kept: whoever meets one looks again, so that a check which is red once
// and then green is found out. The exception is a red command of a plan that is not due:
// that the same tree is red as the tip of the next work is no news. The zero value is
// ready for use.
type Verdicts struct {
	mu    sync.Mutex
	green map[string]kedge.CheckResult
	red   map[string]bool
	ran   map[string]int // how many tests a command ran, by the tree
}

// mostVerdicts bounds what is kept; when it is reached, it begins again.
const mostVerdicts = 5_000

// Reuse is what one gate takes from the verdicts and adds to them.
type Reuse struct {
	All   *Verdicts
	Of    string // who may share results at all: a run and its environment
	From  kedge.EvidenceID
	Keeps string                   // where its results count
	Reads []string                 // where it takes results from; none: it takes its own alone
	Bare  func(tree string) string // what of a tree checks are about
	own   map[string]kedge.CheckResult
}

func (u *Reuse) name(place, tree string, c kedge.Check, line string) string {
	return strings.Join([]string{u.Of, place, u.Bare(tree), line, essence(c)}, "\x00")
}

// Known is the green result of a check on a tree, of this gate or an earlier one.
func (u *Reuse) Known(tree string, c kedge.Check, line string) (kedge.CheckResult, bool) {
	if r, ok := u.own[u.name(u.Keeps, tree, c, line)]; ok {
		return r, true
	}
	u.All.mu.Lock()
	defer u.All.mu.Unlock()
	for _, place := range u.Reads {
		if r, ok := u.All.green[u.name(place, tree, c, line)]; ok {
			return r, true
		}
	}
	return kedge.CheckResult{}, false
}

// Learn takes in a green result.
func (u *Reuse) Learn(tree string, c kedge.Check, line string, r kedge.CheckResult) {
	if u.own == nil {
		u.own = map[string]kedge.CheckResult{}
	}
	r.Reused = string(u.From)
	u.own[u.name(u.Keeps, tree, c, line)] = r
	if r.Tests == nil {
		return
	}
	u.All.mu.Lock()
	defer u.All.mu.Unlock()
	if u.All.ran == nil || len(u.All.ran) >= mostVerdicts {
		u.All.ran = map[string]int{}
	}
	u.All.ran[u.Bare(tree)+"\x00"+line] = *r.Tests
}

// Ran is how many tests a check ran on a tree, if an earlier gate found that out.
func (u *Reuse) Ran(tree, line string) (n int, known bool) {
	u.All.mu.Lock()
	defer u.All.mu.Unlock()
	n, known = u.All.ran[u.Bare(tree)+"\x00"+line]
	return n, known
}

// Keep lets others reuse the results of a gate that has its verdict: until then the tree
// may have changed under it.
func (u *Reuse) Keep() {
	u.All.mu.Lock()
	defer u.All.mu.Unlock()
	if u.All.green == nil || len(u.All.green) >= mostVerdicts {
		u.All.green = map[string]kedge.CheckResult{}
	}
	maps.Copy(u.All.green, u.own)
}

// LearnRed takes in that a check is red on a tree, and need not be green there yet.
func (u *Reuse) LearnRed(tree string, c kedge.Check, line string) {
	name := u.name(u.Keeps, tree, c, line)
	u.All.mu.Lock()
	defer u.All.mu.Unlock()
	if u.All.red == nil || len(u.All.red) >= mostVerdicts {
		u.All.red = map[string]bool{}
	}
	u.All.red[name] = true
}

// KnownRed tells whether an earlier gate found a check red on a tree.
func (u *Reuse) KnownRed(tree string, c kedge.Check, line string) bool {
	u.All.mu.Lock()
	defer u.All.mu.Unlock()
	return slices.ContainsFunc(u.Reads, func(place string) bool { return u.All.red[u.name(place, tree, c, line)] })
}

// essence is what decides the result of a check beside its command.
func essence(c kedge.Check) string {
	same := kedge.Check{Kind: check.KindOf(c).Name, HTTP: c.HTTP, TCP: c.TCP, Evidence: c.Evidence}
	text, _ := json.Marshal(same) // it came from JSON or TOML
	return string(text)
}
