package plan_test

import (
	"os"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

// The draft shows every part, and cannot be approved before somebody wrote
// something: what is missing is named.
func TestTemplateShowsEveryPart(t *testing.T) {
	for _, title := range []string{"Strict matching", ` "quoted": # it `, "ümlaut"} {
		d := parse(t, string(plan.Template(title)))
		if d.Plan.Title != title || d.Plan.Status != kedge.PlanDrafting || len(d.Plan.Fields) != 6 || len(d.Plan.Questions) != 1 {
			t.Errorf("%q: %+v", title, d.Plan)
		}
		if len(d.Plan.Phases) != 1 || d.Plan.Phases[0].Prompt == "" || len(d.Plan.Phases[0].Items) != 2 {
			t.Fatalf("phases: %+v", d.Plan.Phases)
		}
		first, second := d.Plan.Phases[0].Items[0], d.Plan.Phases[0].Items[1]
		if len(first.Checks) == 0 || len(first.Paths) < 2 || len(second.After) == 0 {
			t.Errorf("an item lacks a part: %+v", d.Plan.Phases[0].Items)
		}
		findings := d.Check(everywhere)
		for _, f := range d.Plan.Fields {
			if !strings.Contains(whats(findings), `field "`+f.Name+`" is empty`) {
				t.Errorf("field %q is not asked for:\n%s", f.Name, whats(findings))
			}
		}
		for _, left := range []string{
			`the prompt of phase "p1" is still`, `item "p1.1" is still the example of the draft: <say`, `item "p1.1" is still the example of the draft: <a command>`,
			`item "p1.1" is still the example of the draft: <src/**>`, `item "p1.1" is still the example of the draft: <docs/*.md>`, `item "p1.2" is still`,
		} {
			if !strings.Contains(whats(findings), left) {
				t.Errorf("not found: %s:\n%s", left, whats(findings))
			}
		}
		if len(findings) != 13 { // six fields, one question, six to replace
			t.Errorf("findings:\n%s", whats(findings))
		}
	}
}

// The example of the documentation is a whole plan.
func TestDocumentedPlanPasses(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/plan-format.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "\n````markdown\n")
	example, _, closed := strings.Cut(rest, "\n````\n")
	if !ok || !closed {
		t.Fatal("docs/reference/plan-format.md has no example between lines of four backticks")
	}
	d := parse(t, example+"\n")
	if findings := d.Check(everywhere); len(findings) > 0 {
		t.Errorf("findings:\n%s", whats(findings))
	}
	if features := plan.Features(d.Plan, func(kedge.FeatureID) bool { return false }); len(features) != 4 || len(d.Plan.Phases) != 2 {
		t.Errorf("%d features of %d phases", len(features), len(d.Plan.Phases))
	}
}
