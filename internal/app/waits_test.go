package app_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/projects"
)

// TestT17OnlyYourPathsLetFilesIn: protected files wait for you, by hand too, whoever
// submits. The paths of a feature let them in where you wrote them; an agent's do not.
func TestT17OnlyYourPathsLetFilesIn(t *testing.T) {
	const ci = ".github/workflows/ci.yml"
	for name, of := range map[string]struct {
		paths []string
		by    func(y *yard) projects.Caller
		waits bool
	}{
		"no paths":     {nil, (*yard).person, true},
		"yours":        {[]string{"done", ci}, (*yard).person, false},
		"your pattern": {[]string{"done", ".github/**"}, (*yard).person, false},
		"everything":   {[]string{"**"}, (*yard).person, true},
		"an agent's":   {[]string{"done", ci}, (*yard).agent, true},
	} {
		t.Run(name, func(t *testing.T) {
			y := anchored(t)
			d := kedge.Definition{ID: "a", Name: "a", Checks: []kedge.Check{{Name: "own", Run: "test -e done"}}, Paths: of.paths}
			if _, err := y.s.FeatureAdd(t.Context(), of.by(y), features.FeatureAddRequest{Definition: d}); err != nil {
				t.Fatal(err)
			}
			y.put(ci, "on: push\n")
			y.put("done", "")
			r := y.submit(y.agent(), "a")
			waits := slices.ContainsFunc(r.Verdict.Findings, func(f kedge.Finding) bool { return f.Waits && f.Where == ci })
			if !r.Verdict.Green() || waits != of.waits || (r.Feature.Status == kedge.NeedsReview) != of.waits {
				t.Fatalf("%+v", r)
			}
			if of.waits && !strings.Contains(r.Reason, "it needs your approval: "+ci+" (a file was added in a protected folder)") {
				t.Errorf("the reason is %q", r.Reason)
			}
		})
	}
}

// TestAmendedByYou: what an agent drafted is yours once you amend it.
func TestAmendedByYou(t *testing.T) {
	y := anchored(t)
	d := kedge.Definition{ID: "a", Name: "a", Checks: []kedge.Check{{Name: "own", Run: "test -e done"}}, Paths: []string{"done", "tool"}}
	if _, err := y.s.FeatureAdd(t.Context(), y.agent(), features.FeatureAddRequest{Definition: d}); err != nil {
		t.Fatal(err)
	}
	d.Description = "a tool"
	if _, err := y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: d, Reason: "looked at it"}); err != nil {
		t.Fatal(err)
	}
	y.put("tool", "\x7fELF\x02\x01\x00\x00")
	y.put("done", "")
	if r := y.submit(y.agent(), "a"); r.Feature.Status != kedge.Completed {
		t.Errorf("%+v", r)
	}
}

// TestWithoutChecksTheReasonIsWhole: a feature without checks waits anyway, and you are
// told what else there is to look at.
func TestWithoutChecksTheReasonIsWhole(t *testing.T) {
	y := newYard(t, true)
	y.add("a", unchecked)
	y.put("a.zip", "PK\x03\x04\x00\x00")
	r := y.submit(y.person(), "a")
	if r.Feature.Status != kedge.NeedsReview || !strings.Contains(r.Reason, "it has no checks: you must accept it; it needs your approval: a.zip (an archive was added: zip, 6 bytes)") {
		t.Errorf("%+v", r)
	}
}
