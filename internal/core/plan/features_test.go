package plan_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/plan"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, name); !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", file, got, want)
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// feature makes a small valid feature.
func feature(id string, priority int, status kedge.Status, deps ...kedge.FeatureID) kedge.Feature {
	return kedge.Feature{
		Definition: kedge.Definition{
			ID: kedge.FeatureID(id), Name: "name of " + id, Priority: priority, Dependencies: deps,
			Checks: []kedge.Check{{Name: "unit", Run: "go test ./" + id}},
		},
		FeatureState: kedge.FeatureState{Status: status},
	}
}

func ids(features []kedge.Feature) string {
	var out []string
	for _, f := range features {
		out = append(out, string(f.ID))
	}
	return strings.Join(out, " ")
}

func mustErr(t *testing.T, err error, kind kedge.Kind, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s with %q", kind, parts)
	}
	if kedge.KindOf(err) != kind {
		t.Errorf("kind %s, want %s: %v", kedge.KindOf(err), kind, err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
}

// The example of the on-disk format, as people are shown it.
const formatExample = `{"version": 1, "project": "shop", "features": [{
  "id": "order-entity", "name": "Order entity with User relationship", "phase": "p2", "category": "functional", "priority": 20,
  "description": "One-to-many with User; virtual orderTotal.", "dependencies": ["user-entity"],
  "acceptance": ["POST /orders returns 201 and the order is listed for its user"], "steps": [], "paths": ["src/models/Order*"],
  "checks": [{"name": "unit", "run": "npm test -- order", "timeout": "5m", "prove": "fails"},
             {"name": "api", "http": {"method": "GET", "url": "http://127.0.0.1:{port}/orders/1", "status": 200, "json": {"userId": 1}}},
             {"name": "e2e", "run": "npx playwright test order.spec.ts", "evidence": ["test-results/**"]}],
  "budget": {"tokens": 200000, "usd": 5.0, "attempts": 1},
  "status": "in_progress", "files": ["src/models/Order.ts"], "notes": "", "completedAt": null, "evidence": null}]}`

func TestRow86FeatureFileWritesBackTheSame(t *testing.T) {
	f, err := plan.ParseFeatures("features.json", []byte(formatExample))
	if err != nil {
		t.Fatal(err)
	}
	b := plan.WriteFeatures(f)
	golden(t, "features.golden.json", b)
	again, err := plan.ParseFeatures("features.json", b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, again) || !bytes.Equal(b, plan.WriteFeatures(again)) {
		t.Error("what was written reads back as something else")
	}
	if len(f.Features[0].Checks) != 3 || f.Features[0].Checks[1].HTTP.Status != 200 {
		t.Errorf("checks: %+v", f.Features[0].Checks)
	}
}

func TestWriteFeaturesHasListsAndUTC(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("x", 3600))
	f := feature("a", 1, "")
	f.CompletedAt = &at
	b := string(plan.WriteFeatures(plan.FeatureFile{Features: []kedge.Feature{f}}))
	for _, want := range []string{`"dependencies": []`, `"files": []`, `"status": "pending"`, `"completedAt": "2026-01-02T02:04:05Z"`} {
		if !strings.Contains(b, want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
	empty := string(plan.WriteFeatures(plan.FeatureFile{Project: "p"}))
	if want := "{\n  \"version\": 1,\n  \"project\": \"p\",\n  \"features\": []\n}\n"; empty != want {
		t.Errorf("empty list: %q", empty)
	}
}

func TestParseFeaturesRefuses(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"no version", `{"features": []}`, "the file has version 0"},
		{"newer", `{"version": 2, "project": "", "features": []}`, "the file has version 2"},
		{"unknown key", "{\"version\": 1,\n\"owner\": \"x\"}", `f.json:2: unknown key "owner"`},
		{"unknown key in a feature", "{\"version\": 1,\n\"features\": [{\n\"ID\": \"x\"}]}", `f.json:3: unknown key "ID"`},
		{"duplicate", "{\"version\": 1,\n\"features\": [{\"status\": \"pending\",\n\"status\": \"completed\"}]}", `f.json:3: duplicate key "status"`},
		{"status", `{"version": 1, "features": [{"id": "a", "status": "done"}]}`, `"a" has the unknown status "done"`},
		{"array", `[]`, "f.json:1"},
		{"conflict marks", "<<<<<<< ours\n{}", "f.json:1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := plan.ParseFeatures("f.json", []byte(tc.in))
			mustErr(t, err, kedge.Invalid, tc.want)
		})
	}
}

func TestCanonical(t *testing.T) {
	a := feature("a", 1, "").Definition
	b := a
	b.Steps, b.Paths, b.Dependencies = []string{}, []string{}, []kedge.FeatureID{}
	x, hx := plan.Canonical(a)
	y, hy := plan.Canonical(b)
	if !bytes.Equal(x, y) || hx != hy || len(hx) != 64 {
		t.Errorf("nil and empty lists differ: %s %s", x, y)
	}
	b.Checks = []kedge.Check{{Name: "unit", Run: "true"}}
	if _, h := plan.Canonical(b); h == hx {
		t.Error("another check has the same hash")
	}
	b.Checks[0].Run = "printf '\xff' && a < b"
	first, h := plan.Canonical(b)
	var back kedge.Definition
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if _, again := plan.Canonical(back); again != h {
		t.Errorf("the hash changes when the definition is stored and read: %s", first)
	}
	if bytes.Contains(first, []byte(`\u0026`)) || bytes.HasSuffix(first, []byte("\n")) {
		t.Errorf("canonical form: %s", first)
	}
}

func FuzzParseFeatures(f *testing.F) {
	f.Add([]byte(formatExample))
	f.Add([]byte(`{"version":1,"project":"x","features":[{"id":"a","status":"pending","completedAt":"2026-01-02T03:04:05.5+02:00"}]}`))
	f.Add([]byte(`{"version":1,"features":[{"id":"a","status":"pending","checks":[{"name":"p","tcp":"127.0.0.1:{port}"}]}]}`))
	f.Add([]byte(`{"version":1,"features":[{"id":"a","status":"pending","checks":[{"name":"h","http":{"url":"x","json":[1e400,{"a":null}]}}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := plan.ParseFeatures("f.json", b)
		if err != nil {
			return
		}
		once := plan.WriteFeatures(file)
		again, err := plan.ParseFeatures("f.json", once)
		if err != nil {
			t.Fatalf("its own output is refused: %v\n%s", err, once)
		}
		if !bytes.Equal(once, plan.WriteFeatures(again)) {
			t.Fatalf("not stable:\n%s", once)
		}
		if edits := plan.Drifted(file.Features, again); len(file.Features) < 2 && len(edits) > 0 {
			t.Fatalf("drift against itself: %+v", edits)
		}
		_ = plan.Validate(file.Features)
		if got := plan.Order(file.Features); len(got) != len(file.Features) {
			t.Fatalf("Order lost features: %d of %d", len(got), len(file.Features))
		}
	})
}
