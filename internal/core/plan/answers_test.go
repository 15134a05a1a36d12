package plan

import (
	"strings"
	"testing"

	"kedge"
)

const askingPlan = `---
version: 1
title: Orders
status: ready
---

## Questions

1. Which currency? (blocking)
   answer: EUR
     and no other
2. Which colour?
   It is for the button.

3. Which port?
   answer:

## Root cause

answer: this is no answer
`

func TestWithAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		n         int
		was, want string
	}{
		"in place of a long one": {1, "   answer: EUR\n     and no other\n", "   answer: USD or so\n"},
		"where there was none":   {2, "   It is for the button.\n", "   It is for the button.\n   answer: USD or so\n"},
		"where it was empty":     {3, "3. Which port?\n   answer:\n", "3. Which port?\n   answer: USD or so\n"},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			ends := func(s string) string { return strings.ReplaceAll(s, "\n", end) }
			got, err := WithAnswer("plan.md", []byte(ends(askingPlan)), c.n, "USD\nor so")
			if want := strings.Replace(ends(askingPlan), ends(c.was), ends(c.want), 1); err != nil || string(got) != want {
				t.Errorf("%s: %v, got:\n%q", name, err, got)
			}
		}
	}
}

func TestWithAnswerAtTheEnd(t *testing.T) {
	cut, _, _ := strings.Cut(askingPlan, "\n   It is for")
	got, err := WithAnswer("plan.md", []byte(cut), 2, "red")
	if err != nil || string(got) != cut+"\n   answer: red\n" {
		t.Errorf("%v, got:\n%q", err, got)
	}
}

func TestWithAnswerRefuses(t *testing.T) {
	for _, c := range []struct {
		n      int
		answer string
		want   kedge.Kind
	}{{9, "red", kedge.NotFound}, {1, " \n", kedge.Invalid}, {1, strings.Repeat("x", maxAnswer+1), kedge.Invalid}} {
		if _, err := WithAnswer("plan.md", []byte(askingPlan), c.n, c.answer); !c.want.Is(err) {
			t.Errorf("question %d: %v", c.n, err)
		}
	}
	if _, err := WithAnswer("plan.md", []byte("no plan"), 1, "red"); !kedge.Invalid.Is(err) {
		t.Errorf("no plan: %v", err)
	}
}

// A long answer is kept whole.
func TestLongAnswerStaysWhole(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("so and so ", 400))
	asked, err := Answered([]kedge.Question{{N: 1, Text: "Which?"}}, 1, long)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ParsePlan("plan.md", Draft("pln-0123456789abcdefghjkmnpqrs", "Orders", kedge.PlanDrafting, asked))
	if err != nil || d.Plan.Questions[0].Answer != long {
		t.Errorf("%v, %d bytes of %d", err, len(d.Plan.Questions[0].Answer), len(long))
	}
}

func TestSameButAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		was, now string
		same     bool
	}{
		"the same":         {"", "", true},
		"another answer":   {"answer: EUR\n     and no other", "answer: USD", true},
		"an answer more":   {"It is for the button.\n", "It is for the button.\n   answer: red\n", true},
		"an empty line":    {"## Root cause\n", "## Root cause\n\n", true},
		"another status":   {"status: ready", "status: drafting", true},
		"another question": {"Which colour?", "Which colours?", false},
		"another title":    {"title: Orders", "title: Order", false},
		"another field":    {"this is no answer", "nor is this", false},
		"an item more":     {"no answer\n", "no answer\n\n## Phase 1: one {#p1}\n\n- [ ] p1.1 it\n", false},
		"no plan":          {"version: 1", "version: one", false},
	} {
		other := []byte(strings.Replace(askingPlan, c.was, c.now, 1))
		if c.was != "" && string(other) == askingPlan {
			t.Fatalf("%s: nothing was changed", name)
		}
		if SameButAnswers([]byte(askingPlan), other) != c.same || SameButAnswers(other, []byte(askingPlan)) != c.same {
			t.Errorf("%s: the same is not %v", name, c.same)
		}
	}
}

func TestUnanswered(t *testing.T) {
	asked := []kedge.Question{{N: 1, Blocking: true}, {N: 2, Answer: "red"}, {N: 3}}
	if got := Unanswered(asked); len(got) != 2 || got[0].N != 1 || got[1].N != 3 {
		t.Errorf("unanswered %+v", got)
	}
	if got := Optional(asked); len(got) != 1 || got[0].N != 3 {
		t.Errorf("optional %+v", got)
	}
}

// An answer is found again where it was put, and nothing else of the text changes.
func FuzzWithAnswer(f *testing.F) {
	f.Add(askingPlan, 1, "red")
	f.Add(strings.ReplaceAll(askingPlan, "\n", "\r\n"), 2, "two\nlines")
	f.Add(strings.Replace(askingPlan, "2. Which", "<!-- x -->\n   answer: no\n2. Which", 1), 2, "red")
	f.Fuzz(func(t *testing.T, text string, n int, answer string) {
		got, err := WithAnswer("plan.md", []byte(text), n, answer)
		if err != nil {
			return
		}
		if !SameButAnswers([]byte(text), got) {
			t.Errorf("more than the answer changed:\n%q\n%q", text, got)
		}
		d, err := ParsePlan("plan.md", got)
		if err != nil {
			t.Fatalf("%v:\n%s", err, got)
		}
		for _, q := range d.Plan.Questions {
			if q.N == n {
				if want := flat(answer, maxAnswer); q.Answer != want {
					t.Errorf("question %d has the answer %q, want %q:\n%q", n, q.Answer, want, got)
				}
				return
			}
		}
		t.Errorf("question %d is gone:\n%s", n, got)
	})
}
