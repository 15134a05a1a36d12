package app_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/memory"
	docs "kedge/internal/core/memory"
)

// elsewhere gives the text of a decision as another clone has it after a person
// withdrew it there.
func elsewhere(d kedge.Decision) string {
	d.Status, d.Withdrawn = kedge.DecisionSuperseded, "by mistake"
	return string(docs.WriteDecision(d))
}

// TestWithdrawnInAnotherClone: a withdrawal that comes with the repository is one
// here too, and what was decided there after it contradicts nothing any more.
func TestWithdrawnInAnotherClone(t *testing.T) {
	y := newYard(t, true)
	first, err := y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{Title: "Strict", Why: "typos", AppliesTo: []string{"cmd/**"}})
	if err != nil {
		t.Fatal(err)
	}
	later := first.Decision
	later.ID, later.Title, later.Why = kedge.DecisionID(kedge.NewID("dec", y.now)), "Loose", "users mistype"
	y.put(first.File, elsewhere(first.Decision))
	y.put(".kedge/decisions/"+docs.DecisionFile(later), string(docs.WriteDecision(later)))
	r, err := y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "it may break"})
	if err != nil || len(r.Edits) != 2 || r.Edits[0].Action != "imported" || !strings.Contains(r.Edits[0].Found, "the withdrawal of "+string(first.Decision.ID)+": by mistake") {
		t.Fatalf("%+v, %v", r, err)
	}
	shown, err := y.s.DecisionShow(t.Context(), y.person(), memory.DecisionShowRequest{ID: first.Decision.ID})
	if err != nil || shown.Decision.Withdrawn != "by mistake" || shown.Decision.Status != kedge.DecisionSuperseded {
		t.Errorf("%+v, %v", shown, err)
	}
	list, err := y.s.DecisionList(t.Context(), y.person(), memory.DecisionListRequest{})
	if err != nil || len(list.Decisions) != 1 || list.Decisions[0].ID != later.ID || len(list.Edits) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if y.read(first.File) != elsewhere(first.Decision) {
		t.Errorf("the file is now\n%s", y.read(first.File))
	}
}

// TestT17WithdrawalByAnAgentsHand: an agent takes nothing back by writing it into
// a file, and nobody takes back more than the decision that is there.
func TestT17WithdrawalByAnAgentsHand(t *testing.T) {
	y := newYard(t, true)
	d, err := y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{Title: "Strict", Why: "typos"})
	if err != nil {
		t.Fatal(err)
	}
	locked := y.read(d.File)
	y.put(d.File, elsewhere(d.Decision))
	r, err := y.s.RiskAdd(t.Context(), y.agent(), memory.RiskAddRequest{Text: "it may break"})
	if err != nil || len(r.Edits) != 1 || r.Edits[0].Action != "restored" || y.read(d.File) != locked {
		t.Errorf("an agent's: %+v, %v", r, err)
	}
	changed := d.Decision
	changed.Why = "no reason"
	y.put(d.File, elsewhere(changed))
	r, err = y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "it may break too"})
	if err != nil || len(r.Edits) != 1 || r.Edits[0].Action != "restored" || y.read(d.File) != locked {
		t.Errorf("of another text: %+v, %v", r, err)
	}
}
