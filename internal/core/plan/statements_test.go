package plan_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"kedge"
	"kedge/internal/core/plan"
)

func TestRow108StatementsAreRead(t *testing.T) {
	type list = []kedge.Statement
	for _, tt := range []struct {
		name, field string
		want        list
	}{
		{"a list", "- one\n- two\n", list{{Text: "one"}, {Text: "two"}}},
		{"other marks", "* one\n2. two\n+ [x] three", list{{Text: "one"}, {Text: "two"}, {Text: "three"}}},
		{"a paragraph", "The API stays\nas it is.", list{{Text: "The API stays as it is."}}},
		{"two paragraphs", "One.\n\nTwo.", list{{Text: "One."}, {Text: "Two."}}},
		{"items apart", "- one\n\n- two\n", list{{Text: "one"}, {Text: "two"}}},
		{"a long item", "- one\n  and more\nand still more\n- two", list{{Text: "one and more and still more"}, {Text: "two"}}},
		{"a paragraph below a list", "- one\n\nTwo.", list{{Text: "one"}, {Text: "Two."}}},
		{"items below an item", "- one:\n  - a\n  - b\n- two", list{{Text: "one: a b"}, {Text: "two"}}},
		{"a lead-in", "These must hold:\n- one", list{{Text: "one"}}},
		{"headings", "### Data\n- one\n### API\n- two", list{{Text: "one"}, {Text: "two"}}},
		{"none", "none", list{}},
		{"none, as an item", "- None.\n", list{}},
		{"no risks", "No known risks.", list{}},
		{"none that we know", "None that we know.", list{}},
		{"none of something", "None of the endpoints may change.", list{{Text: "None of the endpoints may change."}}},
		{"no of something", "- No new service boundaries", list{{Text: "No new service boundaries"}}},
		{"empty", "", list{}},
		{"a check below", "- no new imports\n  check: go list ./... | sort", list{{Text: "no new imports", Check: "go list ./... | sort"}}},
		{"a check as an item", "- no new imports\n  - check: `make imports`", list{{Text: "no new imports", Check: "make imports"}}},
		{"a check in it", "- no new imports (check: go vet $(go list ./...))", list{{Text: "no new imports (check: go vet $(go list ./...))", Check: "go vet $(go list ./...)"}}},
		{"a check alone", "- check: make api", list{{Text: "`make api` is green", Check: "make api"}}},
		{"verified by", "- The format stays, verified by `go test ./format`.", list{{Text: "The format stays, verified by `go test ./format`.", Check: "go test ./format"}}},
		{"a command that verifies nothing", "- `go test` is fast", list{{Text: "`go test` is fast"}}},
		{"the word check", "- the sanity check: it runs first", list{{Text: "the sanity check: it runs first"}}},
		{"paths and phases", "- one\n  paths: api/, `db/**`\n  phase: 2 and 3", list{{Text: "one", Paths: []string{"api/**", "db/**"}, Phases: []string{"2", "3"}}}},
		{"scope in it", "- one (phase 2)\n- two (paths: a.go, b.go)\n- Phase 3: three", list{
			{Text: "one (phase 2)", Phases: []string{"2"}},
			{Text: "two (paths: a.go, b.go)", Paths: []string{"a.go", "b.go"}},
			{Text: "Phase 3: three", Phases: []string{"3"}},
		}},
		{"a phase in passing", "- old rows stay readable until phase 2 has migrated them", list{{Text: "old rows stay readable until phase 2 has migrated them"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := plan.Statements(tt.field); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q gives\n%+v, want\n%+v", tt.field, got, tt.want)
			}
		})
	}
}

