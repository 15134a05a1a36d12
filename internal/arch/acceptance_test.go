package arch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listFile holds the numbers, what each one promises, and whether it is claimed.
const listFile = "testdata/acceptance.txt"

// The states of an entry; the head of listFile says what they mean.
const (
	held  = "held"
	part  = "part"
	later = "later"
)

// An area is a heading of the list with what stands below it.
type area struct {
	title   string
	entries []entry
}

// An entry is one promise of the list.
type entry struct {
	number
	state   string
	text    string // what you can observe
	missing string // what of it is not built yet
}

func entries(areas []area) []entry {
	var all []entry
	for _, a := range areas {
		all = append(all, a.entries...)
	}
	return all
}

func acceptance(t *testing.T) []area {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(listFile))
	if err != nil {
		t.Fatal(err)
	}
	areas, err := parseList(string(b))
	if err != nil {
		t.Fatal(err)
	}
	return areas
}

// parseList reads the list; an error names the line.
func parseList(text string) ([]area, error) {
	var areas []area
	for i, line := range strings.Split(text, "\n") {
		title, heading := strings.CutPrefix(line, "## ")
		switch {
		case heading && len(areas) > 0 && len(areas[len(areas)-1].entries) == 0:
			return nil, fmt.Errorf("%s:%d: the heading before this one has no entry", listFile, i+1)
		case heading:
			areas = append(areas, area{title: title})
			continue
		case line == "", strings.HasPrefix(line, "#"):
			continue
		case len(areas) == 0:
			return nil, fmt.Errorf("%s:%d: an entry before the first heading", listFile, i+1)
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", listFile, i+1, err)
		}
		last := &areas[len(areas)-1]
		last.entries = append(last.entries, e)
	}
	return areas, nil
}

var written = regexp.MustCompile(`^([TF]?)([1-9]\d*)$`)

func parseEntry(line string) (entry, error) {
	fields := strings.Split(line, " | ")
	m := written.FindStringSubmatch(fields[0])
	switch {
	case m == nil:
		return entry{}, fmt.Errorf("%q is no number of a row, threat or fault", fields[0])
	case len(fields) < 3:
		return entry{}, fmt.Errorf("%s needs a state and a sentence", fields[0])
	case !slices.Contains([]string{held, part, later}, fields[1]):
		return entry{}, fmt.Errorf("the state of %s is %q, not %s, %s or %s", fields[0], fields[1], held, part, later)
	case !strings.HasSuffix(fields[2], "."):
		return entry{}, fmt.Errorf("the sentence of %s has no full stop", fields[0])
	case fields[1] == part && len(fields) != 4, fields[1] != part && len(fields) != 3:
		return entry{}, fmt.Errorf("%s is %q and has %d fields: only %s has a fourth", fields[0], fields[1], len(fields), part)
	}
	class := m[1]
	if class == "" {
		class = "Row"
	}
	e := entry{number: numberOf(class, m[2]), state: fields[1], text: fields[2]}
	if e.state == part {
		e.missing = fields[3]
	}
	return e, nil
}

// TestAcceptanceListIsWhole: every number from 1 to the last of its class stands
// in the list once.
func TestAcceptanceListIsWhole(t *testing.T) {
	for class, last := range map[string]int{"Row": 122, "T": 23, "F": 32} {
		times := map[int]int{}
		for _, e := range entries(acceptance(t)) {
			if e.class == class {
				times[e.n]++
				last = max(last, e.n)
			}
		}
		for n := 1; n <= last; n++ {
			if times[n] != 1 {
				t.Errorf("%s has %s %d times", listFile, number{class, n}, times[n])
			}
		}
	}
}

// TestAcceptancePage: docs/acceptance.md is what the list and the names of the
// tests give.
func TestAcceptancePage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "acceptance.md")
	want := page(acceptance(t), proofs(t))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if line := firstDifference(string(b), want); line != "" {
		t.Errorf("docs/acceptance.md is out of date at: %s\nnext: go test ./internal/arch -run Acceptance -update", line)
	}
}

// firstDifference gives the first line of want that got does not have in its
// place, or that got ends differently; nothing when they are equal.
func firstDifference(got, want string) string {
	if got == want {
		return ""
	}
	have := strings.Split(got, "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(have) || have[i] != line {
			return fmt.Sprintf("%d: %s", i+1, line)
		}
	}
	return "its end"
}

