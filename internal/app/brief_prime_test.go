package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/text/words"
)

func TestRow8PrimeStartsWithTheRules(t *testing.T) {
	pl := newPlace(t, true)
	rules := "1. Constraints\n- never push\n"
	pl.put(".kedge/rules.md", rules)
	if text := pl.prime(0).Text; !strings.HasPrefix(text, rules+"(rules: .kedge/rules.md from the folder, ") {
		t.Errorf("not committed:\n%s", text)
	}
	pl.git("add", ".")
	pl.git("commit", "-q", "-m", "rules")
	if text := pl.prime(0).Text; !strings.HasPrefix(text, rules+"(rules: .kedge/rules.md from commit "+pl.git("rev-parse", "HEAD")[:12]+", 28 bytes, sha256 ") {
		t.Errorf("committed:\n%s", text)
	}
	pl.put(".kedge/rules.md", "do as you like\n")
	if text := pl.prime(0).Text; !strings.HasPrefix(text, "do as you like\n(rules: .kedge/rules.md from the folder, changed since commit ") {
		t.Errorf("a person's edit:\n%s", text)
	}
	agent := pl.who()
	agent.Actor = kedge.Agent(kedge.SessionID(kedge.NewID("ses", pl.now)))
	r, err := pl.s.Prime(t.Context(), agent, status.PrimeRequest{})
	if err != nil || !strings.HasPrefix(r.Text, rules) {
		t.Errorf("an agent's edit: %v\n%s", err, r.Text)
	}
}

func TestRow60PrimeUnderItsCap(t *testing.T) {
	pl := newPlace(t, true)
	pl.put(".kedge/rules.md", strings.Repeat("keep it short\n", 20))
	pl.save(status.CheckpointSaveRequest{})
	whole := pl.prime(0)
	if whole.Budget != brief.DefaultBudget || whole.Tokens != words.Tokens(whole.Text) || len(whole.Cut) != 0 {
		t.Errorf("prime = %+v", whole)
	}
	if r := pl.prime(whole.Tokens - 1); len(r.Cut) == 0 || r.Tokens >= whole.Tokens {
		t.Errorf("nothing was cut: %+v", r)
	}
	for _, budget := range []int{10, -1} {
		if _, err := pl.s.Prime(t.Context(), pl.who(), status.PrimeRequest{Budget: budget}); !kedge.Invalid.Is(err) {
			t.Errorf("budget %d: %v", budget, err)
		}
	}
}

