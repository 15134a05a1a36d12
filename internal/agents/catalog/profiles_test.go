package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
)

// TestProfilesAreWhole: a profile has every field, or says why not.
func TestProfilesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range catalog.All() {
		if seen[p.Name] {
			t.Errorf("two profiles are called %q", p.Name)
		}
		seen[p.Name] = true
		v := reflect.ValueOf(p)
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			if field == "Generic" || field == "Lacks" {
				continue
			}
			if _, lacks := p.Lacks[field]; v.Field(i).IsZero() != lacks && !p.Generic {
				t.Errorf("%s: %s is empty: %v, and it is said why: %v", p.Name, field, v.Field(i).IsZero(), lacks)
			}
		}
		for field, why := range p.Lacks {
			if !v.FieldByName(field).IsValid() || why == "" {
				t.Errorf("%s lacks %q because %q", p.Name, field, why)
			}
		}
		if p.Name == "" || p.Title == "" || p.About == "" || p.New == nil {
			t.Errorf("%s: %+v", p.Name, p)
		}
	}
}

// TestProfilesAgree: what a profile says in several places is the same.
func TestProfilesAgree(t *testing.T) {
	for _, p := range catalog.All() {
		var argv []string
		if p.Generic {
			argv = []string{"bot"}
		}
		a, err := p.New(argv)
		if err != nil || a.Kind() != p.Name || !p.Generic && a.Program() != p.Name {
			t.Fatalf("%s: %v, %v", p.Name, a, err)
		}
		s, shortens := a.(interface{ Shortens() bool })
		if shortens = shortens && s.Shortens(); shortens != slices.Contains(p.Hears, agents.Shorten) {
			t.Errorf("%s: its adapter can tell it to shorten its context: %v", p.Name, shortens)
		}
		if h := p.Hooks; h != nil {
			if h.Name != p.Name || (len(h.Entries) == 0) == (h.File == nil) || h.Settings.Variable == "" || h.Settings.File == "" {
				t.Errorf("%s: hooks %+v", p.Name, h)
			}
		}
		if f := p.Transcript; f != nil {
			if f.Agent != p.Name || f.Place == "" || f.Find == nil || f.Is == nil || (f.Read == nil) == (f.Database == nil) {
				t.Errorf("%s: transcripts %+v", p.Name, f)
			}
		}
		if p.Versions.Oldest != "" && (p.Versions.Broken == "" || p.Versions.Update == "") {
			t.Errorf("%s: what is wrong with old versions, and what to do, is not said", p.Name)
		}
	}
}

// TestProfilesTellWhatWasTried: what a profile says that reaches a session is what the
// suite of real programs found, in every version that it names.
func TestProfilesTellWhatWasTried(t *testing.T) {
	word := map[agents.WordKind]string{agents.Tell: "steer", agents.Interrupt: "interrupt", agents.Shorten: "shorten"}
	for _, p := range catalog.All() {
		for _, version := range p.Versions.Tried {
			known := readSuite(t, suiteFile(p.Name, version))
			for w, scenario := range word {
				why, played := known[scenario]
				if heard := slices.Contains(p.Hears, w); !played || heard != (why == "") {
					t.Errorf("%s %s hears %q: %v; the suite says %q", p.Name, version, w, heard, why)
				}
			}
		}
	}
}

// TestPins: the versions that make test-agents installs are those that the profiles
// call tried.
func TestPins(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "tools", "agents.sh"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "pinned=\"\n")
	list, _, _ := strings.Cut(rest, "\"")
	pinned := map[string][]string{}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) != 3 {
			t.Fatalf("%q is no pin", line)
		}
		pinned[words[0]] = append(pinned[words[0]], words[1])
	}
	for _, p := range catalog.All() {
		if !slices.Equal(pinned[p.Name], p.Versions.Tried) {
			t.Errorf("%s: pinned are %q, tried %q", p.Name, pinned[p.Name], p.Versions.Tried)
		}
		delete(pinned, p.Name)
	}
	if len(pinned) > 0 {
		t.Errorf("pinned are agents without a profile: %v", pinned)
	}
}

// The table of profiles in docs/reference/agents.md stands between these.
const (
	profilesBegin = "<!-- profiles: go test ./internal/agents/catalog -run TestProfileTable -update writes them -->\n"
	profilesEnd   = "<!-- /profiles -->\n"
)

// TestProfileTable: the documentation says of each agent what its profile says.
func TestProfileTable(t *testing.T) {
	inDoc(t, profilesBegin, profilesEnd, profileTable())
}

func profileTable() string {
	var out strings.Builder
	out.WriteString("\n| `kind` | agent | how Kedge drives it | tried versions | where it keeps its state | hooks | transcripts |\n|---|---|---|---|---|---|---|\n")
	var notes []string
	note := func(p agents.Profile, field, text string) string {
		why, lacks := p.Lacks[field]
		switch {
		case !lacks && text == "":
			return ""
		case !lacks:
			return text
		}
		i := slices.Index(notes, why)
		if i < 0 {
			notes = append(notes, why)
			i = len(notes) - 1
		}
		return fmt.Sprintf("no (%c)", 'a'+i)
	}
	for _, p := range catalog.All() {
		hooks, transcripts := "yes", "yes"
		if p.Generic {
			hooks, transcripts = "", ""
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s | %s | %s |\n", p.Name, p.Title, p.About, note(p, "Versions", strings.Join(p.Versions.Tried, ", ")),
			note(p, "Writes", code(p.Writes)), note(p, "Hooks", hooks), note(p, "Transcript", transcripts))
	}
	out.WriteString("\n")
	for i, why := range notes {
		fmt.Fprintf(&out, "- %c: %s\n", 'a'+i, why)
	}
	out.WriteString("\n")
	return out.String()
}

// code is a list of names as they are typed.
func code(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, "`"+n+"`")
	}
	return strings.Join(out, ", ")
}
