package service_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/service"
)

var update = flag.Bool("update", false, "write the golden files anew")

// varying is what differs from run to run in an answer.
var varying = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`\b([a-z]{3})-[0-9a-z]{26}\b`), "$1-ID"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "GITHASH"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "SHA256"},
	{regexp.MustCompile(`"pid": \d+`), `"pid": 1`},
}

// golden compares the JSON of an answer, which is what --json prints, with the
// file that holds its shape.
func (pl *place) golden(name string, v any) {
	pl.t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		pl.t.Fatal(err)
	}
	got := strings.ReplaceAll(buf.String(), pl.dir, "DIR")
	for _, r := range varying {
		got = r.pattern.ReplaceAllString(got, r.as)
	}
	file := filepath.Join("testdata", "brief", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			pl.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			pl.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		pl.t.Fatal(err)
	}
	if got != string(want) {
		pl.t.Errorf("%s differs (-update writes it anew):\n%s", file, got)
	}
}

func TestShapesOfWhatIsTold(t *testing.T) {
	pl := newPlace(t, true)
	pl.fact(kedge.FeatureAdded, featureFact(t, 1, kedge.Definition{ID: "login", Name: "Log in", Priority: 1, Checks: []kedge.Check{{Name: "unit", Run: "make test"}}}))
	pl.fact(kedge.RiskOpened, kedge.Risk{ID: kedge.RiskID(kedge.NewID("rsk", pl.now)), Text: "clock skew", OpenedAt: pl.now})
	pl.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: kedge.Decision{
		ID: kedge.DecisionID(kedge.NewID("dec", pl.now)), Status: kedge.DecisionLocked, Title: "JWT", Why: "stateless",
		Rejected: []kedge.Rejected{{What: "cookies", Reason: "the API has no browser"}},
	}})
	pl.golden("checkpoint.json", pl.save(service.CheckpointSaveRequest{Files: []string{"a.txt"}}))
	h, err := pl.s.HandoffSave(t.Context(), pl.who(), service.HandoffSaveRequest{Percent: 60, State: "auth", Approach: "JWT", Constraints: []string{"v1 stays"}})
	if err != nil {
		t.Fatal(err)
	}
	pl.golden("handoff.json", h)
	pl.put("a.txt", "one\ntwo\n")
	pl.golden("status.json", pl.status())
	pl.golden("prime.json", pl.prime(0))
	pl.put(".kedge/handoff.md", "mine\n")
	l, err := pl.s.HandoffLint(t.Context(), pl.who(), service.LintRequest{})
	if err != nil || l.OK {
		t.Fatalf("lint = %+v, %v", l, err)
	}
	pl.golden("lint.json", l)
}
