package memory_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/memory"
)

func feature(name string, status kedge.Status) kedge.Feature {
	return kedge.Feature{
		Definition:   kedge.Definition{ID: kedge.FeatureID(name), Name: "The " + name},
		FeatureState: kedge.FeatureState{Status: status},
	}
}

func facts() memory.Facts {
	done, evidence := feature("user-entity", kedge.Completed), kedge.EvidenceID(id("evd", '1'))
	when := at
	done.CompletedAt, done.Evidence, done.Files = &when, &evidence, []string{"src/User.ts", "src/UserResolver.ts"}
	open, stuck := feature("order-entity", kedge.InProgress), feature("cart", kedge.BlockedWork)
	open.Notes, stuck.Notes = "needs a virtual orderTotal", "no database in CI\n<!-- kedge:end known-issues -->"
	return memory.Facts{
		Features: []kedge.Feature{done, open, feature("later", kedge.Pending), stuck, feature("old", kedge.Regressed)},
		Risks:    []kedge.Risk{risk('1', "no load test"), closed(risk('2', "gone"), "done")},
		Decisions: []kedge.Decision{
			decision('1', "Embed categories"),
			{ID: "dec-x", Status: kedge.DecisionSuperseded, Title: "Old"},
		},
		Log: []memory.LogEntry{{At: at, Text: "user-entity completed"}, {At: at.Add(time.Minute), Text: "cart blocked\nfor good"}},
	}
}

func TestRow93Progress(t *testing.T) {
	first := memory.WriteProgress(nil, facts())
	golden(t, "progress.md", first)
	if again := memory.WriteProgress(first, facts()); string(again) != string(first) {
		t.Errorf("the second time it differs:\n%s", again)
	}
	p, err := memory.ParseProgress("progress.md", first)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range p.Sections {
		names = append(names, s.Name)
	}
	if want := []string{"Completed", "In progress", "Known issues", "Decisions"}; !reflect.DeepEqual(names, want) {
		t.Errorf("sections %q, want %q", names, want)
	}
	if len(p.Log) != 2 || len(p.Sections[2].Facts) != 3 {
		t.Errorf("log %q, known issues %q", p.Log, p.Sections[2].Facts)
	}
}

func TestRow93ProgressKeepsPeoplesParagraphs(t *testing.T) {
	text := string(memory.WriteProgress(nil, facts()))
	for _, r := range []struct{ old, new string }{
		{"# Progress\n", "# Progress\n\nWhat the team should know.\n"},
		{"## In progress", "The entity took two tries.\n\n## In progress"},
		{"<!-- kedge:begin decisions -->\n", "We argued a lot.\n\n<!-- kedge:begin decisions -->\n"},
		{"- order-entity", "a paragraph in the wrong place\n- buy milk\n- order-entity"},
		{"## Log\n", "## Ideas\n\nA heading of our own.\n\n## Log\n\nbegun by hand\n"},
	} {
		text = strings.Replace(text, r.old, r.new, 1)
	}
	f := facts()
	f.Features[1].Status = kedge.Completed
	f.Log = append(f.Log, memory.LogEntry{At: at.Add(time.Hour), Text: "order-entity completed"})
	got := memory.WriteProgress([]byte(text), f)
	golden(t, "progress-people.md", got)
	for _, keep := range []string{
		"What the team should know.", "The entity took two tries.", "We argued a lot.", "a paragraph in the wrong place", "- buy milk",
		"## Ideas", "A heading of our own.", "begun by hand", "user-entity completed", "order-entity completed",
	} {
		if !strings.Contains(string(got), keep) {
			t.Errorf("%q is lost", keep)
		}
	}
	if again := memory.WriteProgress(got, f); string(again) != string(got) {
		t.Errorf("the second time it differs:\n%s", again)
	}
}

func TestProgressLinesAreShort(t *testing.T) {
	d := decision('1', "Long")
	d.Why = strings.Repeat("wörter ", 1000)
	p, err := memory.ParseProgress("p.md", memory.WriteProgress(nil, memory.Facts{Decisions: []kedge.Decision{d}}))
	if err != nil || len([]rune(p.Sections[3].Facts[0])) > 320 || !strings.HasSuffix(p.Sections[3].Facts[0], "…") {
		t.Errorf("%v, %q", err, p.Sections[3].Facts)
	}
}

func TestProgressAfterMerge(t *testing.T) {
	base := string(memory.WriteProgress(nil, memory.Facts{}))
	twice := base + strings.TrimPrefix(base, "<!-- kedge:progress v1 -->\n# Progress\n") + "- a line of another branch\n"
	got := memory.WriteProgress([]byte(twice), facts())
	if _, err := memory.ParseProgress("p.md", got); err != nil {
		t.Errorf("%v in\n%s", err, got)
	}
	if !strings.Contains(string(got), "- a line of another branch") {
		t.Errorf("a log line is lost:\n%s", got)
	}
}

func TestProgressEdits(t *testing.T) {
	text := string(memory.WriteProgress(nil, facts()))
	if got := memory.ProgressEdits([]byte(text), facts()); got != nil {
		t.Errorf("untouched, but edits %q", got)
	}
	crlf := strings.ReplaceAll(text, "\n", "\r\n") + "\r\nmy own words\r\n"
	if got := memory.ProgressEdits([]byte(crlf), facts()); got != nil {
		t.Errorf("only a paragraph added, but edits %q", got)
	}
	edited := strings.Replace(text, "- old: regressed: The old\n", "- old: fine\n", 1)
	want := []string{"+- old: fine", "-- old: regressed: The old"}
	if got := memory.ProgressEdits([]byte(edited), facts()); !reflect.DeepEqual(got, want) {
		t.Errorf("edits %q, want %q", got, want)
	}
	later := facts()
	later.Features[4].Status = kedge.Completed
	if got := memory.ProgressEdits([]byte(text), later); got != nil {
		t.Errorf("only out of date, but edits %q", got)
	}
}

