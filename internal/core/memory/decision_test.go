package memory_test

import (
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/memory"
)

func decision(n byte, title string, scope ...string) kedge.Decision {
	return kedge.Decision{
		ID: kedge.DecisionID(id("dec", n)), Status: kedge.DecisionLocked, Title: title,
		Why: "Scripts break when the order changes.", Rejected: []kedge.Rejected{}, Reversibility: "hard",
		By: kedge.Human("ann"), Date: at, AppliesTo: append([]string{}, scope...),
	}
}

func superseding(d kedge.Decision, n byte) kedge.Decision {
	d.Supersedes, d.Reason = kedge.DecisionID(id("dec", n)), "The parser changed."
	return d
}

func TestDecisionRoundTrip(t *testing.T) {
	full := superseding(decision('2', "Required flags, not positional", "cmd/**", "command line"), '1')
	full.Why += "\n\n## Rejected\n\\# not a heading\n- not an item\n---\n    indented"
	full.Rejected = []kedge.Rejected{
		{What: "cobra persistent flags", Reason: "break completion: see the thread"},
		{What: "positional", Reason: "## ambiguous"},
	}
	for _, d := range []kedge.Decision{decision('1', "Short"), full} {
		if err := memory.CheckDecision(d); err != nil {
			t.Fatal(err)
		}
		got, err := memory.ParseDecision("d.md", memory.WriteDecision(d))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, d) {
			t.Errorf("have %+v\nwant %+v", got, d)
		}
	}
	golden(t, "decision.md", memory.WriteDecision(full))
	if got, want := memory.DecisionFile(full), id("dec", '2')+"-required-flags-not-positional.md"; got != want {
		t.Errorf("file %q, want %q", got, want)
	}
}

func TestDecisionInvalid(t *testing.T) {
	tests := []struct {
		name   string
		change func(*kedge.Decision)
		want   string
	}{
		{"id", func(d *kedge.Decision) { d.ID = "dec-1" }, `"dec-1" is not the id of a decision`},
		{"status", func(d *kedge.Decision) { d.Status = "open" }, `"open" is not a status`},
		{"reversibility", func(d *kedge.Decision) { d.Reversibility = "" }, `"" is not a reversibility`},
		{"no title", func(d *kedge.Decision) { d.Title = "" }, "the title is empty"},
		{"long title", func(d *kedge.Decision) { d.Title = strings.Repeat("é", 201) }, "the title is longer than 200"},
		{"two lines", func(d *kedge.Decision) { d.Title = "a\nb" }, "the title must be one line of plain text, not"},
		{"no why", func(d *kedge.Decision) { d.Why = "" }, `decision "Short" has no reason`},
		{"control", func(d *kedge.Decision) { d.Why = "a\x1bb" }, "the reason has control characters"},
		{"too long", func(d *kedge.Decision) { d.Why = strings.Repeat("x", 17<<10) }, "the reason is longer than"},
		{"who", func(d *kedge.Decision) { d.By = "somebody" }, `"somebody" is not a valid author`},
		{"itself", func(d *kedge.Decision) { d.Supersedes, d.Reason = d.ID, "x" }, "decision \"dec-"},
		{"supersedes without reason", func(d *kedge.Decision) { d.Supersedes = kedge.DecisionID(id("dec", '9')) }, `decision "Short" supersedes`},
		{"reason alone", func(d *kedge.Decision) { d.Reason = "x" }, `decision "Short" gives a reason`},
		{"rejected without reason", func(d *kedge.Decision) { d.Rejected = []kedge.Rejected{{What: "x"}} }, `the rejected alternative "x"`},
		{"rejected with a colon", func(d *kedge.Decision) { d.Rejected = []kedge.Rejected{{What: "x: y", Reason: "z"}} }, `the rejected alternative "x: y"`},
		{"scope", func(d *kedge.Decision) { d.AppliesTo = []string{"../x"} }, `pattern "../x"`},
		{"empty scope", func(d *kedge.Decision) { d.AppliesTo = []string{""} }, "an entry of applies_to is empty"},
		{"there is no date", func(d *kedge.Decision) { d.Date = at.AddDate(-3000, 0, 0) }, "the date is missing, or does not have the form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := decision('1', "Short")
			tt.change(&d)
			wantInvalid(t, memory.CheckDecision(d), tt.want)
		})
	}
}

