package catalog_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/testkit/agenttest"
)

var results = flag.Bool("results", false, "write down which scenarios the real programs play")

// suite is what came of the scenarios with one version of a program: empty where
// it plays one, else the reason why not.
type suite map[string]string

func suiteFile(kind, version string) string {
	return filepath.Join("testdata", kind+"-"+version, "suite.json")
}

// noter writes down what a version can do, when that is asked for. Scenarios that
// were not played keep what was known of them.
func noter(t *testing.T, kind, version string) func(scenario, why string) {
	t.Helper()
	if !*results && !*update {
		return nil
	}
	path := suiteFile(kind, version)
	all := suite{}
	if b, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(b, &all); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		b, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			t.Error(err)
			return
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
			t.Error(err)
		}
	})
	return func(scenario, why string) { all[scenario] = why }
}

// The table in docs/reference/agents.md stands between these.
const (
	tableBegin = "<!-- from the results of make test-agents; go test ./internal/agents/catalog -run TestAgentTable -update writes it -->\n"
	tableEnd   = "<!-- end -->\n"
)

// TestAgentTable: what the documentation says that each program can do is what the
// suite found.
func TestAgentTable(t *testing.T) {
	inDoc(t, tableBegin, tableEnd, table(t))
}

// inDoc holds what stands between two lines of docs/reference/agents.md to a text, or writes it.
func inDoc(t *testing.T, begin, end, text string) {
	t.Helper()
	doc := filepath.Join("..", "..", "..", "docs", "reference", "agents.md")
	b, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(b), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for %q", doc, begin)
	}
	want := before + begin + text + end + after
	if *update {
		if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !*update && want != string(b) {
		t.Errorf("%s says something else than\n%s", doc, text)
	}
}

// readSuite gives what came of the scenarios with one version of a program.
func readSuite(t *testing.T, path string) suite {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s suite
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return s
}

// table has a line for each scenario and a column for each program, and under it
// the reasons for what one cannot do.
func table(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(suiteFile("*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no results: %v", err)
	}
	slices.Sort(files)
	var names []string
	var all []suite
	for _, path := range files {
		names, all = append(names, strings.Replace(filepath.Base(filepath.Dir(path)), "-", " ", 1)), append(all, readSuite(t, path))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "\n| | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	var whys []string
	for _, sc := range agenttest.Scenarios() {
		fmt.Fprintf(&out, "| %s |", sc.What)
		for _, s := range all {
			out.WriteString(" " + cell(s, sc.Name, &whys) + " |")
		}
		out.WriteString("\n")
	}
	out.WriteString("\n")
	for i, why := range whys {
		fmt.Fprintf(&out, "%d. %s\n", i+1, why)
	}
	out.WriteString("\n")
	return out.String()
}

// cell is yes, no with the number of its reason, or that it was not tried.
func cell(s suite, scenario string, whys *[]string) string {
	why, known := s[scenario]
	switch {
	case !known:
		return "not tried"
	case why == "":
		return "yes"
	}
	i := slices.Index(*whys, why)
	if i < 0 {
		*whys = append(*whys, why)
		i = len(*whys) - 1
	}
	return fmt.Sprintf("no (%d)", i+1)
}
