package kedge_test

import (
	"testing"

	"kedge"
)

func TestFeatureOfSalvage(t *testing.T) {
	for reason, want := range map[string]kedge.FeatureID{
		"order-list: check \"test\" is red: exit 1": "order-list",
		"gate was red": "",
		"the planning session changed files: a.txt":             "",
		"the worktree of session notes was not needed any more": "",
		"": "",
	} {
		if got := (kedge.Salvage{Reason: reason}).Feature(); got != want {
			t.Errorf("%q is of %q, not %q", reason, got, want)
		}
	}
}
