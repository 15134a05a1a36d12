package memory_test

import (
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/memory"
)

func TestRow107AnswersBecomeDecisions(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := memory.Approval{Plan: "pln-1", By: kedge.Human("me"), At: at}
	p := kedge.Plan{Questions: []kedge.Question{
		{N: 1, Text: "Are the flags positional or required?", Answer: "required flags, not positional"},
		{N: 2, Text: "Is the output sorted?", Answer: "yes"},
		{N: 3, Text: "Is it stable?", Answer: "yes"},
		{N: 4, Text: "Not answered?"},
		{N: 5, Text: "Phase 2: which exit code?", Answer: strings.Repeat("long answer ", 40)},
	}}
	got := memory.FromAnswers(p, nil, a)
	if len(got) != 4 {
		t.Fatalf("%d decisions: %+v", len(got), got)
	}
	for i, want := range []string{"required flags, not positional", "Is the output sorted? yes", "Is it stable? yes"} {
		if d := got[i]; d.Title != want || d.Why != p.Questions[i].Text || d.Status != kedge.DecisionLocked || d.By != a.By || memory.CheckDecision(d) != nil {
			t.Errorf("decision %d is %+v, want %q", i, d, want)
		}
	}
	if d := got[3]; !strings.Contains(d.Why, strings.TrimSpace(p.Questions[4].Answer)) || len(d.AppliesTo) != 1 || d.AppliesTo[0] != "phase 2" {
		t.Errorf("a long answer: %+v", d)
	}
	if again := memory.FromAnswers(p, got, memory.Approval{Plan: "pln-2", By: a.By, At: at.Add(time.Hour)}); len(again) != 0 {
		t.Errorf("approved again, it locks %+v", again)
	}
	p.Questions[1].Answer = "no"
	other := memory.FromAnswers(p, got, memory.Approval{Plan: "pln-2", By: a.By, At: at.Add(time.Hour)})
	if len(other) != 1 || other[0].Supersedes != got[1].ID || other[0].Reason == "" || other[0].Title != "Is the output sorted? no" {
		t.Errorf("answered otherwise, it locks %+v", other)
	}
	got[0].Status, got[0].Withdrawn = kedge.DecisionSuperseded, "by mistake"
	if back := memory.FromAnswers(p, got, memory.Approval{Plan: "pln-3", By: a.By, At: at.Add(time.Hour)}); len(back) != 2 || back[0].Supersedes != "" {
		t.Errorf("after one was withdrawn, it locks %+v", back)
	}
}

func TestRow107SameAnswersToTwoQuestions(t *testing.T) {
	a := memory.Approval{Plan: "pln-1", By: kedge.Human("me"), At: time.Unix(1e9, 0)}
	p := kedge.Plan{Questions: []kedge.Question{
		{N: 1, Text: "Format of dates?", Answer: "as ISO 8601"}, {N: 2, Text: "Format of times?", Answer: "as ISO 8601"},
	}}
	got := memory.FromAnswers(p, nil, a)
	if len(got) != 2 || got[0].Title == got[1].Title || got[1].Supersedes != "" || got[0].ID == got[1].ID {
		t.Fatalf("%+v", got)
	}
	if again := memory.FromAnswers(p, got, a); len(again) != 0 {
		t.Errorf("again: %+v", again)
	}
}

func TestRow107RisksOfThePlanAreOpen(t *testing.T) {
	at := time.Unix(1e9, 0)
	a := memory.Approval{Plan: "pln-1", By: kedge.Human("me"), At: at}
	p := kedge.Plan{Risks: []kedge.Statement{{Text: "data loss"}, {Text: "Data loss"}, {Text: "slow start", Phases: []string{"2"}, Paths: []string{"a/**"}}}}
	got := memory.FromRisks(p, nil, a)
	if len(got) != 2 || got[1].Text != "slow start (phase 2) (paths: a/**)" {
		t.Fatalf("%+v", got)
	}
	if again := memory.FromRisks(p, got, a); len(again) != 0 {
		t.Errorf("again: %+v", again)
	}
	got[0].ClosedAt, got[0].Reason = &at, "backup"
	if again := memory.FromRisks(p, got, memory.Approval{Plan: "pln-2", By: a.By, At: at}); len(again) != 1 {
		t.Errorf("after it was closed: %+v", again)
	}
}
