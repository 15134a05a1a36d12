package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

func TestStranded(t *testing.T) {
	is := func(id kedge.FeatureID, status kedge.Status, needs ...kedge.FeatureID) kedge.Feature {
		return kedge.Feature{Definition: kedge.Definition{ID: id, Dependencies: needs}, FeatureState: kedge.FeatureState{Status: status}}
	}
	list := plan.StrandedIn([]kedge.Feature{
		is("base", kedge.Completed),
		is("gone", kedge.Skipped),
		is("near", kedge.Pending, "base", "gone"),
		is("far", kedge.Regressed, "near"),
		is("stuck", kedge.BlockedWork, "gone"),
		is("past", kedge.Completed, "gone"),
		is("free", kedge.Pending, "past"),
		is("out", kedge.Skipped, "gone"),
	})
	if got, want := fmt.Sprint(list), "[{near gone true [base]} {far gone false [near]} {stuck gone true []}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := []string{"kedge feature amend near --depends-on base --reason WHY", "kedge feature skip near --reason WHY"}
	if got := kedge.StepLines(list[0].Ways()); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := list[1].Ways(); got != nil {
		t.Errorf("what comes after another one: %q", got)
	}
	if got := list[2].Ways()[0].String(); got != "kedge feature amend stuck --depends-on '' --reason WHY" {
		t.Errorf("%q", got)
	}
	if got := plan.StrandedText(list, "gone"); got != "near, far, stuck depend on gone, which was skipped: they wait until you decide what to do with them" {
		t.Errorf("%q", got)
	}
	if got := plan.StrandedText(list, "base"); got != "" {
		t.Errorf("%q", got)
	}
}
