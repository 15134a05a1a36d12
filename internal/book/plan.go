package book

import (
	"slices"

	"kedge"
	"kedge/internal/plan"
)

// PlanText is plan.md as it should be: the frozen text with its progress.
func (l Ledger) PlanText() []byte {
	d, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return []byte(l.Plan.Text) // frozen by another version: shown as it is
	}
	done := l.doneItems(d.Plan)
	return d.Progress(l.Plan.Status, func(item string) bool { return done[item] })
}

func (l Ledger) doneItems(p kedge.Plan) map[string]bool {
	done := map[string]bool{}
	for i, it := range plan.Items(p) {
		if i >= len(l.Plan.Features) {
			break
		}
		d, err := l.Find(l.Plan.Features[i])
		done[it.ID] = err == nil && d.Status == kedge.Completed
	}
	return done
}

// IsDraft tells whether a text is a plan other than the approved one: somebody's
// next draft. The text that was approved is none, even before the frozen one has
// taken its place.
func (l Ledger) IsDraft(b []byte) bool {
	d, err := plan.ParsePlan(PlanFile, b)
	if err != nil || l.Plan == nil {
		return err == nil
	}
	if d.Plan.ID != "" {
		return d.Plan.ID != l.Plan.ID
	}
	return !l.isApprovedText(d)
}

// isApprovedText tells whether freezing the draft gives the approved plan.
func (l Ledger) isApprovedText(d *plan.Doc) bool {
	frozen, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return false
	}
	_, hash := d.Freeze(l.Plan.ID, frozen.Plan.Base)
	return hash == l.Plan.Hash
}

// ItemOf gives the item of the approved plan that a feature was made of.
func (l Ledger) ItemOf(id kedge.FeatureID) string {
	if l.Plan == nil {
		return ""
	}
	at := slices.Index(l.Plan.Features, id)
	d, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if at < 0 || err != nil {
		return ""
	}
	if items := plan.Items(d.Plan); at < len(items) {
		return items[at].ID
	}
	return ""
}

// IsOpenPlan tells whether planning sessions and answers may still change a plan.
func IsOpenPlan(d kedge.PlanData) bool {
	return d.Status == kedge.PlanDrafting || d.Status == kedge.PlanWaiting || d.Status == kedge.PlanReady
}
