package slot_test

import (
	"strings"
	"testing"

	"kedge/internal/git/slot"
)

// TestWhereTheWorkIs: no work is spoken of as lost that an earlier attempt left.
func TestWhereTheWorkIs(t *testing.T) {
	for want, j := range map[string]slot.Job{
		"It left no work.":            {},
		"kedge salvage restore slv-1": {Salvage: "slv-1", Earlier: true},
		"The last attempt left no work; what was set aside before is in: kedge salvage ls.": {Earlier: true},
	} {
		if got := j.Left(); !strings.Contains(got, want) {
			t.Errorf("%+v: %q, want %q", j, got, want)
		}
	}
}