func TestParseDecisionRefuses(t *testing.T) {
	good := string(memory.WriteDecision(decision('1', "Short", "a/**")))
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "status: locked", "status: locked\ncolour: red", `d.md:5: unknown key "colour"`},
		{"missing key", "by: human:ann\n", "", `d.md:9: the lines at the top of the file lack the key "by"`},
		{"newer version", "version: 1", "version: 2", `d.md:2: Kedge does not know version "2"`},
		{"status", "locked", "open", `d.md:4: "open" is not a status`},
		{"list for text", "status: locked", "status: [locked]", `d.md:4: "status" must be one value`},
		{"text for list", "applies_to: [a/**]", "applies_to: a/**", `d.md:9: "applies_to" is not a list`},
		{"date", "2026-03-12T09:30:00Z", "yesterday", "d.md:8: the date is missing, or does not have the form"},
		{"date in another zone", "2026-03-12T09:30:00Z", "2026-03-12T10:30:00+01:00", "d.md:8: the date is missing, or does not have the form"},
		{"no title", "# Short\n", "", "d.md:11: no title"},
		{"two titles", "# Short\n", "# Short\n# Long\n", `d.md:13: a second title "Long"`},
		{"text before the title", "# Short", "text\n# Short", "d.md:13: there is text before the title"},
		{"text below the title", "# Short", "# Short\ntext", "d.md:13: there is text between"},
		{"unknown section", "## Rejected", "## Denied", `d.md:18: unknown section "Denied"`},
		{"missing section", "## Why", "Why", "d.md:18: section \"Why\" is missing before"},
		{"section twice", "## Rejected", "## Why\n\n## Rejected", `d.md:18: section "Why" is there twice`},
		{"last section missing", "## Rejected\n", "", `d.md:18: section "Rejected" is missing`},
		{"rejected without a dash", "## Rejected\n", "## Rejected\n\nnothing\n", "d.md:20: there must be a line"},
		{"rejected without a reason", "## Rejected\n", "## Rejected\n- x\n", "d.md:19: the rejected alternative \"x\" has no reason"},
		{"no why", "Scripts break when the order changes.\n", "", `d.md:14: decision "Short" has no reason`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Replace(good, tt.old, tt.new, 1)
			if in == good {
				t.Fatalf("%q is not in the document", tt.old)
			}
			_, err := memory.ParseDecision("d.md", []byte(in))
			wantInvalid(t, err, tt.want)
		})
	}
}

func TestRow43Conflicts(t *testing.T) {
	locked := decision('1', "Strict by default", "cmd/**", "Matching")
	gone := decision('3', "Old", "docs/**")
	gone.Status = kedge.DecisionSuperseded
	existing := []kedge.Decision{locked, gone}
	tests := []struct {
		name string
		d    kedge.Decision
		want bool
	}{
		{"a path below", decision('2', "New", "cmd/parse.go"), true},
		{"an overlapping pattern", decision('2', "New", "**/parse.go"), true},
		{"the folder itself", decision('2', "New", "cmd"), true},
		{"the same topic in other case", decision('2', "New", "matching"), true},
		{"the same title", decision('2', "STRICT by default"), true},
		{"supersedes it", superseding(decision('2', "New", "cmd/**"), '1'), false},
		{"supersedes another", superseding(decision('2', "New", "cmd/**"), '3'), true},
		{"elsewhere", decision('2', "New", "internal/**"), false},
		{"another topic", decision('2', "New", "logging"), false},
		{"no scope", decision('2', "New"), false},
		{"only a superseded one overlaps", decision('2', "New", "docs/**"), false},
		{"itself", locked, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := memory.Conflicts(existing, tt.d)
			if (len(got) > 0) != tt.want {
				t.Fatalf("conflicts %v, want any: %v", got, tt.want)
			}
			if tt.want && got[0].ID != locked.ID {
				t.Errorf("conflicts with %q, want %q", got[0].ID, locked.ID)
			}
		})
	}
	proposed := decision('2', "New", "cmd/**")
	proposed.Status = kedge.DecisionProposed
	if got := memory.Conflicts(existing, proposed); got != nil {
		t.Errorf("a proposal conflicts with %v", got)
	}
}

