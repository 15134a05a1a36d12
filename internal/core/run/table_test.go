package run_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/core/run"
)

var update = flag.Bool("update", false, "rewrite testdata")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s changed (run with -update if meant):\n%s", name, got)
	}
}

// inDocs is the diagram that people read.
func inDocs(t *testing.T, now string) string {
	t.Helper()
	const begin, end = "```mermaid\n", "```\n"
	file := filepath.Join("..", "..", "..", "docs", "ARCHITECTURE.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(b), begin)
	shown, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no diagram", file)
	}
	if !*update {
		return shown
	}
	if err := os.WriteFile(file, []byte(before+begin+now+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
	return now
}

// TestTable renders every phase and event, so that a changed transition is a
// changed line in review.
func TestTable(t *testing.T) {
	table, still := run.Table()
	var b strings.Builder
	for _, l := range table {
		line := fmt.Sprintf("%-9s %-12s %-15s -> %-9s %v", l.From, l.Kind, l.Outcome, l.To, l.Commands)
		if l.Halt != "" {
			line += " halt=" + string(l.Halt)
		}
		if l.With != "" {
			line += " (" + l.With + ")"
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "%d pairs change nothing\n", still)
	golden(t, "table.golden", b.String())
}

func TestDiagramShowsTheWayOfAFeature(t *testing.T) {
	d := run.Diagram()
	if inDocs(t, d) != d {
		t.Errorf("docs/ARCHITECTURE.md shows another diagram (run with -update if meant):\n%s", d)
	}
	way := []run.Phase{
		run.Preparing, run.Baselining, run.Proving, run.Briefing, run.Working, run.Saving, run.Gating, run.Inspecting,
		run.Integrating, run.Committing, run.Recording, run.Ledgering, run.Done,
	}
	for i := range way[1:] {
		if want := fmt.Sprintf("    %s --> %s: ", way[i], way[i+1]); !strings.Contains(d, want) {
			t.Errorf("no arrow %q", want)
		}
	}
	table, _ := run.Table()
	for _, p := range run.Phases {
		if p != run.Done && !slices.ContainsFunc(table, func(l run.Transition) bool { return l.From == p && l.To != p }) {
			t.Errorf("nothing leads out of %s", p)
		}
	}
}