func TestRow108WhatAppliesToWhichFeature(t *testing.T) {
	phases := []kedge.Phase{{ID: "p1", Title: "Parser"}, {ID: "p2", Title: "Matcher"}, {ID: "p3", Title: "Matrix"}}
	for _, tt := range []struct {
		name  string
		s     kedge.Statement
		phase string
		paths []string
		want  bool
	}{
		{"names nothing", kedge.Statement{}, "p1", []string{"a/**"}, true},
		{"its phase by number", kedge.Statement{Phases: []string{"2"}}, "p2", nil, true},
		{"its phase by id", kedge.Statement{Phases: []string{"p2"}}, "p2", nil, true},
		{"its phase by title", kedge.Statement{Phases: []string{"matcher"}}, "p2", nil, true},
		{"one of its phases", kedge.Statement{Phases: []string{"1", "2"}}, "p2", nil, true},
		{"another phase", kedge.Statement{Phases: []string{"1"}}, "p2", nil, false},
		{"a phase that is none", kedge.Statement{Phases: []string{"9"}}, "p2", nil, true},
		{"two phases begin so", kedge.Statement{Phases: []string{"mat"}}, "p1", nil, true},
		{"its path", kedge.Statement{Paths: []string{"a/x.go"}}, "p1", []string{"a/**"}, true},
		{"a folder of its path", kedge.Statement{Paths: []string{"a"}}, "p1", []string{"a/b/**"}, true},
		{"another path", kedge.Statement{Paths: []string{"b/**"}}, "p1", []string{"a/**"}, false},
		{"it may change everything", kedge.Statement{Paths: []string{"b/**"}}, "p1", nil, true},
		{"its path in another phase", kedge.Statement{Paths: []string{"a/**"}, Phases: []string{"2"}}, "p1", []string{"a/**"}, false},
	} {
		f := kedge.Definition{Phase: tt.phase, Paths: tt.paths}
		if got := plan.Applies(tt.s, phases, f); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestFindPhase(t *testing.T) {
	phases := []kedge.Phase{{ID: "p1", Title: "Parser"}, {ID: "p2", Title: "Matcher"}, {ID: "p3", Title: "Matrix"}}
	for _, tt := range []struct {
		name string
		want int
	}{
		{"1", 0},
		{"p2", 1},
		{"P2", 1},
		{"phase 3", 2},
		{"Phase 3", 2},
		{"matcher", 1},
		{"par", 0},
		{"matr", 2},
		{"mat", -1},
		{"4", -1},
		{"", -1},
		{"er", -1},
	} {
		if got, err := plan.FindPhase(phases, tt.name); got != tt.want || (err != nil) != (tt.want < 0) {
			t.Errorf("%q is %d (%v), want %d", tt.name, got, err, tt.want)
		}
	}
}

func TestRow109ChecksOfThePlan(t *testing.T) {
	p := kedge.Plan{
		Phases:     []kedge.Phase{{ID: "p1"}, {ID: "p2"}},
		Validation: []string{"go test ./...", "make  lint", "go test ./..."},
		Invariants: []kedge.Statement{{Text: "a"}, {Check: "make api"}, {Check: "make db", Phases: []string{"2"}}},
	}
	others := []kedge.Check{{Name: "lint", Run: "make lint"}, {Name: "plan-validation-1", Run: "x"}}
	want := []kedge.Check{{Name: "plan-validation-1-", Run: "go test ./..."}, {Name: "plan-invariant-2", Run: "make api"}}
	if got := plan.ChecksFor(p, kedge.Definition{Phase: "p1"}, others); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := plan.ChecksFor(p, kedge.Definition{Phase: "p2"}, nil); len(got) != 4 || got[3].Run != "make db" {
		t.Errorf("%+v", got)
	}
}

func TestRow108PlanCheckLooksAtInvariants(t *testing.T) {
	text := strings.Replace(string(read(t, "plan.md")), "## Risks", "- no drift\n  check: nosuchprogram --all\n- later (phase 7)\n\n## Risks", 1)
	d, err := plan.ParsePlan("plan.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var errs, warns int
	for _, f := range d.Check(func(p string) bool { return p != "nosuchprogram" }) {
		if strings.Contains(f.What, "nosuchprogram") && f.Level == kedge.LevelError {
			errs++
		}
		if strings.Contains(f.What, `phase "7"`) && f.Level == kedge.LevelWarning {
			warns++
		}
	}
	if errs != 1 || warns != 1 {
		t.Errorf("%d errors, %d warnings", errs, warns)
	}
}

func FuzzStatements(f *testing.F) {
	for _, s := range []string{
		"- one\n  check: make\n- two (phase 2)\n", "a:\n- b\n```\nx\n```\n", "1. x\n   paths: a, b/\n\npara\n", "- verified by `x`\n", "none", "### h\n* [ ] y\n\t- z", "(paths: [)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, field string) {
		list := plan.Statements(field)
		for _, s := range list {
			if s.Text == "" || strings.ContainsAny(s.Text, "\n\r") || len(s.Text) > 1100 || !utf8.ValidString(s.Text) {
				t.Errorf("entry %+v", s)
			}
			if !plan.Applies(kedge.Statement{}, nil, kedge.Definition{}) {
				t.Error("nothing applies to nothing")
			}
		}
		if len(list) > 200 {
			t.Errorf("%d entries", len(list))
		}
		plan.ChecksFor(kedge.Plan{Invariants: list}, kedge.Definition{}, nil)
	})
}
