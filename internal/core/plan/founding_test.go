package plan_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
)

// founding is a plan with these fields behind the others.
func founding(t *testing.T, fields string) *plan.Doc {
	t.Helper()
	text := "---\nversion: 1\ntitle: A shop\nstatus: ready\n---\n\n## Questions\n\nnone\n\n## Root cause\n\nx\n\n## Files expected to change\n\n- src/**\n\n" +
		"## Assumptions\n\nnone\n\n## Invariants\n\nnone\n\n## Risks\n\nnone\n\n## Validation\n\n- `true`\n\n" + fields +
		"\n## Phase 1: start {#p1}\n\n- [ ] p1.1 the skeleton\n  check: test -e go.mod\n\n## Phase 2: more {#p2}\n\n- [ ] p2.1 an order\n  check: test -e order\n"
	d, err := plan.ParsePlan("plan.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func anyProgram(string) bool { return true }

func TestRow121PlanGivesSetUpAndChecks(t *testing.T) {
	d := founding(t, "## Structure\n\n- src: the code\n\n## Set-up\n\n- npm ci (once package.json)\n- `make deps`\n\n## Checks\n\n- test: go test ./... (once go.mod)\n- build-web: `npm run build`\n- style: ./style.sh (once scripts/style.sh)\n")
	if found := d.Check(anyProgram); plan.Failed(found) {
		t.Fatalf("%+v", found)
	}
	f, faults := plan.FoundingOf(d.Plan)
	if len(faults) > 0 || d.MissingFounding() != "" {
		t.Errorf("faults %v, missing %q", faults, d.MissingFounding())
	}
	if want := "if [ -e package.json ]; then npm ci; fi && make deps"; f.Setup != want {
		t.Errorf("set-up %q", f.Setup)
	}
	want := []kedge.Check{
		{Name: "test", Kind: kedge.CheckTest, Run: check.Once("go test ./...", "go.mod")},
		{Name: "build-web", Kind: kedge.CheckBuild, Run: "npm run build"},
		{Name: "style", Kind: kedge.CheckTest, Run: check.Once("./style.sh", "scripts/style.sh")},
	}
	if len(f.Checks) != len(want) {
		t.Fatalf("%+v", f.Checks)
	}
	for i, c := range f.Checks {
		if c.Name != want[i].Name || c.Kind != want[i].Kind || c.Run != want[i].Run {
			t.Errorf("check %+v, want %+v", c, want[i])
		}
	}
	features := plan.Features(d.Plan, func(kedge.FeatureID) bool { return false })
	if !strings.Contains(features[0].Description, "src: the code") || strings.Contains(features[1].Description, "src: the code") {
		t.Errorf("the structure is for the first phase: %q, %q", features[0].Description, features[1].Description)
	}
}

func TestRow121FaultsOfTheFields(t *testing.T) {
	for _, c := range []struct{ name, fields, want string }{
		{"no name", "## Checks\n\n- go test ./...\n", `field "Checks"`},
		{"twice", "## Checks\n\n- test: true\n- test: false\n", `field "Checks"`},
		{"outside", "## Checks\n\n- test: true (once ../x)\n", `field "Checks"`},
		{"an injection", "## Set-up\n\n- true (once a; rm -rf b)\n", `field "Set-up"`},
		{"empty", "## Set-up\n\n## Checks\n\n- test: true\n", `field "Set-up" is empty`},
		{"order", "## Checks\n\n- test: true\n\n## Structure\n\nx\n", "stands after"},
	} {
		found := founding(t, c.fields).Check(anyProgram)
		text := ""
		for _, f := range found {
			text += f.What + "\n"
		}
		if !plan.Failed(found) || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q", c.name, text)
		}
	}
	if d := founding(t, ""); plan.Failed(d.Check(anyProgram)) || strings.Count(d.MissingFounding(), "the plan needs the field") != 3 {
		t.Errorf("a plan that founds nothing is whole, and lacks the three fields: %q", d.MissingFounding())
	}
	if d := founding(t, "## Structure\n\nas it is\n\n## Set-up\n\nnone\n\n## Checks\n\nnone\n"); plan.Failed(d.Check(anyProgram)) || d.MissingFounding() != "" {
		t.Errorf("none is an answer: %+v", d.Check(anyProgram))
	}
}

func FuzzFounding(f *testing.F) {
	f.Add("- npm ci (once package.json)", "- test: go test ./... (once go.mod)")
	f.Fuzz(func(t *testing.T, setup, checks string) {
		p := kedge.Plan{Fields: []kedge.PlanField{{Name: "Set-up", Text: setup}, {Name: "Checks", Text: checks}}}
		got, faults := plan.FoundingOf(p)
		if len(faults) == 0 && strings.Contains(got.Setup, "[ -e -") {
			t.Errorf("%q: %q", setup, got.Setup)
		}
	})
}
