package ledger

import (
	"bytes"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
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

// OpenText is the text of the plan that waits to be approved, where the journal
// has it and plan.md does not: the file is gone, or git put an older one there.
// What people typed into plan.md stays theirs, and gives false.
func (s *Book) OpenText(p *projects.Project, l Ledger) ([]byte, bool) {
	if l.Open == nil {
		return nil, false
	}
	b, ok, err := p.Read(PlanFile)
	if err != nil || ok && !l.givesWay(b, s.Projected(p)) {
		return nil, false // what cannot be read is told by whoever reads or writes it
	}
	return []byte(l.Open.Text), true
}

// LacksOpen tells whether plan.md is to be brought up to the plan that waits to be
// approved.
func (s *Book) LacksOpen(p *projects.Project, l Ledger) bool {
	text, ok := s.OpenText(p, l)
	if !ok {
		return false
	}
	b, _, err := p.Read(PlanFile)
	return err == nil && !SameText(b, text)
}

// givesWay tells whether a text in plan.md holds nothing that the journal does
// not have, or no plan that could still be approved.
func (l Ledger) givesWay(b []byte, known map[string]bool) bool {
	if len(bytes.TrimSpace(b)) == 0 || known[projects.Sum(ToLF(b))] {
		return true
	}
	d, err := plan.ParsePlan(PlanFile, b)
	if err != nil || l.Open != nil && d.Plan.ID == l.Open.ID {
		return false // the latter has a status that somebody wrote there
	}
	return !IsOpenPlan(kedge.PlanData{Status: d.Plan.Status}) || d.Plan.ID == "" && l.Plan != nil && l.isApprovedText(d)
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
