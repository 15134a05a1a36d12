package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

func TestRow91ValidateNamesTheFault(t *testing.T) {
	for _, tc := range []struct {
		name     string
		features []kedge.Feature
		want     []string
	}{
		{"ok", []kedge.Feature{feature("a", 1, ""), feature("b", 1, "", "a")}, nil},
		{"unknown id", []kedge.Feature{feature("a", 1, "", "ghost")}, []string{`"a" depends on "ghost", which does not exist`}},
		{"itself", []kedge.Feature{feature("a", 1, "", "a")}, []string{"a → a"}},
		{"cycle", []kedge.Feature{feature("x", 1, ""), feature("a", 1, "", "x", "b"), feature("b", 1, "", "c"), feature("c", 1, "", "a")}, []string{"a → b → c → a"}},
		{"twice", []kedge.Feature{feature("a", 1, ""), feature("a", 1, "")}, []string{`two features have the id "a"`}},
		{"id", []kedge.Feature{feature("../etc", 1, "")}, []string{`"../etc" is not a valid feature id`}},
		{"several", []kedge.Feature{feature("a", 1, "", "x"), feature("b", 1, "", "y")}, []string{`"x"`, "(and 1 more problem)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := plan.Validate(tc.features)
			if tc.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			mustErr(t, err, kedge.Invalid, tc.want...)
			if kedge.HintOf(err) == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestValidateLooksAtEachDefinition(t *testing.T) {
	for _, tc := range []struct {
		want   string
		change func(d *kedge.Definition)
	}{
		{"", func(*kedge.Definition) {}},
		{"needs a name", func(d *kedge.Definition) { d.Name = " " }},
		{"needs a name", func(d *kedge.Definition) { d.Name = "a\nb" }},
		{"", func(d *kedge.Definition) { d.Name = strings.Repeat("ü", 200) }},
		{"a name of 201 characters, more than 200", func(d *kedge.Definition) { d.Name = strings.Repeat("x", 201) }},
		{"negative budget", func(d *kedge.Definition) { d.Budget.USD = -1 }},
		{`path "["`, func(d *kedge.Definition) { d.Paths = []string{"["} }},
		{"its name must be", func(d *kedge.Definition) { d.Checks[0].Name = "" }},
		{`there is no kind "unit"`, func(d *kedge.Definition) { d.Checks[0].Kind = "unit" }},
		{"it needs run", func(d *kedge.Definition) { d.Checks[0].Run = "" }},
		{"", func(d *kedge.Definition) { d.Checks[0].Touched = "go test {packages}" }},
		{`exclusive "../../x" is not a name`, func(d *kedge.Definition) { d.Checks[0].Exclusive = "../../x" }},
		{`prove "maybe" is neither`, func(d *kedge.Definition) { d.Checks[0].Prove = "maybe" }},
		{`timeout "5"`, func(d *kedge.Definition) { d.Checks[0].Timeout = "5" }},
		{`timeout "-5m"`, func(d *kedge.Definition) { d.Checks[0].Timeout = "-5m" }},
		{`two checks are called "unit"`, func(d *kedge.Definition) { d.Checks = append(d.Checks, d.Checks[0]) }},
		{"url", func(d *kedge.Definition) {
			d.Checks[0] = kedge.Check{Name: "h", HTTP: &kedge.HTTPCheck{URL: "file:///etc"}}
		}},
		{"http.status 7 is not", func(d *kedge.Definition) {
			d.Checks[0] = kedge.Check{Name: "h", HTTP: &kedge.HTTPCheck{URL: "http://x", Status: 7}}
		}},
		{"JSON cannot express", func(d *kedge.Definition) {
			d.Checks[0] = kedge.Check{Name: "h", HTTP: &kedge.HTTPCheck{URL: "http://x", JSON: func() {}}}
		}},
	} {
		d := feature("a", 1, "").Definition
		tc.change(&d)
		err := plan.Validate([]kedge.Feature{{Definition: d}})
		if tc.want == "" && err != nil {
			t.Error(err)
		} else if tc.want != "" {
			mustErr(t, err, kedge.Invalid, tc.want)
		}
	}
}

// ring is n features, each depending on the next and the last on the first.
func ring(n int) []kedge.Feature {
	out := make([]kedge.Feature, n)
	for i := range out {
		out[i] = feature(fmt.Sprintf("f%04d", i), 1, "", kedge.FeatureID(fmt.Sprintf("f%04d", (i+1)%n)))
	}
	return out
}

func TestRow91CycleIn5000Features(t *testing.T) {
	err := plan.Validate(ring(5000))
	mustErr(t, err, kedge.Invalid, "f0000 → f0001 → f0002", "more …", "f4999 → f0000")

	chain := ring(5000)
	chain[4999].Dependencies = nil
	if err := plan.Validate(chain); err != nil {
		t.Fatal(err)
	}
	chain[4000].Dependencies = append(chain[4000].Dependencies, "f3998")
	mustErr(t, plan.Validate(chain), kedge.Invalid, "f3998 → f3999 → f4000 → f3998")
	if got := plan.Order(chain); len(got) != 5000 || got[0].ID != "f4999" {
		t.Errorf("Order gave %d features, first %q", len(got), got[0].ID)
	}
}

func TestHopelessListIsBounded(t *testing.T) {
	var all []kedge.FeatureID
	var features []kedge.Feature
	for i := range 120 {
		all = append(all, kedge.FeatureID(fmt.Sprintf("f%d", i)))
	}
	for _, id := range all {
		features = append(features, feature(string(id), 1, "", all...))
	}
	if n := len(plan.Problems(features)); n != 10 {
		t.Errorf("%d problems, want 10", n)
	}
}

func TestRow90ReadyOnlyBehindCompleted(t *testing.T) {
	features := []kedge.Feature{
		feature("done", 1, kedge.Completed),
		feature("free", 5, kedge.Pending, "done"),
		feature("behind", 1, kedge.Pending, "free", "done"),
		feature("review", 1, kedge.NeedsReview),
		feature("after-review", 1, kedge.Pending, "review"),
		feature("skipped", 1, kedge.Skipped),
		feature("after-skipped", 1, kedge.Pending, "skipped"),
		feature("blocked", 1, kedge.BlockedWork),
		feature("going", 3, kedge.InProgress),
		feature("broken", 4, kedge.Regressed),
		feature("ghost", 1, kedge.Pending, "nobody"),
	}
	if got, want := ids(plan.Ready(features)), "going broken free"; got != want {
		t.Errorf("ready: %s, want %s", got, want)
	}
	for id, want := range map[kedge.FeatureID]string{
		"free":          "",
		"behind":        `feature "behind" waits for "free" (pending)`,
		"after-review":  `feature "after-review" waits for "review" (needs_review)`,
		"after-skipped": `feature "after-skipped" waits for "skipped" (skipped)`,
		"blocked":       `feature "blocked" is blocked`,
		"done":          `feature "done" is completed`,
		"ghost":         `feature "ghost" waits for "nobody" (unknown)`,
	} {
		s, err := plan.WhyNotReady(features, id)
		if err != nil || s.Why != want {
			t.Errorf("%s: %q %v, want %q", id, s.Why, err, want)
		}
	}
	_, err := plan.WhyNotReady(features, "nobody")
	mustErr(t, err, kedge.NotFound, `no feature "nobody"`)
}

func TestRow92NextByPriorityOrderID(t *testing.T) {
	features := []kedge.Feature{
		feature("z", 20, kedge.Pending), feature("c", 10, kedge.Pending, "z"), feature("b", 15, kedge.Pending), feature("a", 15, kedge.Pending),
	}
	next, ok := plan.Next(features)
	if !ok || next.ID != "b" {
		t.Errorf("next is %q: the lowest number that is ready, then the place in the list", next.ID)
	}
	if got, want := ids(plan.Order(features)), "b a z c"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
	for range 20 {
		if again, _ := plan.Next(features); again.ID != next.ID {
			t.Fatal("next is not deterministic")
		}
	}
}

func TestWhyNothing(t *testing.T) {
	for _, tc := range []struct {
		want     string
		features []kedge.Feature
	}{
		{"there are no features", nil},
		{"all features are done", []kedge.Feature{feature("a", 1, kedge.Completed), feature("b", 1, kedge.Skipped)}},
		{
			"nothing is ready: 1 needs review, 1 blocked, 1 waiting for another feature",
			[]kedge.Feature{feature("a", 1, kedge.NeedsReview), feature("b", 1, kedge.BlockedWork), feature("c", 1, kedge.Pending, "a")},
		},
	} {
		if _, ok := plan.Next(tc.features); ok {
			t.Errorf("something is next, want %q", tc.want)
		}
		if got := plan.WhyNothing(tc.features); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}

func TestOrderPutsCyclesLast(t *testing.T) {
	features := []kedge.Feature{feature("a", 1, "", "b"), feature("b", 2, "", "a"), feature("c", 9, ""), feature("d", 0, "", "a")}
	if got, want := ids(plan.Order(features)), "c d a b"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestT17HandEditsAreSeen(t *testing.T) {
	a, b := feature("a", 1, kedge.Pending), feature("b", 2, kedge.Completed, "a")
	journal := []kedge.Feature{a, b}
	edit := func(f func(list []kedge.Feature) []kedge.Feature) plan.FeatureFile {
		parsed, err := plan.ParseFeatures("f", plan.WriteFeatures(plan.FeatureFile{Features: journal}))
		if err != nil {
			t.Fatal(err)
		}
		parsed.Features = f(parsed.Features)
		return parsed
	}
	type list = []kedge.Feature
	for _, tc := range []struct {
		name, found, action string
		change              func(list) list
	}{
		{"nothing", "", "", func(l list) list { return l }},
		{"status flipped", `the status of feature "a" was set by hand to completed; the real status is pending`, plan.Reset, func(l list) list {
			l[0].Status = kedge.Completed
			return l
		}},
		{"check made easy", `the definition of feature "a" was changed: checks`, plan.Restored, func(l list) list {
			l[0].Checks[0].Run = "true"
			return l
		}},
		{"acceptance and priority", `the definition of feature "b" was changed: acceptance, priority`, plan.Restored, func(l list) list {
			l[1].Acceptance, l[1].Priority = []string{"looks right"}, 0
			return l
		}},
		{"removed", `feature "b" was removed`, plan.Restored, func(l list) list { return l[:1] }},
		{"added", `feature "c" was added by hand`, plan.Refused, func(l list) list { return append(l, feature("c", 1, kedge.Completed)) }},
		{"twice", `feature "a" is listed twice`, plan.Restored, func(l list) list { return append(l, l[0]) }},
		{"notes", `in feature "a", values that only Kedge may set were changed by hand: notes`, plan.Reset, func(l list) list {
			l[0].Notes = "verified"
			return l
		}},
		{"evidence", `in feature "a", values that only Kedge may set were changed by hand: evidence`, plan.Reset, func(l list) list {
			e := kedge.EvidenceID("evd-made-up")
			l[0].Evidence = &e
			return l
		}},
		{"order", "the order of the features was changed", plan.Restored, func(l list) list { return list{l[1], l[0]} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			edits := plan.Drifted(journal, edit(tc.change))
			if tc.found == "" {
				if len(edits) > 0 {
					t.Errorf("edits: %+v", edits)
				}
				return
			}
			if len(edits) != 1 || edits[0].Found != tc.found || edits[0].Action != tc.action {
				t.Errorf("edits: %+v, want %q %s", edits, tc.found, tc.action)
			}
		})
	}
	both := edit(func(l list) list {
		l[0].Status, l[0].Name, l[0].Notes = kedge.Completed, "easier", "done"
		return l
	})
	if edits := plan.Drifted(journal, both); len(edits) != 3 {
		t.Errorf("want three edits: %+v", edits)
	}
	var text []string
	for _, e := range plan.Drifted(journal, both) {
		text = append(text, e.Hint)
	}
	if !strings.Contains(strings.Join(text, "|"), "kedge feature amend a --reason WHY|kedge feature submit a") {
		t.Errorf("hints: %q", text)
	}
}

// TestValidateChange: what an older Kedge let in keeps nobody from other work, and does
// not pass when it is written again.
func TestValidateChange(t *testing.T) {
	old, fine := feature("old", 1, ""), feature("fine", 1, "")
	old.Checks = []kedge.Check{{Name: "own", Run: "true", Exclusive: "../../x"}}
	before := []kedge.Feature{old, fine}
	if err := plan.ValidateChange(before, append(before[:2:2], feature("new", 1, "", "old")), "new"); err != nil {
		t.Errorf("beside an old feature: %v", err)
	}
	mustErr(t, plan.ValidateChange(before, append(before[:2:2], feature("new", 1, "", "ghost")), "new"), kedge.Invalid, `"ghost"`)
	bad := fine
	bad.Checks = old.Checks
	mustErr(t, plan.ValidateChange(before, []kedge.Feature{old, bad}, "fine"), kedge.Invalid, `feature "fine": check "own": exclusive`)
	renamed := old
	renamed.Name = "Renamed"
	mustErr(t, plan.ValidateChange(before, []kedge.Feature{renamed, fine}, "old"), kedge.Invalid, `feature "old": check "own": exclusive`)
	mended := old
	mended.Checks = fine.Checks
	if err := plan.ValidateChange(before, []kedge.Feature{mended, fine}, "old"); err != nil {
		t.Errorf("a corrected feature: %v", err)
	}
}
