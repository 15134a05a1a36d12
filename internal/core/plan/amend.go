package plan

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"kedge"
)

// Amendment is what a new text of an approved plan changes.
type Amendment struct {
	Features []kedge.FeatureID // of the plan from now on, one per item, in their order
	Added    []Claimed
	Changed  []Redefined
	Removed  []kedge.FeatureID // no item is theirs any more
	Restored []kedge.FeatureID // their item was removed by an earlier amendment and is back
	Fields   []FieldChange
}

// Redefined is a feature whose definition follows the plan: Keys of it change.
type Redefined struct {
	ID   kedge.FeatureID
	Keys []string
	Now  kedge.Definition
}

// Known is a feature as it is, and whether an item of this plan made it.
type Known struct {
	kedge.Feature
	Planned bool
}

// FieldChange is what changes in one field of the plan: entries of a list, or its text.
type FieldChange struct {
	Field   string   `json:"field"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

// Empty tells whether the amendment changes nothing.
func (a Amendment) Empty() bool {
	return len(a.Added)+len(a.Changed)+len(a.Removed)+len(a.Restored)+len(a.Fields) == 0
}

// Amend compares an approved plan with its new text. ids are the features of its items,
// find gives a feature as it is. An item keeps its feature as long as it keeps its number.
// An item that was removed and is back takes its feature back, too. Work that is done stays
// done: the item of a completed feature may be removed and put back, and may not be changed.
// What you amended in a feature stays, where the plan does not change it too.
func Amend(was, now kedge.Plan, ids []kedge.FeatureID, find func(kedge.FeatureID) (Known, bool)) (Amendment, error) {
	items := Items(was)
	if len(items) != len(ids) || len(items) == 0 {
		return Amendment{}, kedge.Errorf(kedge.Conflict, "the plan %q was approved with another version of Kedge, and this version cannot amend the plan", was.Title).
			WithHint("change its features instead: kedge feature amend ID --reason WHY; to see the ids: kedge features")
	}
	prefix := strings.TrimSuffix(string(ids[0]), items[0].ID)
	before := map[kedge.FeatureID]int{}
	for i, id := range ids {
		before[id] = i
	}
	old, out := featuresWith(was, prefix), Amendment{Fields: FieldChanges(was, now)}
	list := Items(now)
	for i, f := range featuresWith(now, prefix) {
		out.Features = append(out.Features, f.ID)
		at, kept := before[f.ID]
		delete(before, f.ID)
		cur, exists := find(f.ID)
		from := change{item: list[i], now: f.Definition, was: cur.Definition, same: sameWork(cur.Definition, f.Definition)}
		if kept {
			from.was, from.same = old[at].Definition, sameItem(items[at], list[i])
		}
		switch {
		case !exists:
			out.Added = append(out.Added, f)
			continue
		case !kept && !cur.Planned:
			return out, kedge.Errorf(kedge.Conflict, "item %s of the plan would become feature %q, but another feature has that id already", list[i].ID, f.ID).
				WithHint("give item %s another number in the plan", list[i].ID)
		case !kept:
			out.Restored = append(out.Restored, f.ID)
		}
		if err := out.follow(from, cur.Feature); err != nil {
			return out, err
		}
	}
	for _, id := range ids {
		if _, gone := before[id]; gone {
			out.Removed = append(out.Removed, id)
		}
	}
	return out, nil
}

// change is an item whose feature exists: what the plan asked of it before and asks now.
type change struct {
	item     kedge.Item
	was, now kedge.Definition
	same     bool // it asks for the same work
}

// follow has an existing feature follow its item.
func (a *Amendment) follow(c change, cur kedge.Feature) error {
	switch {
	case cur.Status == kedge.Completed && !c.same:
		return kedge.Errorf(kedge.Conflict, "the new text of the plan changes item %s, which is completed already", c.item.ID).
			WithHint("to keep the completed work, leave the item unchanged and add a new item; to have the work done again: kedge feature reopen %s --reason WHY", cur.ID)
	case cur.Status == kedge.Completed:
		return nil
	}
	if changed := redefined(c.was, c.now, cur.Definition); len(changed.Keys) > 0 {
		a.Changed = append(a.Changed, changed)
	}
	return nil
}

// sameWork tells whether two definitions ask for the same, wherever they stand in the plan.
func sameWork(a, b kedge.Definition) bool {
	one, other := keysOf(a), keysOf(b)
	return bytes.Equal(one["name"], other["name"]) && bytes.Equal(one["checks"], other["checks"])
}

// sameItem tells whether two items ask for the same.
func sameItem(a, b kedge.Item) bool {
	return a.Text == b.Text && slices.Equal(a.Checks, b.Checks) && slices.Equal(a.Paths, b.Paths) && slices.Equal(a.After, b.After)
}

// redefined is a feature's definition with what the plan changes, and no more.
func redefined(old, now, cur kedge.Definition) Redefined {
	out := Redefined{ID: cur.ID, Now: cur}
	a, b, c := keysOf(old), keysOf(now), keysOf(cur)
	for key := range b {
		if !bytes.Equal(a[key], b[key]) && !bytes.Equal(b[key], c[key]) {
			c[key] = b[key]
			out.Keys = append(out.Keys, key)
		}
	}
	slices.Sort(out.Keys)
	text, err := json.Marshal(c)
	if err == nil && len(out.Keys) > 0 {
		out.Now = kedge.Definition{}
		err = json.Unmarshal(text, &out.Now)
	}
	if err != nil { // it came from such JSON
		out.Now = now
	}
	return out
}

// ChangedKeys are the keys of a definition that another one changes.
func ChangedKeys(was, now kedge.Definition) []string { return redefined(was, now, was).Keys }

func keysOf(d kedge.Definition) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	_ = json.Unmarshal(encode(normalDefinition(d), ""), &out) // it is JSON
	return out
}

// FieldChanges compares the questions and the fields of two plans.
func FieldChanges(was, now kedge.Plan) []FieldChange {
	var out []FieldChange
	add := func(field string, a, b []string) {
		if c := (FieldChange{field, without(b, a), without(a, b)}); len(c.Added)+len(c.Removed) > 0 {
			out = append(out, c)
		}
	}
	add(questionsHead, answerLines(was.Questions), answerLines(now.Questions))
	for _, name := range slices.Concat(planFields, foundingFields) {
		add(name, fieldEntries(was, name), fieldEntries(now, name))
	}
	add("Phases", phaseLines(was), phaseLines(now))
	return out
}

// phaseLines are the headings of the phases, with what they say about their sessions.
func phaseLines(p kedge.Plan) []string {
	var out []string
	for _, ph := range p.Phases {
		line := ph.ID + ": " + ph.Title
		for _, more := range []struct{ name, value string }{{"budget", ph.Budget}, {"model", ph.Model}, {"prompt", ph.Prompt}} {
			if more.value != "" {
				line += " " + more.name + "=" + more.value
			}
		}
		out = append(out, line)
	}
	return out
}

// fieldEntries are the entries of a field that is a list, or its text.
func fieldEntries(p kedge.Plan, name string) []string {
	switch name {
	case "Assumptions":
		return statementLines(p.Assumptions)
	case "Invariants":
		return statementLines(p.Invariants)
	case "Risks":
		return statementLines(p.Risks)
	case "Validation":
		return p.Validation
	}
	var out []string
	for _, f := range p.Fields {
		if f.Name == name && f.Text != "" {
			out = append(out, flat(f.Text, maxStatement))
		}
	}
	return out
}

func statementLines(list []kedge.Statement) []string {
	var out []string
	for _, s := range list {
		text := s.Text
		if s.Check != "" && !strings.Contains(text, s.Check) {
			text += " (check: " + s.Check + ")"
		}
		for _, at := range slices.Concat(s.Phases, s.Paths) {
			if !strings.Contains(text, at) {
				text += " (" + at + ")"
			}
		}
		out = append(out, text)
	}
	return out
}

func answerLines(list []kedge.Question) []string {
	var out []string
	for _, q := range list {
		out = append(out, q.Text+" "+q.Answer)
	}
	return out
}

// without are the entries of a list that another one does not have.
func without(list, other []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return slices.Contains(other, s) })
}
