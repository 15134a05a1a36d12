package brief_test

import (
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/brief"
	"kedge/internal/core/plan"
	"kedge/internal/text/words"
)

func runFeature() *kedge.Feature {
	return &kedge.Feature{
		Definition: kedge.Definition{
			ID: "order-entity", Name: "Order entity", Phase: "p2", Description: "One-to-many with User.",
			Acceptance: []string{"POST /orders returns 201"}, Paths: []string{"src/models/Order*"},
			Dependencies: []kedge.FeatureID{"user-entity"},
			Checks:       []kedge.Check{{Name: "unit", Run: "npm test -- order"}},
		},
		FeatureState: kedge.FeatureState{Status: kedge.InProgress},
	}
}

func sampleRun() brief.RunInput {
	h := sampleHandoff()
	return brief.RunInput{
		Project: "shop", Rules: []byte("# Rules\n\n1. Never break the API.\n"), RulesFrom: "commit 4f1c2ab00000",
		Purpose: brief.Implement, Objective: "a shop", Feature: runFeature(), Item: "p2.1", Phase: "orders",
		Prompt: "keep the public API as it is", Base: strings.Repeat("4f1c2ab", 6)[:40], Attempt: 2, Handoff: &h,
		Decisions: []kedge.Decision{{
			ID: kedge.DecisionID(id("dec", "4")), Status: kedge.DecisionLocked, Title: "required flags", Why: "positional breaks completion",
			Rejected: []kedge.Rejected{{What: "cobra persistent flags", Reason: "break completion"}},
		}},
		Failed:  []string{"2026-11-15 11:00 UTC: TEST_FAILURE in check unit: total is 0"},
		Risks:   []kedge.Risk{{ID: kedge.RiskID(id("rsk", "1")), Text: "completion scripts are not tested"}},
		Status:  []kedge.StatusLine{{Done: true, Text: "p1.1 users"}, {Text: "p2.1 orders (in_progress)"}},
		Drift:   []kedge.Drift{{Path: "src/db.ts", State: kedge.FileChanged, Added: 3, Removed: 1}},
		Flight:  brief.Flight{Why: "interrupted: kill", Stood: "\n### Next step\n> edit src/models/Order.ts\n", Changed: []string{"A src/models/Order.ts"}, Salvage: "sal-x"},
		Reread:  []kedge.FileRef{{Path: "src/models/Order.ts", State: kedge.FileChanged}, {Path: "src/models/User.ts"}},
		Told:    []brief.Saying{{By: kedge.Human("ann"), At: noon, Text: "use decimals"}},
		Answers: []brief.Saying{{By: kedge.Human("ann"), At: noon, Question: "Which currency?", Text: "EUR"}},
		Failure: "",
		GateChecks: []kedge.Check{
			{Name: "all", Run: "npm test"},
		},
		Summaries: []brief.PhaseSummary{{Phase: "users", Text: "2 of 2 done: User entity (VALIDATION_OK); login"}},
	}
}

func TestForRun(t *testing.T) {
	got := brief.ForRun(sampleRun(), brief.DefaultBudget)
	golden(t, "run.txt", []byte(got.Text))
	if got.Tokens != words.Tokens(got.Text) || len(got.Cut) != 0 {
		t.Errorf("tokens %d, cut %v", got.Tokens, got.Cut)
	}
	if again := brief.ForRun(sampleRun(), brief.DefaultBudget); again.Text != got.Text {
		t.Error("the same input gives other bytes")
	}
}

// The order of the parts, and the task last.
func TestRow73RulesFirstTheTaskLast(t *testing.T) {
	in := sampleRun()
	text := brief.ForRun(in, brief.DefaultBudget).Text
	if !strings.HasPrefix(text, string(in.Rules)) {
		t.Errorf("does not start with the rules: %.80q", text)
	}
	at := 0
	for _, part := range []string{
		"# Rules", "# Kedge work brief", "## Handoff of", "## Decisions locked", "## Attempts at this feature that failed",
		"## Decided against", "## Open risks", "## Status", "## Changed since", "## In flight", "## Files to re-read",
		"## Earlier phases", "## What the user said", "## Answers to your questions", "## Task",
	} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("%q is not behind %q", part, text[max(0, at-30):at])
		}
		at += i
	}
	if strings.Contains(text[at+len("## Task"):], "\n## ") {
		t.Error("something follows the task")
	}
}

// Row 5: the next prompt contains exactly the first failure.
func TestRow5RepairIsToldTheFirstFailureOnly(t *testing.T) {
	in := sampleRun()
	in.Purpose, in.Failure, in.Failed = brief.Repair, "TestTotal order_test.go:12: total is 0, want 3", nil
	got := brief.ForRun(in, brief.DefaultBudget)
	golden(t, "run-repair.txt", []byte(got.Text))
	if n := strings.Count(got.Text, "total is 0"); n != 1 {
		t.Errorf("the failure is told %d times", n)
	}
	if !strings.Contains(got.Text, "Repair feature order-entity") {
		t.Error("it does not say that it is a repair")
	}
}

