package wholeruns_test

import (
	"testing"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// spends is an agent that reports a thousand tokens and a dollar per turn.
const spends = `[{"do":[{"do":"usage","usage":{"input_tokens":900,"output_tokens":100,"usd":1}},
	{"do":"write","path":"{{feature}}.txt","text":"ok\n"},{"do":"done"}]}]`

func TestRow75And104BudgetIsAHardCapAndResumable(t *testing.T) {
	w := newWorld(t, nil, spends, "")
	for _, id := range []string{"a", "b", "c"} {
		w.feature(id, "test -f "+id+".txt")
	}
	v := w.run(supply.Flags{BudgetUSD: 1.5})
	if v.State != run.StatusOverBudget || v.Kind != kedge.OverBudget {
		t.Fatalf("%s (%s) %q\n%s", v.State, v.Reason, v.Kind, w.story())
	}
	if n := len(w.sessions()); n != 2 {
		t.Errorf("%d sessions with money for one and a half", n)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Flags: supply.Flags{BudgetUSD: 10}}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed c:completed")
}

func TestRow75SpendingIsStoppedInTheMiddle(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"usage","usage":{"input_tokens":5000,"output_tokens":100}},{"do":"hang"}]}]`, "")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{BudgetTokens: 5000})
	if v.State != run.StatusOverBudget {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	for _, s := range w.sessions() {
		if s.Live() {
			t.Errorf("session %s still runs", s.ID)
		}
	}
}

func TestMaxSessionsStops(t *testing.T) {
	w := newWorld(t, nil, writes, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt")
	v := w.run(supply.Flags{MaxSessions: 1})
	if v.Features.Completed != 1 || len(w.sessions()) != 1 {
		t.Fatalf("%d completed in %d sessions\n%s", v.Features.Completed, len(w.sessions()), w.story())
	}
	if v.Halt != run.MaxSessions || v.Kind != kedge.OverBudget || len(v.Next) == 0 {
		t.Errorf("%s (%s) %q %s, next %v", v.State, v.Reason, v.Kind, v.Halt, v.Next)
	}
}
