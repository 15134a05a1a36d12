package strays

import (
	"testing"

	"kedge/internal/git/slot"
)

// TestLandedFollowsEveryLanding: what was begun and refused is written down too; another
// landing from the same commit counts all the same. A ring ends.
func TestLandedFollowsEveryLanding(t *testing.T) {
	all := []slot.Landing{
		{Ref: "main", From: "a", To: "never"},
		{Ref: "main", From: "a", To: "b"},
		{Ref: "other", From: "b", To: "z"},
		{Ref: "main", From: "b", To: "c"},
		{Ref: "main", From: "c", To: "a"},
	}
	for name, of := range map[string]struct {
		to   string
		want bool
	}{"the first": {"never", true}, "by the second": {"b", true}, "by two": {"c", true}, "of another ref": {"z", false}, "none": {"x", false}} {
		if got := landed(all, "main", "a", of.to); got != of.want {
			t.Errorf("%s: landed at %q: %v", name, of.to, got)
		}
	}
}
