package ledger

import (
	"slices"

	"kedge"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
)

// PlannedCause is why the work on a feature was needed, as the plan that made it says;
// empty where there is none, or it does not say.
func (l Snapshot) PlannedCause(id kedge.FeatureID) string {
	if l.Plan == nil || !slices.Contains(l.Plan.Features, id) {
		return ""
	}
	d, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return "" // frozen by another version
	}
	for _, field := range d.Plan.Fields {
		if text := docs.Clean(field.Text); field.Name == "Root cause" && text != "" {
			return text
		}
	}
	return ""
}
