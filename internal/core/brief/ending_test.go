package brief_test

import (
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/brief"
	"kedge/internal/text/words"
)

func TestRow82HandoffOfAnUnfinishedSession(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	base := brief.Ending{
		ID: kedge.CheckpointID(kedge.DeriveID("ckp", at, "x")), Session: kedge.SessionID(kedge.DeriveID("ses", at, "x")), Feature: "login",
		At: at, Task: "login: Log in", Why: "the context holds 7200 of 10000 tokens",
	}
	own := kedge.Handoff{Percent: 40, State: "half of it", Approach: "step by step", Next: "the other half", RuledOut: []kedge.Rejected{{What: "OAuth", Reason: "too large"}}}
	for _, tc := range []struct {
		name    string
		change  func(*brief.Ending)
		percent int
		want    []string
	}{
		{"nothing known", func(*brief.Ending) {}, 0, []string{"login: Log in. It changed nothing; not checked yet. It ended: the context holds", "unknown: the agent said nothing", "Continue with login: Log in"}},
		{"its own words come first", func(e *brief.Ending) { e.Own, e.Changed = &own, []string{"a.go"} }, 40, []string{"40%: half of it. login: Log in. It changed 1 file", "step by step", "the other half", "OAuth: too large", "- a.go"}},
		{"a red check is the next step", func(e *brief.Ending) {
			e.Own, e.Failure, e.Checks, e.Green = &own, "red in check unit: TestX", 4, 3
		}, 40, []string{"red: red in check unit: TestX", "the other half. Find the cause of the first failure, then make it green: red in check unit: TestX"}},
		{"checks tell how far it is", func(e *brief.Ending) { e.Checks, e.Green = 4, 2 }, 50, []string{"2 of 4 checks green"}},
		{"never all of it", func(e *brief.Ending) { e.Checks, e.Green = 4, 4 }, 90, []string{"4 of 4 checks green"}},
		{"what it did and said", func(e *brief.Ending) {
			e.Closing, e.InFlight, e.Tried, e.Next = "I replace sessions by tokens.", "edit jwt.go", "go test: exit 1", "store the refresh token"
		}, 0, []string{"It said last: I replace sessions by tokens.; In flight: edit jwt.go; Tried: go test: exit 1", "store the refresh token"}},
		{"a question", func(e *brief.Ending) { e.Question = "which expiry?" }, 0, []string{"which expiry?"}},
		{"set aside", func(e *brief.Ending) { e.Changed, e.SetAside = []string{"a", "b"}, true }, 0, []string{"It changed 2 files, set aside"}},
		{"a path that no file can name", func(e *brief.Ending) { e.Changed = []string{"a\nb", "c"} }, 0, []string{"- c"}},
		{"too much of everything", func(e *brief.Ending) {
			e.Own, e.Closing, e.Failure, e.Question = &own, strings.Repeat("word ", 400), strings.Repeat("boom ", 400), strings.Repeat("why ", 400)
			e.Risks = []string{strings.Repeat("risk ", 100), strings.Repeat("danger ", 100)}
			for range 40 {
				e.Changed = append(e.Changed, strings.Repeat("d", len(e.Changed)+1)+"/f.go")
				e.RuledOut = append(e.RuledOut, kedge.Rejected{What: strings.Repeat("what ", 50), Reason: "because"})
			}
		}, 40, []string{"half of it"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := base
			tc.change(&e)
			h := brief.HandoffOf(e)
			text, err := brief.WriteHandoff(h)
			if err != nil {
				t.Fatal(err)
			}
			if n := words.Tokens(string(text)); n > brief.MaxHandoff+60 {
				t.Errorf("%d tokens", n)
			}
			if h.Percent != tc.percent || h.Feature != "login" {
				t.Errorf("%d%% of %q, want %d%%", h.Percent, h.Feature, tc.percent)
			}
			for _, want := range tc.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("without %q:\n%s", want, text)
				}
			}
		})
	}
}

// TestRow82HandoffAlwaysEnds: whatever an agent or a path brings, the handoff is cut to
// what fits.
func TestRow82HandoffAlwaysEnds(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	long, odd := strings.Repeat("deep/", 2000), strings.Repeat("\x01", 5000)
	for name, change := range map[string]func(*brief.Ending){
		"a long path":        func(e *brief.Ending) { e.Changed = []string{long + "x"} },
		"long paths":         func(e *brief.Ending) { e.Changed = []string{long + "x", long + "y"} },
		"control characters": func(e *brief.Ending) { e.Own = &kedge.Handoff{State: odd, Approach: odd, Next: odd, BlockedOn: odd} },
		"long words":         func(e *brief.Ending) { e.Own = &kedge.Handoff{State: long, Approach: long, Next: long} },
	} {
		e := brief.Ending{
			ID: kedge.CheckpointID(kedge.DeriveID("ckp", at, "x")), Session: kedge.SessionID(kedge.DeriveID("ses", at, "x")), Feature: "login", At: at, Task: "login",
		}
		change(&e)
		b, err := brief.WriteHandoff(brief.HandoffOf(e))
		if err != nil || words.Tokens(string(b)) > 2*brief.MaxHandoff {
			t.Errorf("%s: %d tokens, %v", name, words.Tokens(string(b)), err)
		}
	}
}
