package execute

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/run"
	"kedge/internal/git/slot"
)

// verdicts are the green results of checks, by the tree, the command and the environment
// in which they ran: the same command on the same tree runs once in a run, whoever
// asks. Red ones are not kept: whoever meets one looks again, so that a check which is
// red once and then green is found out. They are forgotten when the daemon ends.
type verdicts struct {
	mu    sync.Mutex
	green map[string]kedge.CheckResult
}

// mostVerdicts bounds what is kept; when it is reached, it begins again.
const mostVerdicts = 5_000

// cleanSlot is the slot of the clean worktree.
const cleanSlot = "clean"

// reuse is what one gate takes from the verdicts and adds to them.
type reuse struct {
	all   *verdicts
	c     run.Command
	env   string
	from  kedge.EvidenceID
	keeps string                   // where its results count
	reads []string                 // whose it may reuse
	bare  func(tree string) string // without what is Kedge's: the ledger moves on, and no check is about it
	new   map[string]kedge.CheckResult
}

// reuse is that of a gate of the command in a slot.
func (x *Executor) reuse(ctx context.Context, c run.Command, place, env string, from kedge.EvidenceID) *reuse {
	u := &reuse{all: &x.seen, c: c, env: env, from: from, new: map[string]kedge.CheckResult{}}
	u.keeps, u.reads = reach(c, place)
	was, is := "", ""
	u.bare = func(tree string) string {
		if tree != was {
			bare, err := x.cfg.Repo.TreeWithout(ctx, tree, slot.Kedges...)
			if err != nil {
				bare = tree // nothing but this very tree is the same then
			}
			was, is = tree, bare
		}
		return is
	}
	return u
}

func (u *reuse) name(place, tree string, c kedge.Check, line string) string {
	return strings.Join([]string{string(u.c.Run), u.env, place, u.bare(tree), line, essence(c)}, "\x00")
}

// known is the green result of a check on a tree, of this gate or an earlier one. A
// verdict that is asked for because others contradict each other takes none of those.
func (u *reuse) known(tree string, c kedge.Check, line string) (kedge.CheckResult, bool) {
	if r, ok := u.new[u.name(u.keeps, tree, c, line)]; ok {
		return r, true
	}
	u.all.mu.Lock()
	defer u.all.mu.Unlock()
	for _, place := range u.reads {
		if r, ok := u.all.green[u.name(place, tree, c, line)]; ok && !u.c.Flaky {
			return r, true
		}
	}
	return kedge.CheckResult{}, false
}

func (u *reuse) learn(tree string, c kedge.Check, line string, r kedge.CheckResult) {
	r.Reused = string(u.from)
	u.new[u.name(u.keeps, tree, c, line)] = r
}

// keep lets others reuse the results of a gate that has its verdict: until then the tree
// may have changed under it.
func (u *reuse) keep() {
	u.all.mu.Lock()
	defer u.all.mu.Unlock()
	if u.all.green == nil || len(u.all.green) >= mostVerdicts {
		u.all.green = map[string]kedge.CheckResult{}
	}
	maps.Copy(u.all.green, u.new)
}

// reach says where the results of a gate count, and whose it may reuse. In the clean
// worktree no agent ever wrote: its results count everywhere, and it reuses none but its
// own. Before the work a slot has what the base has. After it, what git ignores may
// differ: such results count for the job alone.
func reach(c run.Command, place string) (keeps string, reads []string) {
	const fresh = "fresh"
	switch {
	case place == cleanSlot:
		return cleanSlot, []string{cleanSlot}
	case c.Kind == run.Prove || c.Tree != "":
		return fresh, []string{cleanSlot, fresh}
	default:
		own := "job-" + strconv.Itoa(c.Job)
		return own, []string{own, cleanSlot, fresh}
	}
}

// essence is what decides the result of a check beside its command.
func essence(c kedge.Check) string {
	same := kedge.Check{Kind: check.KindOf(c).Name, HTTP: c.HTTP, TCP: c.TCP, Evidence: c.Evidence}
	text, _ := json.Marshal(same) // it came from JSON or TOML
	return string(text)
}
