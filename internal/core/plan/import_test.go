package plan_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

func whats(findings []kedge.Finding) string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Where+" "+f.What)
	}
	return strings.Join(out, "\n")
}

// asFeatures is what a journal would hold after the import.
func asFeatures(im plan.Imported) []kedge.Feature {
	var out []kedge.Feature
	for _, c := range im.Features {
		out = append(out, kedge.Feature{Definition: c.Definition, FeatureState: kedge.FeatureState{Status: kedge.Pending, Files: c.Files, Notes: c.Notes}})
	}
	return out
}

func TestRow86ImportSeedUnchanged(t *testing.T) {
	im, err := plan.Import("features.json", "", read(t, "seed.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(im.Features) != 3 || len(im.Findings) > 0 {
		t.Fatalf("features %+v, findings %s", im.Features, whats(im.Findings))
	}
	if im.Features[0].Claim != kedge.Completed || im.Features[1].Claim != kedge.InProgress || im.Features[2].Claim != "" {
		t.Errorf("claims: %q %q %q", im.Features[0].Claim, im.Features[1].Claim, im.Features[2].Claim)
	}
	if err := plan.Validate(asFeatures(im)); err != nil {
		t.Error(err)
	}
	if next, _ := plan.Next(asFeatures(im)); next.ID != "user-entity" {
		t.Errorf("next is %q: a claim does not complete a feature", next.ID)
	}
	golden(t, "seed.golden.json", plan.WriteFeatures(plan.FeatureFile{Project: "shop", Features: asFeatures(im)}))
}

func TestRow86ImportAndExportAnthropic(t *testing.T) {
	b := read(t, "anthropic.json")
	im, err := plan.Import("feature_list.json", "", b)
	if err != nil {
		t.Fatal(err)
	}
	features := asFeatures(im)
	if got, want := ids(features), "new-chat-button-creates-a-fresh the-sidebar-collapses-on-narrow-screens the-sidebar-collapses-on-narrow-screens-2"; got != want {
		t.Errorf("ids %s, want %s", got, want)
	}
	if im.Features[1].Claim != kedge.Completed || len(im.Features[0].Steps) != 3 {
		t.Errorf("features %+v", im.Features)
	}
	if err := plan.Validate(features); err != nil {
		t.Error(err)
	}
	features[1].Status = kedge.Completed
	out, err := plan.Export(plan.FormatAnthropic, plan.FeatureFile{Features: features})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, b) {
		t.Errorf("exported:\n%s", out)
	}
}