func TestRow19DecidedAgainst(t *testing.T) {
	a, b, gone := decision('1', "A"), decision('2', "B"), decision('3', "C")
	a.Rejected = []kedge.Rejected{{What: "yaml", Reason: "ambiguous"}}
	b.Rejected = []kedge.Rejected{{What: "YAML", Reason: "again"}, {What: "xml", Reason: "long"}}
	gone.Status, gone.Rejected = kedge.DecisionSuperseded, []kedge.Rejected{{What: "json", Reason: "no comments"}}
	want := []kedge.Rejected{{What: "yaml", Reason: "ambiguous"}, {What: "xml", Reason: "long"}}
	if got := memory.DecidedAgainst([]kedge.Decision{a, b, gone}); !reflect.DeepEqual(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

func TestStillRejected(t *testing.T) {
	a, gone := decision('1', "a"), decision('2', "b")
	held, past := kedge.Rejected{What: "yaml", Reason: "ambiguous"}, kedge.Rejected{What: "json", Reason: "no comments"}
	other := kedge.Rejected{What: "xml", Reason: "long"}
	a.Rejected = []kedge.Rejected{held}
	gone.Status, gone.Rejected = kedge.DecisionSuperseded, []kedge.Rejected{held, past}
	got := memory.StillRejected([]kedge.Decision{a, gone}, []kedge.Rejected{other, past, held})
	if want := []kedge.Rejected{other, held}; !reflect.DeepEqual(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

func TestWithdrawnDecision(t *testing.T) {
	d := superseding(decision('2', "A title"), '1')
	d.Withdrawn = "a typo\n\n## Why"
	if err := memory.CheckDecision(d); !kedge.Invalid.Is(err) {
		t.Errorf("withdrawn and locked: %v", err)
	}
	d.Status = kedge.DecisionSuperseded
	got, err := memory.ParseDecision("d.md", memory.WriteDecision(d))
	if err != nil || !reflect.DeepEqual(got, d) {
		t.Errorf("%+v comes back as %+v, %v", d, got, err)
	}
}

func TestParseRejected(t *testing.T) {
	got, err := memory.ParseRejected(" positional\targs: order: unclear ")
	if want := (kedge.Rejected{What: "positional args", Reason: "order: unclear"}); err != nil || got != want {
		t.Errorf("have %+v, %v, want %+v", got, err, want)
	}
	for _, in := range []string{"", "what", "what:", ": reason", "what:reason"} {
		if _, err := memory.ParseRejected(in); !kedge.Invalid.Is(err) {
			t.Errorf("%q: error %v, want Invalid", in, err)
		}
	}
}

// FuzzParseDecision: what is accepted is valid, and writing it gives a document
// that reads as the same decision.
func FuzzParseDecision(f *testing.F) {
	d := superseding(decision('2', "A title", "a/**", "b, c"), '1')
	d.Rejected = []kedge.Rejected{{What: "x", Reason: "y"}}
	f.Add(memory.WriteDecision(d))
	f.Add(memory.WriteDecision(decision('1', "B")))
	d.Status, d.Withdrawn = kedge.DecisionSuperseded, "a typo"
	f.Add(memory.WriteDecision(d))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := memory.ParseDecision("d.md", b)
		if err != nil {
			return
		}
		if err := memory.CheckDecision(d); err != nil {
			t.Errorf("accepted %q: %v", b, err)
		}
		again, err := memory.ParseDecision("d.md", memory.WriteDecision(d))
		if err != nil || !reflect.DeepEqual(again, d) {
			t.Errorf("%+v comes back as %+v, %v", d, again, err)
		}
	})
}

// FuzzWriteDecision: whatever people say, once cleaned it comes back.
func FuzzWriteDecision(f *testing.F) {
	f.Add("title", "why\n## Why\n\\## x", "what", "reason", "src/**")
	f.Add("---", "---\nid: x", "- a", "# b", "\"[,]")
	f.Fuzz(func(t *testing.T, title, why, what, reason, scope string) {
		d := decision('1', memory.OneLine(title), memory.OneLine(scope))
		d.Why = memory.Clean(why)
		d.Rejected = []kedge.Rejected{{What: memory.OneLine(what), Reason: memory.OneLine(reason)}}
		if memory.CheckDecision(d) != nil {
			return
		}
		got, err := memory.ParseDecision("d.md", memory.WriteDecision(d))
		if err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%+v comes back as %+v, %v", d, got, err)
		}
	})
}