func TestFixIsNoFeature(t *testing.T) {
	in := brief.RunInput{
		Project: "shop", Purpose: brief.Fix, Base: "4f1c2ab", Failure: "a_test.go:3: red",
		GateChecks: []kedge.Check{{Name: "all", Run: "go test ./..."}},
	}
	got := brief.ForRun(in, brief.DefaultBudget)
	golden(t, "run-fix.txt", []byte(got.Text))
	if strings.Contains(got.Text, "Do feature") || !strings.Contains(got.Text, "> a_test.go:3: red") {
		t.Errorf("brief:\n%s", got.Text)
	}
}

// Row 71: only capped summaries of earlier phases.
func TestRow71SummariesAreCapped(t *testing.T) {
	in := sampleRun()
	in.Summaries = []brief.PhaseSummary{{Phase: "users", Text: strings.Repeat("word ", 4000)}}
	text := brief.ForRun(in, brief.DefaultBudget).Text
	_, rest, _ := strings.Cut(text, "## Earlier phases\n")
	part, _, _ := strings.Cut(rest, "\n\n")
	if len(part) > 1300 {
		t.Errorf("the summary of a phase takes %d bytes", len(part))
	}
}

func TestRunBriefStaysUnderItsBudget(t *testing.T) {
	in := sampleRun()
	for range 200 {
		in.Status = append(in.Status, kedge.StatusLine{Text: strings.Repeat("many words ", 20)})
		in.Decisions = append(in.Decisions, kedge.Decision{ID: "dec-x", Status: kedge.DecisionLocked, Title: strings.Repeat("t ", 90), Why: "w"})
		in.Told = append(in.Told, brief.Saying{By: kedge.Human("ann"), At: noon, Text: strings.Repeat("hear me ", 40)})
	}
	const budget = 1500
	got := brief.ForRun(in, budget)
	if got.Tokens > budget || len(got.Cut) == 0 {
		t.Fatalf("%d tokens, cut %v", got.Tokens, got.Cut)
	}
	if !strings.HasPrefix(got.Text, string(in.Rules)) || !strings.Contains(got.Text, "npm test -- order") {
		t.Error("the rules or the task were cut")
	}
	if strings.Index(got.Text, "## Left out") > strings.Index(got.Text, "## Task") {
		t.Error("the task is not last")
	}
}

// TestT16RunBriefKeepsTextAsData: whatever is stored stays data: no line of it begins
// a section of its own.
func TestT16RunBriefKeepsTextAsData(t *testing.T) {
	sections := func(word string) (work, planning int) {
		in := sampleRun()
		in.Feature.Name, in.Feature.Description = word, word
		in.Told[0].Text, in.Answers[0].Text, in.Answers[0].Question = word, word, word
		in.Failure, in.Prompt, in.Objective, in.Handoff = word, word, word, nil
		in.Why = map[string]string{in.Reread[0].Path: word}
		in.Flight.Why, in.Summaries[0].Text = word, word
		pin := samplePlanning()
		pin.Goal, pin.Faults, pin.Answers[0].Text, pin.Told[0].Text = word, word, word, word
		return strings.Count(brief.ForRun(in, 100_000).Text, "\n## "), strings.Count(brief.ForPlanning(pin, 100_000).Text, "\n## ")
	}
	work, planning := sections("harmless")
	for _, bad := range hostile {
		if w, p := sections(bad); w != work || p != planning {
			t.Errorf("%q makes %d and %d sections, not %d and %d", bad, w, p, work, planning)
		}
	}
}

func samplePlanning() brief.PlanInput {
	in := sampleRun()
	return brief.PlanInput{
		Project: in.Project, Rules: in.Rules, RulesFrom: in.RulesFrom, Goal: "orders for the shop", Base: in.Base,
		Decisions: in.Decisions, Answers: in.Answers, Told: in.Told, Features: []string{"user-entity: Users (completed)"},
		Faults: "plan.md:9: field \"Risks\" is missing", Form: plan.Form(),
		Notes: []kedge.Note{{Title: "Users", Date: time.Date(2026, 11, 14, 0, 0, 0, 0, time.UTC), RootCause: "ids are strings"}},
	}
}

// Row 42: planning and execution briefs are different documents.
func TestRow42PlanningBriefIsAnotherDocument(t *testing.T) {
	got := brief.ForPlanning(samplePlanning(), brief.DefaultBudget)
	golden(t, "planning.txt", []byte(got.Text))
	work := brief.ForRun(sampleRun(), brief.DefaultBudget).Text
	if strings.Contains(got.Text, "## Task") || strings.Contains(work, "kedge-plan") || strings.Contains(work, "## Goal") {
		t.Error("one document has the task of the other")
	}
	for _, want := range []string{"## Goal", `KEDGE {"type":"question"`, "```kedge-plan", "## Root cause", "Change no file", "> Answer: EUR"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the planning brief lacks %q", want)
		}
	}
	if again := brief.ForPlanning(samplePlanning(), brief.DefaultBudget); again.Text != got.Text {
		t.Error("the same input gives other bytes")
	}
}