func TestRow44RisksInCheckpointAndHandoff(t *testing.T) {
	pl := newPlace(t, true)
	open, closed := kedge.RiskID(kedge.NewID("rsk", pl.now)), kedge.RiskID(kedge.NewID("rsk", pl.now))
	pl.fact(kedge.RiskOpened, kedge.Risk{ID: open, Text: "clock skew"})
	pl.fact(kedge.RiskOpened, kedge.Risk{ID: closed, Text: "old risk"})
	pl.fact(kedge.RiskClosed, kedge.RiskClosedData{ID: closed, Reason: "tested"})
	c := pl.save(status.CheckpointSaveRequest{})
	h, err := pl.s.HandoffSave(t.Context(), pl.who(), status.HandoffSaveRequest{Percent: 10, State: "begun", Approach: "small steps"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"checkpoint": c.Text, "handoff": h.Text, "brief": pl.prime(0).Text} {
		if !strings.Contains(text, "clock skew") || strings.Contains(text, "old risk") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestRow19RejectedPathsInTheBrief(t *testing.T) {
	pl := newPlace(t, true)
	pl.fact(kedge.FeatureAdded, featureFact(t, 1, kedge.Definition{ID: "login", Name: "Log in", Priority: 1}))
	pl.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: kedge.Decision{
		ID: kedge.DecisionID(kedge.NewID("dec", pl.now)), Status: kedge.DecisionLocked, Title: "JWT", Why: "stateless",
		Rejected: []kedge.Rejected{{What: "cookies", Reason: "the API has no browser"}},
	}})
	pl.fact(kedge.GateFinished, kedge.Evidence{
		ID: kedge.EvidenceID(kedge.NewID("evd", pl.now)), Feature: "login", At: pl.now,
		Verdict: kedge.Verdict{Verdict: kedge.TestFailure, Checks: []kedge.CheckResult{{Name: "unit", FirstFailure: &kedge.Failure{Test: "TestLogin", Message: "401"}}}},
	})
	text := pl.prime(0).Text
	for _, want := range []string{"> - cookies: the API has no browser\n", "> - the attempt at login of 2026-11-15 12:00 UTC: TEST_FAILURE in check unit: TestLogin"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if c := pl.save(status.CheckpointSaveRequest{}); !strings.Contains(c.Text, "- cookies: the API has no browser\n") {
		t.Errorf("checkpoint:\n%s", c.Text)
	}
}

func TestRow67CheckpointRecord(t *testing.T) {
	pl := newPlace(t, true)
	ses := kedge.SessionID(kedge.NewID("ses", pl.now))
	usd := 1.5
	pl.fact(kedge.SessionStarted, kedge.Session{ID: ses, Name: "auth", Agent: "claude", State: kedge.SessionRunning, USD: &usd})
	pl.put("b.txt", "by the agent\n")
	who := pl.who()
	who.Actor = kedge.Agent(ses)
	if _, err := pl.s.CheckpointSave(t.Context(), who, status.CheckpointSaveRequest{Task: "auth", Resume: "half way"}); err != nil {
		t.Fatal(err)
	}
	r, err := pl.s.CheckpointShow(t.Context(), pl.who(), status.CheckpointShowRequest{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"task", "files", "decisions", "budget_spent", "summary", "agent", "session", "timestamp"} {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %s", key, b)
		}
	}
	if r.Agent != "claude" || r.Session != ses || r.BudgetSpent.Tokens != nil || r.BudgetSpent.USD == nil || *r.BudgetSpent.USD != usd {
		t.Errorf("reply = %s", b)
	}
	if r.Files[0].ChangedBy != "agent" || r.Resume != "Nothing is ready to start, item none: half way" {
		t.Errorf("files %v, resume %q", r.Files, r.Resume)
	}
}

func TestRow72HandoffSave(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("b.txt", "x\n")
	in := status.HandoffSaveRequest{
		Percent: 60, State: "auth module", Approach: "JWT", Constraints: []string{"v1 stays"},
		RuledOut: []kedge.Rejected{{What: "OAuth2", Reason: "too complex"}}, Next: "refresh tokens", BlockedOn: "expiry policy",
	}
	r, err := pl.s.HandoffSave(t.Context(), pl.who(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 1 || r.Files[0] != "b.txt" || pl.read(".kedge/handoff.md") != r.Text {
		t.Errorf("handoff = %+v", r)
	}
	if l, err := pl.s.HandoffLint(t.Context(), pl.who(), status.LintRequest{}); err != nil || !l.OK {
		t.Errorf("lint = %+v, %v", l, err)
	}
	shown, err := pl.s.HandoffShow(t.Context(), pl.who(), status.HandoffShowRequest{ID: r.ID})
	if err != nil || shown.Text != r.Text {
		t.Errorf("show = %+v, %v", shown, err)
	}
	if text := pl.prime(0).Text; !strings.Contains(text, "> - State: 60%: auth module\n") || !strings.Contains(text, "> - OAuth2: too complex\n") {
		t.Errorf("brief:\n%s", text)
	}
	long := in
	long.Approach = strings.Repeat("many words ", 400)
	if _, err := pl.s.HandoffSave(t.Context(), pl.who(), long); !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), "600 tokens") {
		t.Errorf("a long handoff: %v", err)
	}
	long = in
	long.State = ""
	if _, err := pl.s.HandoffSave(t.Context(), pl.who(), long); !kedge.Invalid.Is(err) {
		t.Errorf("a handoff without a state: %v", err)
	}
}

func TestShowBeforeAnything(t *testing.T) {
	pl := newPlace(t, true)
	if _, err := pl.s.CheckpointShow(t.Context(), pl.who(), status.CheckpointShowRequest{}); !kedge.NotFound.Is(err) {
		t.Errorf("checkpoint: %v", err)
	}
	if _, err := pl.s.HandoffShow(t.Context(), pl.who(), status.HandoffShowRequest{ID: "ckp-x"}); !kedge.NotFound.Is(err) {
		t.Errorf("handoff: %v", err)
	}
	if _, err := pl.s.CheckpointLint(t.Context(), pl.who(), status.LintRequest{}); !kedge.NotFound.Is(err) {
		t.Errorf("lint: %v", err)
	}
}

func TestReadingNeedsNoDaemon(t *testing.T) {
	pl := newPlace(t, true)
	pl.save(status.CheckpointSaveRequest{})
	if err := pl.s.Close(); err != nil {
		t.Fatal(err)
	}
	ro := app.New(app.Config{Home: pl.home, ReadOnly: true})
	defer func() { _ = ro.Close() }()
	who, ctx := pl.who(), context.Background()
	st, err := ro.Status(ctx, who, status.Request{})
	if err != nil || st.Daemon != nil || st.Checkpoint == nil {
		t.Errorf("status = %+v, %v", st, err)
	}
	if _, err := ro.Prime(ctx, who, status.PrimeRequest{}); err != nil {
		t.Errorf("prime: %v", err)
	}
	if _, err := ro.CheckpointShow(ctx, who, status.CheckpointShowRequest{}); err != nil {
		t.Errorf("show: %v", err)
	}
	if _, err := ro.CheckpointSave(ctx, who, status.CheckpointSaveRequest{}); !kedge.Conflict.Is(err) {
		t.Errorf("save: %v", err)
	}
}
