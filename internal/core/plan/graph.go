package plan

import (
	"cmp"
	"container/heap"
	"fmt"
	"strconv"
	"strings"

	"kedge"
)

// graph is a feature list with its dependencies as positions. Where an id is
// taken twice the first one counts. Everything here walks without recursion: a
// list of any length cannot exhaust the stack.
type graph struct {
	features []kedge.Feature
	index    map[kedge.FeatureID]int
	deps     [][]int // known dependencies, in the order in which they are written
}

func newGraph(features []kedge.Feature) *graph {
	g := &graph{features: features, index: make(map[kedge.FeatureID]int, len(features)), deps: make([][]int, len(features))}
	for i, f := range features {
		if _, taken := g.index[f.ID]; !taken {
			g.index[f.ID] = i
		}
	}
	for i, f := range features {
		for _, id := range f.Dependencies {
			if j, ok := g.index[id]; ok {
				g.deps[i] = append(g.deps[i], j)
			}
		}
	}
	return g
}

func (g *graph) unknownIn(f kedge.Feature) []Problem {
	var out []Problem
	for _, id := range f.Dependencies {
		if _, ok := g.index[id]; !ok {
			out = append(out, Problem{
				f.ID, fmt.Sprintf("feature %q depends on %q, which does not exist", f.ID, id),
				"correct the id, or add the feature first",
			})
		}
	}
	return out
}

// The colours of a depth-first walk.
const (
	unseen = iota
	onPath
	finished
)

// maxCycles bounds what is reported of a hopeless list, in which every edge may
// close a cycle of its own.
const maxCycles = 10

// cycles gives one cycle for each place where a walk in list order runs into
// itself, maxCycles at most; each starts and ends with the same id.
func (g *graph) cycles() [][]kedge.FeatureID {
	var out [][]kedge.FeatureID
	colour := make([]uint8, len(g.features))
	next := make([]int, len(g.features)) // the dependency to look at next
	for start := range g.features {
		if colour[start] != unseen {
			continue
		}
		path := []int{start}
		colour[start] = onPath
		for len(path) > 0 {
			at := path[len(path)-1]
			if next[at] == len(g.deps[at]) {
				colour[at] = finished
				path = path[:len(path)-1]
				continue
			}
			to := g.deps[at][next[at]]
			next[at]++
			switch colour[to] {
			case unseen:
				colour[to] = onPath
				path = append(path, to)
			case onPath:
				if out = append(out, g.cycleFrom(path, to)); len(out) == maxCycles {
					return out
				}
			}
		}
	}
	return out
}

// cycleFrom is the end of the path from its first visit of to, closed.
func (g *graph) cycleFrom(path []int, to int) []kedge.FeatureID {
	from := len(path) - 1
	for path[from] != to {
		from--
	}
	ids := make([]kedge.FeatureID, 0, len(path)-from+1)
	for _, i := range path[from:] {
		ids = append(ids, g.features[i].ID)
	}
	return append(ids, g.features[to].ID)
}

// pathEnds is how many ids of a long cycle are shown at each end.
const pathEnds = 20

func pathText(ids []kedge.FeatureID) string {
	names := make([]string, 0, len(ids))
	for i, id := range ids {
		if hidden := len(ids) - 2*pathEnds; hidden > 1 && i >= pathEnds && i < len(ids)-pathEnds {
			if i == pathEnds {
				names = append(names, "… "+strconv.Itoa(hidden)+" more …")
			}
			continue
		}
		names = append(names, string(id))
	}
	return strings.Join(names, " → ")
}

// before is the one order of features: lower priority number first, then the
// place in the list, then the id.
func (g *graph) before(i, j int) bool {
	a, b := g.features[i], g.features[j]
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(i, j), cmp.Compare(a.ID, b.ID)) < 0
}

// queue is a heap of positions, the first in order on top.
type queue struct {
	g  *graph
	at []int
}

func (q *queue) Len() int           { return len(q.at) }
func (q *queue) Less(i, j int) bool { return q.g.before(q.at[i], q.at[j]) }
func (q *queue) Swap(i, j int)      { q.at[i], q.at[j] = q.at[j], q.at[i] }
func (q *queue) Push(x any)         { q.at = append(q.at, x.(int)) }

func (q *queue) Pop() any {
	last := q.at[len(q.at)-1]
	q.at = q.at[:len(q.at)-1]
	return last
}

// Order gives the features in the order in which they would be worked on if
// each succeeded: none before its dependencies, otherwise by priority, place and
// id. Features in a cycle, or behind one, come last by the same rule.
func Order(features []kedge.Feature) []kedge.Feature {
	g := newGraph(features)
	waiting := make([]int, len(features))
	behind := make([][]int, len(features))
	q := &queue{g: g}
	for i, deps := range g.deps {
		waiting[i] = len(deps)
		for _, d := range deps {
			behind[d] = append(behind[d], i)
		}
		if len(deps) == 0 {
			q.at = append(q.at, i)
		}
	}
	heap.Init(q)
	out := make([]kedge.Feature, 0, len(features))
	drain := func() {
		for q.Len() > 0 {
			i := heap.Pop(q).(int)
			out = append(out, features[i])
			for _, j := range behind[i] {
				if waiting[j]--; waiting[j] == 0 {
					heap.Push(q, j)
				}
			}
		}
	}
	drain()
	for i := range features {
		if waiting[i] > 0 {
			heap.Push(q, i)
		}
	}
	behind = make([][]int, len(features))
	drain()
	return out
}