// opening is the start of the page. Its figures: rows, threats, faults, how many are
// in this build, of how many, and how many of those in part.
const opening = "# Acceptance: what Kedge promises\n\n" +
	"This list has everything that Kedge is meant to do: %d rows, %d threats (what an attacker\n" +
	"tries) and %d faults (what breaks). Each line says what you can observe, and names the tests\n" +
	"and scripts that prove it. This build has %d of these %d lines. Of %d lines it has only a part:\n" +
	"the last column then says what is missing.\n\n" +
	"A number never changes. The names of tests contain it: `TestRow26…`, `TestT7…`, `TestF13…`,\n" +
	"`worktree_row21`.\n\n" +
	"| to run | command |\n|---|---|\n" +
	"| a test | `go test ./... -run NAME` |\n" +
	"| a script | `go test ./cmd/kedge -run TestScript/NAME` |\n" +
	"| the scripts in a folder `live`, with real agents | `make test-agents` |\n\n" +
	"`go test ./internal/arch -run Acceptance -update` writes this page from the names of the tests and from\n" +
	"[the list](../internal/arch/" + listFile + "). Edit the list, not this page.\n"

// heads are the heads of the first column.
var heads = map[string]string{"Row": "row", "T": "threat", "F": "fault"}

// page writes the list with its tests as Markdown.
func page(areas []area, found map[number][]proof) string {
	count := map[string]int{}
	all := entries(areas)
	for _, e := range all {
		count[e.class]++
		count[e.state]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, opening, count["Row"], count["T"], count["F"], count[held]+count[part], len(all), count[part])
	for _, a := range areas {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | what you can observe | tests |\n|---|---|---|\n", a.title, heads[a.entries[0].class])
		for _, e := range a.entries {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", e.number, e.text, cell(e, found[e.number]))
		}
	}
	return b.String()
}

// shown is how many tests a cell names.
const shown = 4

// cell gives the last column of an entry.
func cell(e entry, list []proof) string {
	if e.state == later {
		return "not built yet"
	}
	var names []string
	for _, p := range list[:min(shown, len(list))] {
		names = append(names, link(p))
	}
	text := strings.Join(names, ", ")
	if rest := len(list) - len(names); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	if e.state == part {
		text += "; not yet: " + e.missing
	}
	return text
}

func link(p proof) string {
	if p.path == "" {
		return "`" + p.name + "`"
	}
	return "[" + p.name + "](../" + p.path + ")"
}

// TestAcceptanceLines: a line that is wrong is refused with its place.
func TestAcceptanceLines(t *testing.T) {
	for line, want := range map[string]string{
		"## Another":                             ":2: the heading before this one has no entry",
		"X1 | held | It works.":                  `:2: "X1" is no number of a row, threat or fault`,
		"0 | held | It works.":                   `:2: "0" is no number of a row, threat or fault`,
		"1 | held":                               ":2: 1 needs a state and a sentence",
		"T1 | done | It works.":                  `:2: the state of T1 is "done", not held, part or later`,
		"F1 | held | It works":                   ":2: the sentence of F1 has no full stop",
		"1 | part | It works.":                   `:2: 1 is "part" and has 3 fields: only part has a fourth`,
		"1 | later | It works. | in the browser": `:2: 1 is "later" and has 4 fields: only part has a fourth`,
	} {
		if _, err := parseList("## Area\n" + line); err == nil || err.Error() != listFile+want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestAcceptanceNeedsAHeading(t *testing.T) {
	if _, err := parseList("1 | held | It works."); err == nil || err.Error() != listFile+":1: an entry before the first heading" {
		t.Errorf("got %v", err)
	}
}

// TestAcceptanceCells: at most four tests are named, scripts as links.
func TestAcceptanceCells(t *testing.T) {
	list := []proof{{"x_row1", "a/x_row1.txtar"}, {name: "TestRow1A"}, {name: "TestRow1B"}, {name: "TestRow1C"}, {name: "TestRow1D"}}
	first := "[x_row1](../a/x_row1.txtar), `TestRow1A`, `TestRow1B`, `TestRow1C`"
	for _, c := range []struct {
		e    entry
		list []proof
		want string
	}{
		{entry{state: held}, list, first + " and 1 more"},
		{entry{state: held}, list[:4], first},
		{entry{state: part, missing: "in the browser"}, list[:4], first + "; not yet: in the browser"},
		{entry{state: later}, nil, "not built yet"},
	} {
		if got := cell(c.e, c.list); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