func TestImportKeepsAndReportsWhatItDoesNotKnow(t *testing.T) {
	im, err := plan.Import("l.json", "", []byte(`{
  "owner": "x",
  "features": [
    {"id": "US-001", "title": "Log in", "estimate": {"days": 3}, "notes": "first", "status": "done"},
    {"id": 2, "name": "Log out", "dependencies": ["US-001"], "checks": [{"name": "u", "run": "true", "color": "red"}]},
    {"name": "Log out\nof everything", "dependencies": [2]}
  ]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ids(asFeatures(im)), "us-001 2 log-out-of-everything"; got != want {
		t.Errorf("ids %s, want %s", got, want)
	}
	if im.Features[0].Notes != "first\nstatus: done\nestimate: {\"days\":3}" || im.Features[0].Claim != "" {
		t.Errorf("notes %q, claim %q", im.Features[0].Notes, im.Features[0].Claim)
	}
	if im.Features[1].Dependencies[0] != "us-001" || im.Features[2].Dependencies[0] != "2" {
		t.Errorf("dependencies %v %v", im.Features[1].Dependencies, im.Features[2].Dependencies)
	}
	if f := im.Features[2]; f.Name != "Log out of everything" {
		t.Errorf("a name of two lines became %q", f.Name)
	}
	got := whats(im.Findings)
	for _, want := range []string{`l.json:2 Kedge does not know the key "owner"`, `l.json:4 the id "US-001" is not valid and became "us-001"`, `the key "estimate"`, `the key "status=done"`, `the key "checks[0].color"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLongNamesAreShortened(t *testing.T) {
	long := strings.Repeat("ä", plan.MaxName+1)
	im, err := plan.Import("l.json", "", []byte(`[{"id": "a", "name": "`+long+`"}]`))
	if err != nil || len(im.Findings) != 1 || im.Features[0].Notes != "name: "+long {
		t.Fatalf("%+v, %v", im, err)
	}
	if name := []rune(im.Features[0].Name); len(name) != plan.MaxName || plan.Validate(asFeatures(im)) != nil {
		t.Errorf("%d characters: %v", len(name), plan.Validate(asFeatures(im)))
	}
	p := kedge.Plan{Phases: []kedge.Phase{{ID: "p1", Title: "one", Items: []kedge.Item{{ID: "p1.1", Text: long}}}}}
	made := plan.Features(p, func(kedge.FeatureID) bool { return false })[0]
	if plan.Validate([]kedge.Feature{{Definition: made.Definition}}) != nil || !strings.HasPrefix(made.Description, long+"\n") {
		t.Errorf("item: %+v", made)
	}
}

func TestImportRefuses(t *testing.T) {
	for _, tc := range []struct{ name, format, in, want string }{
		{"duplicate key", "", "{\"features\": [\n{\"id\": \"a\", \"id\": \"b\"}]}", `l.json:2: duplicate key "id"`},
		{"duplicate id", "", "{\"features\": [{\"id\": \"a\"},\n{\"id\": \"a\"}]}", `l.json:2: two features have the id "a"`},
		{"duplicate id that is none", "", "[{\"id\": \"A B\"},\n{\"id\": \"A B\"}]", `l.json:2: two features have the id "A B"`},
		{"type", "", "{\"features\": [\n{\"id\": \"a\", \"steps\": \"one\"}]}", `l.json:2: feature "a": "steps" has a value of the wrong type`},
		{"dependency", "", `[{"id": "a", "dependencies": [{}]}]`, `"dependencies" has a value`},
		{"id", "", `[{"id": {}}]`, `"id" must be a string`},
		{"newer", "", "{\n\"version\": 2, \"features\": []}", "l.json:2: version is 2"},
		{"no list", "", `{}`, `no key "features"`},
		{"no list inside", "", `{"features": {}}`, `must be a list`},
		{"not objects", "", "[1]", "a feature must be an object"},
		{"null", "", "[null]", "a feature must be an object"},
		{"text", "", `"x"`, "a JSON object or a JSON array"},
		{"format", "xml", `[]`, `unknown format "xml"`},
		{"other format", "seed", `[]`, `not a feature list of the format "seed"`},
		{"no text", "", "[{\"id\": \"a\"},\n{\"steps\": [\"one\"], \"description\": \" \"}]", "l.json:2: feature 2 of the list has no id, no name and no description"},
		{"project", "", `{"project": 1, "features": []}`, `"project" must be a string`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := plan.Import("l.json", tc.format, []byte(tc.in))
			mustErr(t, err, kedge.Invalid, tc.want)
		})
	}
}

func TestExport(t *testing.T) {
	f := feature("a", 1, kedge.Completed)
	f.Acceptance, f.Notes = []string{"it works"}, "n"
	file := plan.FeatureFile{Project: "p", Features: []kedge.Feature{f}}
	for format, want := range map[string]string{
		plan.FormatAnthropic: `[{"category":"functional","description":"name of a","steps":["it works"],"passes":true}]`,
		plan.FormatSeed:      `{"features":[{"id":"a","name":"name of a","status":"completed","notes":"n"}]}`,
	} {
		b, err := plan.Export(format, file)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := json.Compact(&got, b); err != nil || got.String() != want+"\n" && got.String() != want {
			t.Errorf("%s: %s", format, got.String())
		}
	}
	b, err := plan.Export(plan.FormatKedge, file)
	if err != nil || !bytes.Equal(b, plan.WriteFeatures(file)) {
		t.Errorf("kedge: %v", err)
	}
	_, err = plan.Export("xml", file)
	mustErr(t, err, kedge.Invalid, "xml")
}

func FuzzImport(f *testing.F) {
	f.Add(read(f, "seed.json"))
	f.Add(read(f, "anthropic.json"))
	f.Add([]byte(formatExample))
	f.Add([]byte(`[{"id":"A"},{"name":"a"},{"name":"a"},{"id":"a-2"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		im, err := plan.Import("l.json", "", b)
		if err != nil {
			return
		}
		seen := map[kedge.FeatureID]bool{}
		for _, c := range im.Features {
			if !kedge.ValidName(string(c.ID)) || seen[c.ID] {
				t.Fatalf("id %q", c.ID)
			}
			seen[c.ID] = true
		}
		file := plan.FeatureFile{Project: im.Project, Features: asFeatures(im)}
		out := plan.WriteFeatures(file)
		if _, err := plan.ParseFeatures("f.json", out); err != nil {
			t.Fatalf("what was imported cannot be written: %v\n%s", err, out)
		}
		for _, format := range []string{plan.FormatSeed, plan.FormatAnthropic, plan.FormatKedge} {
			exported, err := plan.Export(format, file)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := plan.Import("l.json", format, exported); err != nil || len(again.Features) != len(im.Features) {
				t.Fatalf("%s is not read back: %v\n%s", format, err, exported)
			}
		}
	})
}

// FuzzImportFields reaches behind the JSON: any texts in the places of a list.
func FuzzImportFields(f *testing.F) {
	f.Add("a", "B c", "name", "completed", "key", "value")
	f.Add("", "", "", "", "", "")
	f.Add("x-2", "x", "X", "done", "passes", "true")
	f.Add("ünïcode", "a\x00b", "line\nbreak", "pending", "notes", "\xff")
	f.Fuzz(func(t *testing.T, id, other, name, status, key, value string) {
		rows := []map[string]any{
			{"id": id, "name": name, "status": status, key: value},
			{"id": other, "description": name, "dependencies": []string{id}},
			{"name": name, "steps": []string{value}, "owner": key},
		}
		b, err := json.Marshal(map[string]any{"features": rows})
		if err != nil {
			t.Fatal(err)
		}
		im, err := plan.Import("l.json", "", b)
		if err != nil {
			return
		}
		if len(im.Features) != 3 {
			t.Fatalf("%d features of 3", len(im.Features))
		}
		features := asFeatures(im)
		if err := plan.Validate(features); err != nil && !strings.Contains(err.Error(), "depends on") {
			t.Fatalf("imported, and not valid: %v", err)
		}
		if _, err := plan.ParseFeatures("f.json", plan.WriteFeatures(plan.FeatureFile{Features: features})); err != nil {
			t.Fatal(err)
		}
	})
}
