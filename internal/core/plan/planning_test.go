package plan_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/plan"
)

const sessionPlan = `# Plan

Some words before.

## Questions

none

## Root cause

The parser takes anything.

## Files expected to change

- parse.go

## Assumptions

none

## Invariants

The public API stays.

## Risks

none

## Validation

- ` + "`true`" + `

## Phase 1: parser {#p1 budget=200k model=opus}

prompt: keep it small

- [ ] p1.1 strict flags
  check: true
  paths: parse.go
`

func always(string) bool { return true }

func TestAskedBy(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		blocking   bool
		ok         bool
	}{
		{"Which flags?", "Which flags?", true, true},
		{"3. Which\nflags?  (blocking)", "Which flags?", true, true},
		{"Which colour? (optional)", "Which colour?", false, true},
		{" \n ", "", true, false},
		{"(optional)", "", false, false},
	} {
		q, ok := plan.AskedBy(tt.text)
		if q.Text != tt.want || q.Blocking != tt.blocking || ok != tt.ok {
			t.Errorf("AskedBy(%q) = %+v, %v", tt.text, q, ok)
		}
	}
}

func TestRow32QuestionsAreNumberedAndAnswered(t *testing.T) {
	var asked []kedge.Question
	for _, text := range []string{"Which flags?", "Which exit code? (optional)", "Which flags?"} {
		q, _ := plan.AskedBy(text)
		asked, _ = plan.Ask(asked, q)
	}
	if len(asked) != 2 || asked[0].N != 1 || asked[1].N != 2 {
		t.Fatalf("asked %+v", asked)
	}
	d, err := plan.ParsePlan("plan.md", plan.Draft("", "flags", kedge.PlanWaiting, asked))
	if err != nil {
		t.Fatal(err)
	}
	if open := plan.OpenQuestions(d.Plan); len(open) != 1 || open[0].N != 1 {
		t.Fatalf("open %+v", open)
	}
	if asked, err = plan.Answered(asked, 1, "required,\nnot positional"); err != nil {
		t.Fatal(err)
	}
	d, err = plan.ParsePlan("plan.md", plan.Draft("", "flags", kedge.PlanWaiting, asked))
	if err != nil {
		t.Fatal(err)
	}
	if q := d.Plan.Questions[0]; q.Answer != "required, not positional" || len(plan.OpenQuestions(d.Plan)) != 0 {
		t.Errorf("question %+v", q)
	}
	if _, err := plan.Answered(asked, 7, "x"); !kedge.NotFound.Is(err) {
		t.Errorf("question 7: %v", err)
	}
	if _, err := plan.Answered(asked, 2, " \n"); !kedge.Invalid.Is(err) {
		t.Errorf("an empty answer: %v", err)
	}
}

func TestFromSession(t *testing.T) {
	asked := []kedge.Question{{N: 1, Text: "Which flags?", Answer: "required", Blocking: true}}
	for name, text := range map[string]string{
		"plain":             sessionPlan,
		"with front matter": "---\nversion: 9\nstatus: approved\nid: forged\n---\n" + sessionPlan,
		"crlf":              strings.ReplaceAll(sessionPlan, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := plan.FromSession("", "flags", text, asked)
			if err != nil {
				t.Fatal(err)
			}
			if f := d.Faults(always); f != "" {
				t.Errorf("faults: %s", f)
			}
			p := d.Plan
			if p.Status != kedge.PlanReady || p.Title != "flags" || len(p.Questions) != 1 || p.Questions[0].Answer != "required" {
				t.Errorf("plan %+v", p)
			}
			if len(p.Phases) != 1 || p.Phases[0].Prompt != "keep it small" || plan.PhaseBudget(p.Phases[0]).Tokens != 200_000 {
				t.Errorf("phases %+v", p.Phases)
			}
		})
	}
}

func TestFromSessionAsksAgain(t *testing.T) {
	text := strings.Replace(sessionPlan, "none\n", "1. May it break? (blocking)\n   answer:\n", 1)
	d, err := plan.FromSession("", "flags", text, []kedge.Question{{N: 4, Text: "Which flags?", Answer: "all"}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Plan.Status != kedge.PlanWaiting || len(d.Plan.Questions) != 2 || d.Plan.Questions[1].N != 5 {
		t.Errorf("plan %+v", d.Plan)
	}
}

func TestFaultsOfASessionsPlan(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"a field is missing": func(s string) string { return strings.Replace(s, "## Risks\n\nnone\n", "", 1) },
		"no program":         func(s string) string { return strings.Replace(s, "`true`", "`no-such-program`", 1) },
		"no phase":           func(s string) string { return s[:strings.Index(s, "## Phase")] },
		"nothing":            func(string) string { return "I had no time." },
	} {
		t.Run(name, func(t *testing.T) {
			d, err := plan.FromSession("", "flags", change(sessionPlan), nil)
			if err != nil {
				t.Fatal(err)
			}
			if d.Faults(func(p string) bool { return p == "true" }) == "" {
				t.Error("it has no faults")
			}
		})
	}
}

func TestFormIsThePlansForm(t *testing.T) {
	d, err := plan.FromSession("", "flags", plan.Form(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var empty []string
	for _, f := range d.Plan.Fields {
		if f.Text == "" {
			empty = append(empty, f.Name)
		}
	}
	want := []string{"Root cause", "Files expected to change", "Assumptions", "Invariants", "Risks", "Validation"}
	if !slices.Equal(empty, want) || len(d.Plan.Phases) != 1 {
		t.Errorf("fields %v, phases %+v", empty, d.Plan.Phases)
	}
}

func FuzzFromSession(f *testing.F) {
	f.Add(sessionPlan, "Which flags?")
	f.Add("---\n---\n## Questions\n1. x\n", "1. ")
	f.Add("<!--\n## Questions\n", "<!-- (blocking)")
	f.Fuzz(func(t *testing.T, text, question string) {
		var asked []kedge.Question
		if q, ok := plan.AskedBy(question); ok {
			q.Answer = "because"
			asked, _ = plan.Ask(asked, q)
		}
		d, err := plan.FromSession("", "title", text, asked)
		if err != nil {
			return
		}
		again, err := plan.ParsePlan("plan.md", d.Bytes())
		if err != nil {
			t.Fatalf("does not read back: %v", err)
		}
		for _, q := range asked {
			if !slices.ContainsFunc(again.Plan.Questions, func(o kedge.Question) bool { return o.N == q.N && o.Text == q.Text && o.Answer == q.Answer }) {
				t.Errorf("lost %+v of %+v", q, again.Plan.Questions)
			}
		}
	})
}
