package ledger

import (
	"bytes"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
)

// PlanText gives the text that plan.md should have: the frozen text with its progress.
func (l Snapshot) PlanText() []byte {
	d, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return []byte(l.Plan.Text) // frozen by another version: shown as it is
	}
	done := l.doneItems(d.Plan)
	return d.Progress(l.Plan.Status, func(item string) bool { return done[item] })
}

func (l Snapshot) doneItems(p kedge.Plan) map[string]bool {
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

// IsDraft tells whether a text is another plan than the approved one: your next draft.
// The text that was approved is no draft, even before the frozen text replaced it.
func (l Snapshot) IsDraft(b []byte) bool {
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
func (l Snapshot) isApprovedText(d *plan.Doc) bool {
	frozen, err := plan.ParsePlan(PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return false
	}
	_, hash := d.Freeze(l.Plan.ID, frozen.Plan.Base)
	return hash == l.Plan.Hash
}

// UnwrittenPlan gives the text of the plan that waits for approval if plan.md lacks it:
// the file is gone, or git restored an older one. It gives false if you typed into
// plan.md: that text is yours.
func (s *Ledger) UnwrittenPlan(p *projects.Project, l Snapshot) ([]byte, bool) {
	if l.Open == nil {
		return nil, false
	}
	b, ok, err := p.Read(PlanFile)
	if err != nil || ok && !l.replaceable(b, s.Projected(p)) {
		return nil, false // what cannot be read is told by whoever reads or writes it
	}
	return []byte(l.Open.Text), true
}

// OpenPlanUnwritten tells whether plan.md lacks the plan that waits for approval.
func (s *Ledger) OpenPlanUnwritten(p *projects.Project, l Snapshot) bool {
	text, ok := s.UnwrittenPlan(p, l)
	if !ok {
		return false
	}
	b, _, err := p.Read(PlanFile)
	return err == nil && !SameText(b, text)
}

// replaceable tells whether plan.md may be replaced: it holds nothing that the journal
// does not have, or no plan that could still be approved.
func (l Snapshot) replaceable(b []byte, known map[string]bool) bool {
	if len(bytes.TrimSpace(b)) == 0 || known[projects.Sum(ToLF(b))] {
		return true
	}
	d, err := plan.ParsePlan(PlanFile, b)
	if err != nil || l.Open != nil && d.Plan.ID == l.Open.ID {
		return false // the latter has a status that somebody wrote there
	}
	return !IsOpenPlan(kedge.PlanData{Status: d.Plan.Status}) || d.Plan.ID == "" && l.Plan != nil && l.isApprovedText(d)
}

// PlanItem gives the item of the approved plan from which a feature was made, or "".
func (l Snapshot) PlanItem(id kedge.FeatureID) string {
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
