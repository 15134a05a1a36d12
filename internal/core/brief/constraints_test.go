package brief

import (
	"strconv"
	"strings"
	"testing"

	"kedge"
)

func statements(texts ...string) []kedge.Statement {
	var out []kedge.Statement
	for _, s := range texts {
		out = append(out, kedge.Statement{Text: s})
	}
	return out
}

func TestRow107WhichDecisionsApply(t *testing.T) {
	phases := []kedge.Phase{{ID: "p1", Title: "Parser"}, {ID: "p2", Title: "Matcher"}}
	for _, tt := range []struct {
		name    string
		applies []string
		phase   string
		paths   []string
		want    bool
	}{
		{"to all", nil, "p1", []string{"a/**"}, true},
		{"to its phase", []string{"phase 2"}, "p2", nil, true},
		{"to its phase, by id", []string{"p2"}, "p2", nil, true},
		{"to its phase, by title", []string{"phase: matcher"}, "p2", nil, true},
		{"to another phase", []string{"phase 1"}, "p2", nil, false},
		{"to its path", []string{"a/x.go"}, "p1", []string{"a/**"}, true},
		{"to another path", []string{"b/**"}, "p1", []string{"a/**"}, false},
		{"to one of two", []string{"b/**", "a/**"}, "p1", []string{"a/**"}, true},
		{"to a topic", []string{"logging"}, "p1", []string{"a/**"}, true},
		{"to a path, of a feature that may change all", []string{"b/**"}, "p1", nil, true},
		{"to a path, of no plan", []string{"b/**"}, "", []string{"a/**"}, false},
	} {
		all := []kedge.Decision{{AppliesTo: tt.applies}}
		got := DecisionsOn(all, phases, kedge.Definition{Phase: tt.phase, Paths: tt.paths})
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: %v", tt.name, !tt.want)
		}
	}
}

func TestRow108RisksByPhase(t *testing.T) {
	phases := []kedge.Phase{{ID: "p1"}, {ID: "p2"}}
	all := []kedge.Risk{{Text: "data loss"}, {Text: "slow start (phase 2)"}, {Text: "locks (paths: db/**)"}}
	if got := RisksOn(all, phases, kedge.Definition{Phase: "p1", Paths: []string{"db/x.go"}}); len(got) != 2 || got[1].Text != all[2].Text {
		t.Errorf("%+v", got)
	}
}

// TestRow108ConstraintsComeFirst: behind the rules, before anything else, and they stay
// when the budget drops all the rest.
func TestRow108ConstraintsComeFirst(t *testing.T) {
	for _, purpose := range []Purpose{Implement, Repair} {
		in := RunInput{
			Project: "shop", Rules: []byte("# rules\n"), Purpose: purpose, Objective: "orders", Feature: &kedge.Feature{Definition: kedge.Definition{ID: "a"}},
			Constraints: Constraints{Invariants: []kedge.Statement{{Text: "the API stays", Check: "make api"}}, Assumptions: statements("one user")},
			Decisions:   []kedge.Decision{{ID: "dec-1", Status: kedge.DecisionLocked, Title: "required flags", Why: "Positional or required?"}},
			Risks:       []kedge.Risk{{ID: "rsk-1", Text: "data loss"}},
		}
		for i := range 30 {
			in.Failed = append(in.Failed, strings.Repeat("attempt ", 20)+strconv.Itoa(i))
		}
		whole := ForRun(in, 20_000).Text
		at := -1
		for _, want := range []string{"# rules", "> - the API stays (check: make api)", "dec-1 required flags: Positional or required?", "## Objective", "> - one user", "rsk-1 data loss", "## Task"} {
			next := strings.Index(whole, want)
			if next <= at {
				t.Errorf("%s: %q stands at %d, behind %d:\n%s", purpose, want, next, at, whole)
			}
			at = next
		}
		small := ForRun(in, 300)
		for _, want := range []string{"the API stays", "required flags"} {
			if !strings.Contains(small.Text, want) {
				t.Errorf("%s: under a small budget %q is dropped:\n%s", purpose, want, small.Text)
			}
		}
		if strings.Contains(small.Text, "attempt attempt") || strings.Contains(small.Text, "one user") || small.Tokens > 300 {
			t.Errorf("%s: %d tokens:\n%s", purpose, small.Tokens, small.Text)
		}
		if again := ForResume(in, "killed"); !strings.Contains(again, "the API stays") || !strings.Contains(again, "required flags") {
			t.Errorf("%s: continued, it reads\n%s", purpose, again)
		}
	}
}

// TestRow108EveryInvariantStands: a long list is not shortened.
func TestRow108EveryInvariantStands(t *testing.T) {
	var all []kedge.Statement
	for i := range 60 {
		all = append(all, kedge.Statement{Text: "invariant-" + strconv.Itoa(i) + "."})
	}
	text := ForRun(RunInput{Constraints: Constraints{Invariants: all}}, DefaultBudget).Text
	for _, s := range all {
		if !strings.Contains(text, s.Text) {
			t.Errorf("%s is missing", s.Text)
		}
	}
}
