package plan

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/glob"
)

// Change is what may break features that are done: the paths that differ, and the
// feature whose work it is; empty: nobody's.
type Change struct {
	Feature kedge.FeatureID
	Paths   []string
}

// Touched gives the completed features whose checks a change must be held against:
// those that depend on its feature, those on which that depends, near or far, and
// those that share a path with the change. Features without checks are not among
// them, nor is the change's own.
func Touched(features []kedge.Feature, c Change) []kedge.Feature {
	related := newGraph(features).related(c.Feature)
	return slices.DeleteFunc(Checkable(features, c.Feature), func(f kedge.Feature) bool {
		return !related[f.ID] && !shares(f, c.Paths)
	})
}

// Checkable are the completed features that have checks, beside one.
func Checkable(features []kedge.Feature, beside kedge.FeatureID) []kedge.Feature {
	return slices.DeleteFunc(slices.Clone(features), func(f kedge.Feature) bool {
		return f.Status != kedge.Completed || len(f.Checks) == 0 || f.ID == beside
	})
}

// related are the features on the way to and from a feature.
func (g *graph) related(id kedge.FeatureID) map[kedge.FeatureID]bool {
	at, ok := g.index[id]
	if !ok {
		return nil
	}
	users := make([][]int, len(g.features))
	for i, deps := range g.deps {
		for _, d := range deps {
			users[d] = append(users[d], i)
		}
	}
	out := map[kedge.FeatureID]bool{}
	for _, edges := range [][][]int{g.deps, users} {
		seen := map[int]bool{at: true}
		for todo := []int{at}; len(todo) > 0; {
			next := edges[todo[0]]
			todo = todo[1:]
			for _, n := range next {
				if !seen[n] {
					seen[n], out[g.features[n].ID] = true, true
					todo = append(todo, n)
				}
			}
		}
	}
	return out
}

// shares tells whether a feature has to do with one of the paths: it changed it, its
// definition or one of its checks covers it, or a check's command names it.
func shares(f kedge.Feature, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		covers := func(p string) bool { return glob.Match(p, path) }
		return slices.Contains(f.Files, path) || slices.ContainsFunc(f.Paths, covers) ||
			slices.ContainsFunc(f.Checks, func(c kedge.Check) bool {
				return slices.ContainsFunc(c.Paths, covers) || names(c.Run, path)
			})
	})
}

// names tells whether a shell line has a path as one of its words.
func names(line, path string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;&|()<>=:,", r) }),
		func(word string) bool { return strings.TrimPrefix(word, "./") == path })
}

// Rotate gives up to n of the features in turn: the ones that follow the feature that
// was the last one before, from the first one again behind the end. Last is where
// the next turn goes on; asked n features at a time, all of them get their turn.
func Rotate(features []kedge.Feature, after kedge.FeatureID, n int) (turn []kedge.Feature, last kedge.FeatureID) {
	start := slices.IndexFunc(features, func(f kedge.Feature) bool { return f.ID == after }) + 1
	for i := range min(n, len(features)) {
		f := features[(start+i)%len(features)]
		turn, after = append(turn, f), f.ID
	}
	return turn, after
}

// Rotation is where the features that are looked at in turn stand. It outlives runs, so
// that short ones do not look at the same features each time.
type Rotation struct {
	Command string          `json:"command"` // whose turn it was; carried out again it is the same one
	After   kedge.FeatureID `json:"after"`
	Last    kedge.FeatureID `json:"last"`
}

// Turn gives a command the next few of the features.
func (r *Rotation) Turn(command string, features []kedge.Feature, n int) []kedge.Feature {
	if r.Command != command {
		r.Command, r.After = command, r.Last
	}
	turn, last := Rotate(features, r.After, n)
	r.Last = last
	return turn
}
