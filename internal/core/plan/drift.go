package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kedge"
)

// The actions that answer a hand edit of a file which Kedge writes.
const (
	Restored = "restored" // the journal's definition was put back
	Reset    = "reset"    // the journal's state was put back
	Refused  = "refused"  // an addition was not taken over
)

// Edit is one thing that somebody changed in features.json by hand, and how it
// is answered: the journal always wins.
type Edit struct {
	Feature kedge.FeatureID
	Found   string
	Action  string
	Hint    string
	Status  kedge.Status // what the file says, where its status was changed
}

// Drifted compares features.json with what the journal says. No edits means
// that the file says the same; its bytes may still differ in white space.
func Drifted(journal []kedge.Feature, file FeatureFile) []Edit {
	var edits []Edit
	inFile := make(map[kedge.FeatureID]kedge.Feature, len(file.Features))
	for _, f := range file.Features {
		if _, twice := inFile[f.ID]; twice {
			edits = append(edits, Edit{Feature: f.ID, Found: fmt.Sprintf("feature %q is listed twice", f.ID), Action: Restored})
			continue
		}
		inFile[f.ID] = f
	}
	known := make(map[kedge.FeatureID]bool, len(journal))
	for _, want := range journal {
		known[want.ID] = true
		got, ok := inFile[want.ID]
		if !ok {
			edits = append(edits, Edit{Feature: want.ID, Found: fmt.Sprintf("feature %q was removed", want.ID), Action: Restored})
			continue
		}
		edits = append(edits, compare(want, got)...)
	}
	for _, f := range file.Features {
		if !known[f.ID] {
			edits = append(edits, Edit{
				Feature: f.ID, Found: fmt.Sprintf("feature %q was added by hand", f.ID), Action: Refused,
				Hint: "kedge feature add ID --name NAME, or kedge features import FILE",
			})
			known[f.ID] = true
		}
	}
	if len(edits) == 0 && reordered(journal, file.Features) {
		edits = append(edits, Edit{Found: "the order of the features was changed", Action: Restored})
	}
	return edits
}

// compare gives at most one edit for each half of a feature.
func compare(want, got kedge.Feature) []Edit {
	want, got = normal(want), normal(got)
	var edits []Edit
	if keys := differing(want.Definition, got.Definition); len(keys) > 0 {
		edits = append(edits, Edit{
			Feature: want.ID, Found: fmt.Sprintf("the definition of feature %q was changed: %s", want.ID, strings.Join(keys, ", ")),
			Action: Restored, Hint: fmt.Sprintf("kedge feature amend %s --reason WHY", want.ID),
		})
	}
	if want.Status != got.Status {
		edits = append(edits, Edit{
			Feature: want.ID, Found: fmt.Sprintf("the status of feature %q was set by hand to %s; the real status is %s", want.ID, got.Status, want.Status),
			Action: Reset, Hint: fmt.Sprintf("kedge feature submit %s", want.ID), Status: got.Status,
		})
		got.Status = want.Status
	}
	if keys := differing(want.FeatureState, got.FeatureState); len(keys) > 0 {
		edits = append(edits, Edit{
			Feature: want.ID, Found: fmt.Sprintf("in feature %q, values that only Kedge may set were changed by hand: %s", want.ID, strings.Join(keys, ", ")),
			Action: Reset,
		})
	}
	return edits
}

// differing names the keys of two values of one type whose JSON differs, sorted.
func differing(a, b any) []string {
	x, y := encode(a, ""), encode(b, "")
	if bytes.Equal(x, y) {
		return nil
	}
	var left, right map[string]json.RawMessage
	if json.Unmarshal(x, &left) != nil || json.Unmarshal(y, &right) != nil {
		return []string{"unreadable"}
	}
	var keys []string
	for k := range left {
		if !bytes.Equal(left[k], right[k]) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

func reordered(journal, file []kedge.Feature) bool {
	return !slices.EqualFunc(journal, file, func(a, b kedge.Feature) bool { return a.ID == b.ID })
}
