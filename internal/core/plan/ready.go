package plan

import (
	"fmt"
	"slices"
	"strings"

	"kedge"
)

// Ready gives the features that can be worked on now: open ones (pending, in
// progress, regressed) whose dependencies are all completed; the next one first.
func Ready(features []kedge.Feature) []kedge.Feature {
	g := newGraph(features)
	var at []int
	for i, f := range features {
		if open(f.Status) && g.index[f.ID] == i && len(g.blockers(i)) == 0 {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(i, j int) int {
		if g.before(i, j) {
			return -1
		}
		return 1
	})
	out := make([]kedge.Feature, len(at))
	for k, i := range at {
		out[k] = features[i]
	}
	return out
}

// open tells whether work on a feature can go on without a person.
func open(s kedge.Status) bool {
	return s == kedge.Pending || s == kedge.InProgress || s == kedge.Regressed || s == ""
}

// Next gives the feature to work on: the first of Ready.
func Next(features []kedge.Feature) (kedge.Feature, bool) {
	ready := Ready(features)
	if len(ready) == 0 {
		return kedge.Feature{}, false
	}
	return ready[0], true
}

// Blocker is a dependency that is not completed. An id that does not exist has
// no status.
type Blocker struct {
	ID     kedge.FeatureID `json:"id"`
	Status kedge.Status    `json:"status"`
}

func (g *graph) blockers(i int) []Blocker {
	var out []Blocker
	for _, id := range g.features[i].Dependencies {
		j, ok := g.index[id]
		switch {
		case !ok:
			out = append(out, Blocker{ID: id})
		case g.features[j].Status != kedge.Completed:
			out = append(out, Blocker{ID: id, Status: g.features[j].Status})
		}
	}
	return out
}

// Readiness tells whether a feature is ready. Why is empty when it is.
type Readiness struct {
	Feature  kedge.Feature
	Blockers []Blocker
	Why      string
}

// WhyNotReady gives the readiness of a feature; NotFound when there is no such id.
func WhyNotReady(features []kedge.Feature, id kedge.FeatureID) (Readiness, error) {
	g := newGraph(features)
	i, ok := g.index[id]
	if !ok {
		return Readiness{}, unknownFeature(id)
	}
	s := Readiness{Feature: features[i], Blockers: g.blockers(i)}
	switch {
	case !open(s.Feature.Status):
		s.Why = fmt.Sprintf("feature %q is %s", id, s.Feature.Status)
	case len(s.Blockers) > 0:
		s.Why = fmt.Sprintf("feature %q waits for %s", id, blockerText(s.Blockers))
	}
	return s, nil
}

func unknownFeature(id kedge.FeatureID) error {
	return kedge.Errorf(kedge.NotFound, "there is no feature %q", id).WithHint("see the list: kedge features")
}

func blockerText(blockers []Blocker) string {
	parts := make([]string, len(blockers))
	for i, b := range blockers {
		status := string(b.Status)
		if status == "" {
			status = "unknown"
		}
		parts[i] = fmt.Sprintf("%q (%s)", b.ID, status)
	}
	return strings.Join(parts, ", ")
}

// WhyNothing says why Next found nothing, in one line.
func WhyNothing(features []kedge.Feature) string {
	counts := map[kedge.Status]int{}
	for _, f := range features {
		counts[f.Status]++
	}
	if len(features) == 0 {
		return "there are no features"
	}
	if counts[kedge.Completed]+counts[kedge.Skipped] == len(features) {
		return "all features are done"
	}
	var parts []string
	for _, s := range []kedge.Status{kedge.NeedsReview, kedge.BlockedWork} {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], strings.ReplaceAll(string(s), "_", " ")))
		}
	}
	if n := counts[kedge.Pending] + counts[kedge.InProgress] + counts[kedge.Regressed]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d waiting for another feature", n))
	}
	return "nothing is ready: " + strings.Join(parts, ", ")
}
