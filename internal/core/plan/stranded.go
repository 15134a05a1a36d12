package plan

import (
	"slices"
	"strings"

	"kedge"
)

// Stranded is an open feature that never becomes ready as things are: what it
// depends on, itself or through others, was skipped.
type Stranded struct {
	ID     kedge.FeatureID   `json:"id"`
	Behind kedge.FeatureID   `json:"behind"` // the skipped one
	Direct bool              `json:"direct"` // it depends on that itself
	Keep   []kedge.FeatureID `json:"keep"`   // its dependencies that were not skipped
}

// StrandedIn lists the features that are stranded, in their order.
func StrandedIn(features []kedge.Feature) []Stranded {
	skipped := func(f kedge.Feature) bool { return f.Status == kedge.Skipped }
	if !slices.ContainsFunc(features, skipped) {
		return nil
	}
	g := newGraph(features)
	all := make([]Stranded, len(features))
	var queue []int
	for i := range features {
		for _, j := range g.deps[i] {
			if waits(features[i].Status) && skipped(features[j]) && !all[i].Direct {
				all[i] = Stranded{Behind: features[j].ID, Direct: true}
				queue = append(queue, i)
			}
		}
	}
	g.spread(all, queue)
	var out []Stranded
	for i, s := range all {
		if s.Behind == "" {
			continue
		}
		s.ID, s.Keep = features[i].ID, []kedge.FeatureID{}
		for _, j := range g.deps[i] {
			if !skipped(features[j]) {
				s.Keep = append(s.Keep, features[j].ID)
			}
		}
		out = append(out, s)
	}
	return out
}

// waits tells whether a feature stays behind what it depends on.
func waits(s kedge.Status) bool { return open(s) || s == kedge.BlockedWork }

// spread goes on from the stranded features in the queue to those behind them.
func (g *graph) spread(all []Stranded, queue []int) {
	after := make([][]int, len(g.features))
	for i, deps := range g.deps {
		for _, j := range deps {
			after[j] = append(after[j], i)
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, i := range after[queue[at]] {
			if all[i].Behind == "" && waits(g.features[i].Status) {
				all[i].Behind = all[queue[at]].Behind
				queue = append(queue, i)
			}
		}
	}
}

// Ways are the commands that get a stranded feature going again, or out of the way:
// without what was skipped, or skipped too. One that is stranded through another
// has none of its own.
func (s Stranded) Ways() []kedge.NextStep {
	if !s.Direct {
		return nil
	}
	amend := []string{"feature", "amend", string(s.ID)}
	for _, id := range s.Keep {
		amend = append(amend, "--depends-on", string(id))
	}
	if len(s.Keep) == 0 {
		amend = append(amend, "--depends-on", "")
	}
	return []kedge.NextStep{
		kedge.Step("kedge", append(amend, "--reason", "WHY")...).For("let it continue without the skipped one"),
		kedge.Step("kedge", "feature", "skip", string(s.ID), "--reason", "WHY").For("leave it out too"),
	}
}

// StrandedText says which features wait for one that was skipped; empty for none.
func StrandedText(list []Stranded, skipped kedge.FeatureID) string {
	var ids []string
	for _, s := range list {
		if s.Behind == skipped && !slices.Contains(ids, string(s.ID)) {
			ids = append(ids, string(s.ID))
		}
	}
	switch len(ids) {
	case 0:
		return ""
	case 1:
		return ids[0] + " depends on " + string(skipped) + ", which was skipped: it waits until you decide what to do with it"
	default:
		return strings.Join(ids, ", ") + " depend on " + string(skipped) + ", which was skipped: they wait until you decide what to do with them"
	}
}