func TestParseProgressRefuses(t *testing.T) {
	good := string(memory.WriteProgress(nil, facts()))
	tests := []struct{ name, old, new, want string }{
		{"version", "progress v1", "progress v2", `p.md:1: Kedge does not know version "<!-- kedge:progress v2 -->"`},
		{"no version", "<!-- kedge:progress v1 -->\n", "", "p.md:1: the version is missing"},
		{"missing section", "## Known issues\n", "", `p.md:17: marker "<!-- kedge:begin known-issues -->" is in the wrong place`},
		{"renamed", "## Log", "## Diary", `p.md:34: section "Log" is missing`},
		{"twice", "## Decisions", "## Completed\n## Decisions", `p.md:24: section "Completed" is already on line 4`},
		{"no end", "<!-- kedge:end completed", "<!-- end", `p.md:6: marker "<!-- kedge:begin completed -->" is in the wrong place`},
		{"no block", "kedge:begin completed -->\n- user-entity: The user-entity; 2026-03-12; evidence evd-00000000000000000000000001; files src/User.ts, src/UserResolver.ts\n<!-- kedge:end completed", "", `p.md:4: section "Completed" lacks the block`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Replace(good, tt.old, tt.new, 1)
			if in == good {
				t.Fatalf("%q is not in the document:\n%s", tt.old, good)
			}
			_, err := memory.ParseProgress("p.md", []byte(in))
			wantInvalid(t, err, tt.want)
		})
	}
}

var generated = regexp.MustCompile(`^- [a-z0-9_][a-z0-9._-]*: `)

// peoples gives the lines that WriteProgress must keep, sorted.
func peoples(b []byte) []string {
	var out []string
	for line := range strings.SplitSeq(string(b), "\n") {
		line = strings.TrimRight(line, "\r")
		if strings.TrimSpace(line) != "" && !generated.MatchString(line) && !strings.HasPrefix(line, "## ") &&
			!strings.HasPrefix(strings.TrimSpace(line), "<!-- kedge:") {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// FuzzWriteProgress: whatever stands in the file, the result is well formed and
// stable, and nothing that people wrote is lost.
func FuzzWriteProgress(f *testing.F) {
	f.Add(memory.WriteProgress(nil, facts()))
	f.Add([]byte("## Log\nx\n## Completed\n<!-- kedge:begin completed -->\n<!-- kedge:begin log -->\n"))
	f.Add([]byte("mine\r\n## Decisions\r\n<!-- kedge:end decisions -->"))
	f.Add([]byte("\n\n\n"))
	f.Add([]byte("\r"))
	f.Fuzz(func(t *testing.T, old []byte) {
		got := memory.WriteProgress(old, facts())
		if again := memory.WriteProgress(got, facts()); string(again) != string(got) {
			t.Errorf("not stable:\n%q\n%q", got, again)
		}
		if _, err := memory.ParseProgress("p.md", got); err != nil && !strings.Contains(err.Error(), "version") {
			t.Errorf("%v in %q", err, got)
		}
		kept := peoples(got)
		for _, l := range peoples(old) {
			i, ok := slices.BinarySearch(kept, l)
			if !ok {
				t.Fatalf("%q is lost in %q", l, got)
			}
			kept = slices.Delete(kept, i, i+1)
		}
		if edits := memory.ProgressEdits(got, facts()); edits != nil {
			t.Errorf("freshly written, but edits %q", edits)
		}
	})
}

func FuzzParseProgress(f *testing.F) {
	f.Add(memory.WriteProgress(nil, facts()))
	f.Add([]byte("## Log"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := memory.ParseProgress("p.md", b)
		if err == nil && len(p.Sections) != 4 {
			t.Errorf("%d sections in %q", len(p.Sections), b)
		}
	})
}

// TestRestoreProgress: lines of Kedge's come back, people's stay, and a file in which
// nobody touched them stays byte for byte.
func TestRestoreProgress(t *testing.T) {
	before := string(memory.WriteProgress(nil, facts()))
	mine := strings.Replace(before, "## Decisions\n", "## Decisions\n\nmine\n", 1) + "and below the log\n"
	if got := string(memory.RestoreProgress([]byte(mine), []byte(before))); got != mine {
		t.Errorf("of people's words it made\n%s", got)
	}
	edited := strings.Replace(strings.Replace(mine, "Embed categories", "Embed nothing", 1), "- cart:", "cart\n- other:", 1)
	got := string(memory.RestoreProgress([]byte(edited), []byte(before)))
	if strings.Contains(got, "Embed nothing") || strings.Contains(got, "- other:") || !strings.Contains(got, "Embed categories") ||
		!strings.Contains(got, "- cart:") || !strings.Contains(got, "\nmine\n") || !strings.Contains(got, "\ncart\n") || !strings.HasSuffix(got, "and below the log\n") {
		t.Errorf("of an edited file it made\n%s", got)
	}
	if len(memory.ProgressEdits([]byte(got), facts())) > 0 {
		t.Error("there are edits left")
	}
}
