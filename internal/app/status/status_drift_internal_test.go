package status

import (
	"slices"
	"testing"

	"kedge/internal/git"
)

// TestWithoutRuns: what a run changed is measured from where the run left it,
// everything else from when Kedge last looked.
func TestWithoutRuns(t *testing.T) {
	changes := func(paths ...string) []git.Change {
		var out []git.Change
		for _, p := range paths {
			out = append(out, git.Change{Path: p, Status: "M"})
		}
		return out
	}
	for _, c := range []struct {
		name                            string
		fromSeen, fromTip, byRuns, want []string
	}{
		{"all by the run", []string{"a", "b"}, nil, []string{"a", "b"}, nil},
		{"a person's beside it", []string{"a", "mine"}, []string{"mine"}, []string{"a"}, []string{"mine"}},
		{"a person's on top of it", []string{"a"}, []string{"a"}, []string{"a"}, []string{"a"}},
		{"the run's work was taken back", nil, []string{"a"}, []string{"a"}, []string{"a"}},
		{"a person's before the run, which has it too", []string{"mine"}, nil, []string{"a"}, []string{"mine"}},
		{"nobody knows what the run changed", []string{"a", "mine"}, []string{"mine", "other"}, nil, []string{"mine"}},
		{"in order", []string{"z", "a"}, []string{"m"}, []string{"m"}, []string{"a", "m", "z"}},
	} {
		var got []string
		for _, d := range withoutRuns(changes(c.fromSeen...), changes(c.fromTip...), c.byRuns) {
			got = append(got, d.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
