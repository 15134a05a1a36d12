package sim

import (
	"strconv"

	"kedge"
	"kedge/internal/core/run"
)

// tree is what a working tree holds, as far as a gate can tell.
type tree struct {
	done    uint8 // features that are really there, one bit each
	broken  bool  // the project's own checks are red
	weak    bool  // tests were weakened: green, and wrong
	outside bool  // paths that the plan does not name
	junk    int   // anything else
}

type commit struct {
	tree   int
	parent int
	job    int // that made it; 0: none
	ledger bool
}

// repository is the model of git: trees by number, commits by number, one
// worktree for each job, and what was set aside.
type repository struct {
	trees    []tree
	commits  []commit
	tip      int
	worktree []*checkout // by job
	salvaged []int
	lost     int
}

type checkout struct {
	tree int
	base int // commit
}

func (r *repository) tree(t tree) int {
	for i, have := range r.trees {
		if have == t {
			return i
		}
	}
	r.trees = append(r.trees, t)
	return len(r.trees) - 1
}

func (r *repository) commit(c commit) int {
	r.commits = append(r.commits, c)
	return len(r.commits) - 1
}

func treeName(i int) string   { return "t" + strconv.Itoa(i) }
func commitName(i int) string { return "c" + strconv.Itoa(i) }

// number is the place that a name of ours stands for; -1: none of ours.
func number(name string) int {
	if name == "" {
		return -1
	}
	n, err := strconv.Atoi(name[1:])
	if err != nil {
		return -1
	}
	return n
}

func (r *repository) checkout(job int) *checkout {
	for len(r.worktree) <= job {
		r.worktree = append(r.worktree, nil)
	}
	if r.worktree[job] == nil {
		r.worktree[job] = &checkout{tree: r.commits[r.tip].tree, base: r.tip}
	}
	return r.worktree[job]
}

// reset puts a worktree at a commit. What was changed in it is set aside under
// the name; without a name it is lost.
func (r *repository) reset(job, to int, salvage string) {
	w := r.checkout(job)
	if w.tree != r.commits[w.base].tree {
		if salvage == "" {
			r.lost++
		}
		r.salvaged = append(r.salvaged, w.tree)
	}
	w.tree, w.base = r.commits[to].tree, to
}

// merge puts a job's work onto a commit: what it added, and what it took away.
func (r *repository) merge(job, base, work int) int {
	from := r.trees[r.commits[r.checkout(job).base].tree]
	b, w := r.trees[r.commits[base].tree], r.trees[work]
	w.done = (w.done | b.done) &^ (from.done &^ w.done)
	w.broken = w.broken || b.broken
	return r.tree(w)
}

// without takes the work on a feature out of a commit.
func (r *repository) without(base int, bit uint8) int {
	b := r.trees[r.commits[base].tree]
	b.done &^= bit
	b.junk++
	return r.tree(b)
}

// feature is what a definition is, to the model.
type feature struct {
	id     kedge.FeatureID
	bit    uint8
	checks checks
}

type checks int

const (
	plainChecks checks = iota
	noChecks
	brokenChecks
)

// green is the truth about a tree: the project's checks, and those of the
// feature if there is one.
func (w *world) green(t int, f *feature) bool {
	x := w.repo.trees[t]
	if x.broken {
		return false
	}
	return f == nil || f.checks != plainChecks || x.done&f.bit != 0
}

func (w *world) featureOf(id kedge.FeatureID) *feature {
	for i := range w.specs {
		if w.specs[i].id == id {
			return &w.specs[i]
		}
	}
	return nil
}

// verdict is what the gate says: the truth, but for a flaky check now and then,
// which is red without a cause.
func (w *world) verdict(ev *run.Input, t int, f *feature) {
	ev.Tree, ev.Environment = treeName(t), "e"
	switch {
	case !w.green(t, f):
		ev.Outcome, ev.Failure = run.Red, "a test is red"
	case w.trip(4):
		ev.Outcome, ev.Failure = run.Red, "a test is flaky"
	case w.trip(2):
		ev.Outcome = run.Partial
	case w.trip(2):
		ev.Outcome = run.Void
	case w.trip(1):
		ev.Outcome = run.Empty
	default:
		ev.Outcome = run.Green
	}
}

// trip is a fault that happens with the chance, while faults are left.
func (w *world) trip(percent int) bool {
	if w.faults == 0 || !w.chance(percent) {
		return false
	}
	w.faults--
	return true
}
