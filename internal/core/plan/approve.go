package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/check"
)

// parseBudget reads a phase's budget; "" is no limit.
func parseBudget(s string) (kedge.Budget, bool) {
	if s == "" {
		return kedge.Budget{}, true
	}
	low := strings.ToLower(s)
	money, isMoney := strings.CutSuffix(strings.TrimPrefix(low, "$"), "usd")
	if isMoney || strings.HasPrefix(low, "$") {
		usd, err := strconv.ParseFloat(money, 64)
		return kedge.Budget{USD: usd}, err == nil && usd > 0 && usd < 1e9
	}
	factor := int64(1)
	if number, ok := strings.CutSuffix(low, "k"); ok {
		low, factor = number, 1_000
	} else if number, ok := strings.CutSuffix(low, "m"); ok {
		low, factor = number, 1_000_000
	}
	tokens, err := strconv.ParseInt(low, 10, 64)
	ok := err == nil && tokens > 0 && tokens < 1e12
	return kedge.Budget{Tokens: tokens * factor}, ok
}

// itemFeature is the feature that an item becomes.
func itemFeature(ph kedge.Phase, n int, it kedge.Item, files []string, idOf func(item string) kedge.FeatureID) kedge.Definition {
	if len(it.Paths) == 0 {
		it.Paths = files
	}
	d := kedge.Definition{
		ID: idOf(it.ID), Name: it.Text, Phase: ph.ID, Category: "functional", Priority: 10 * (n + 1),
		Description: fmt.Sprintf("Phase %d: %s", n+1, ph.Title), Paths: it.Paths,
	}
	if short, whole := shortName(d.Name); !whole {
		d.Name, d.Description = short, it.Text+"\n"+d.Description
	}
	if ph.Prompt != "" {
		d.Description += "\n" + ph.Prompt
	}
	d.Checks = check.Lines(it.Checks)
	for _, a := range it.After {
		d.Dependencies = append(d.Dependencies, idOf(a))
	}
	return d
}

// Features makes one definition per item. An item depends on what its "after:"
// names and on every item of the phase before. The phase's budget is that of all its
// items together (PhaseBudget), and none's own. One that names no paths may change
// those that the plan expects to change.
// Ids are those of the items; when the project has one of them already, all get
// the plan's title in front. Items that were ticked in the draft claim to be
// completed.
func Features(p kedge.Plan, taken func(kedge.FeatureID) bool) []Claimed {
	return featuresWith(p, freePrefix(p, taken))
}

// featuresWith is Features with a prefix that is known.
func featuresWith(p kedge.Plan, prefix string) []Claimed {
	idOf := func(item string) kedge.FeatureID { return kedge.FeatureID(prefix + item) }
	files := FilesOf(p)
	var out []Claimed
	for n, ph := range p.Phases {
		for _, it := range ph.Items {
			def := itemFeature(ph, n, it, files, idOf)
			if n == 0 {
				def.Description += structureOf(p)
			}
			if n > 0 {
				for _, before := range p.Phases[n-1].Items {
					if id := idOf(before.ID); !slices.Contains(def.Dependencies, id) {
						def.Dependencies = append(def.Dependencies, id)
					}
				}
			}
			c := Claimed{Definition: normalDefinition(def), Files: []string{}}
			if it.Done {
				c.Claim = kedge.Completed
			}
			out = append(out, c)
		}
	}
	return out
}

// freePrefix gives "", or what has to stand before the items' ids so that none
// is taken.
func freePrefix(p kedge.Plan, taken func(kedge.FeatureID) bool) string {
	prefix := ""
	for try := 1; anyTaken(p, prefix, taken); try++ {
		prefix = slug(p.Title) + "-"
		if try > 1 {
			prefix = fmt.Sprintf("%s-%d-", slug(p.Title), try)
		}
	}
	return prefix
}

func anyTaken(p kedge.Plan, prefix string, taken func(kedge.FeatureID) bool) bool {
	for _, ph := range p.Phases {
		for _, it := range ph.Items {
			if taken(kedge.FeatureID(prefix + it.ID)) {
				return true
			}
		}
	}
	return false
}

// Items gives a plan's items in order: the n-th is the n-th of Features.
func Items(p kedge.Plan) []kedge.Item {
	var out []kedge.Item
	for _, ph := range p.Phases {
		out = append(out, ph.Items...)
	}
	return out
}
