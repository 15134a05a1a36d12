package runs

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// TestHowARunRests: every state of a run either goes on by itself or says what
// kind of end it is and what a person does next.
func TestHowARunRests(t *testing.T) {
	features := func(s ...kedge.Status) []run.Feature {
		var out []run.Feature
		for i, st := range s {
			out = append(out, run.Feature{ID: kedge.FeatureID("f" + string(rune('1'+i))), Status: st})
		}
		return out
	}
	job := func(p run.Phase) []run.Job { return []run.Job{{ID: 1, Phase: p}} }
	for _, c := range []struct {
		name  string
		st    run.State
		rests bool
		kind  kedge.Kind
		next  string // the first one
	}{
		{"works", run.State{Status: run.StatusRunning, Jobs: job(run.Working)}, false, "", ""},
		{"waits for a provider", run.State{Status: run.StatusQuota, Jobs: job(run.Limited)}, false, "", ""},
		{"plans", run.State{Status: run.StatusPlanning}, false, "", ""},
		{"is paused, and a gate still runs", run.State{Status: run.StatusPaused, Halt: run.Paused, Jobs: job(run.Gating)}, false, "", ""},
		{"is done, and lands", run.State{Status: run.StatusDone, Outbox: []run.Command{{Kind: run.Land}}}, false, "", ""},
		{"done", run.State{Status: run.StatusDone, Features: features(kedge.Completed)}, true, "", ""},
		{"done, not landed", run.State{Status: run.StatusDone, LandRefusal: "dirty"}, true, kedge.Blocked, "kedge land"},
		{"paused", run.State{Status: run.StatusPaused, Halt: run.Paused, Jobs: job(run.Ready)}, true, kedge.Blocked, "kedge run --continue"},
		{"drifted", run.State{Status: run.StatusPaused, Halt: run.Paused, Jobs: job(run.Stuck)}, true, kedge.Conflict, "kedge run --continue"},
		{"stopped", run.State{Status: run.StatusStopped, Halt: run.Stopped}, true, kedge.Interrupted, "kedge run --continue"},
		{"over budget", run.State{Status: run.StatusOverBudget, Halt: run.OverBudget, Rules: config.Rules{USD: 2.5}}, true, kedge.OverBudget, "kedge run --continue --budget-usd 5"},
		{"over budget, in tokens", run.State{Status: run.StatusOverBudget, Halt: run.OverBudget, Rules: config.Rules{USD: 50, Tokens: 10}, Spent: kedge.Spend{Tokens: 12}}, true, kedge.OverBudget, "kedge run --continue --budget-tokens 24"},
		{"a phase over its budget, in tokens", run.State{
			Status: run.StatusOverBudget, Halt: run.OverBudget, Rules: config.Rules{USD: 50}, Spent: kedge.Spend{Tokens: 12},
			Phases: []config.Bounded{{PhaseLimit: config.PhaseLimit{ID: "p1", Tokens: 10}, Spent: kedge.Spend{Tokens: 11}}},
		}, true, kedge.OverBudget, "kedge run --continue --budget-tokens 24"},
		{"sessions", run.State{Status: run.StatusStopped, Halt: run.MaxSessions, Rules: config.Rules{MaxSessions: 3}}, true, kedge.OverBudget, "kedge run --continue --max-sessions 3"},
		{"environment", run.State{Status: run.StatusStopped, Halt: run.Environment}, true, kedge.Blocked, "kedge run --continue"},
		{"baseline", run.State{Status: run.StatusStopped, Halt: run.RedBaseline}, true, kedge.Red, "kedge gate --all"},
		{"agent", run.State{Status: run.StatusStopped, Halt: run.NoAgent}, true, kedge.Blocked, "kedge run --continue"},
		{"fault", run.State{Status: run.StatusStopped, Halt: run.Fault}, true, kedge.Internal, "kedge run --continue"},
		{"asks", run.State{Status: run.StatusWaiting, Features: features(kedge.InProgress), Jobs: job(run.Asking)}, true, kedge.Blocked, "kedge answer f1 TEXT"},
		{"review", run.State{Status: run.StatusWaiting, Features: features(kedge.NeedsReview), Jobs: job(run.Reviewing)}, true, kedge.Blocked, "kedge approve f1"},
		{"blocked", run.State{Status: run.StatusStopped, Features: features(kedge.Completed, kedge.BlockedWork)}, true, kedge.Blocked, "kedge feature show f2"},
		{"ready", run.State{Status: run.StatusStopped, Features: features(kedge.Completed, kedge.Pending)}, true, kedge.Blocked, "kedge run"},
		{"no run", run.State{Features: features(kedge.Pending)}, true, kedge.Blocked, "kedge run"},
		{"stranded", run.State{Status: run.StatusStopped, Features: []run.Feature{{ID: "f1", Status: kedge.Skipped}, {ID: "f2", Status: kedge.Pending, Needs: []int{0}}}}, true, kedge.Blocked, "kedge feature amend f2 --depends-on '' --reason WHY"},
		{"halted, not ready", run.State{Status: run.StatusStopped, Halt: run.Stopped, Features: features(kedge.Pending)}, true, kedge.Interrupted, "kedge run --continue"},
		{"accept", run.State{Status: run.StatusStopped, Features: features(kedge.NeedsReview)}, true, kedge.Blocked, "kedge approve f1 --reason WHY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.st.Resting(); got != c.rests {
				t.Fatalf("rests: %v", got)
			}
			if !c.rests {
				return
			}
			if got := kindOf(&c.st); got != c.kind {
				t.Errorf("the kind is %q", got)
			}
			next := kedge.StepLines(nextOf(&c.st))
			if next == nil {
				t.Error("no list is not an empty list")
			}
			if first := append(next, "")[0]; first != c.next {
				t.Errorf("next is %q", next)
			}
		})
	}
}

// TestWhenARunBegan: it stands in the id of a run: the moment of the request that began it.
func TestWhenARunBegan(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if got := startOf(kedge.RunID(kedge.NewID("run", at))); !got.Equal(at) {
		t.Errorf("it began at %v", got)
	}
	if got := startOf("run-1"); !got.IsZero() {
		t.Errorf("an id without a time began at %v", got)
	}
}

// TestUnknownIsNotNothing: what no session said is unknown.
func TestUnknownIsNotNothing(t *testing.T) {
	if u := usageOf(run.State{Sessions: 2, Unmetered: 2}); u.Tokens != nil || u.USD != nil {
		t.Errorf("%+v", u)
	}
	u := usageOf(run.State{Sessions: 2, Unmetered: 1, Spent: kedge.Spend{Tokens: 7}})
	if u.Tokens == nil || *u.Tokens != 7 || u.USD != nil {
		t.Errorf("%+v", u)
	}
}

// What no session said yet is unknown, not nothing.
func TestUsageIsUnknownUntilItIsSaid(t *testing.T) {
	live := []run.Command{{Kind: run.StartSession, Job: 1, Epoch: 1}}
	said := &kedge.Spend{}
	for name, c := range map[string]struct {
		st    run.State
		known bool
	}{
		"none yet":           {run.State{}, false},
		"works, said none":   {run.State{Sessions: 1, Jobs: []run.Job{{ID: 1, Phase: run.Working}}, Outbox: live}, false},
		"works, said so":     {run.State{Sessions: 1, Jobs: []run.Job{{ID: 1, Phase: run.Working, Used: said}}, Outbox: live}, true},
		"ended, said none":   {run.State{Sessions: 1, Unmetered: 1}, false},
		"ended, said so":     {run.State{Sessions: 1}, true},
		"one of two said it": {run.State{Sessions: 2, Unmetered: 1, Spent: kedge.Spend{Tokens: 5}}, true},
	} {
		if u := usageOf(c.st); (u.Tokens != nil) != c.known {
			t.Errorf("%s: tokens %v", name, u.Tokens)
		}
	}
}

// TestWaitText: the next try is named, the first of them, and whether the provider said
// so; what nobody said is not made up.
func TestWaitText(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	wait := func(job int, d time.Duration, until time.Time) run.Command {
		return run.Command{Kind: run.Timer, Job: job, At: at, Wait: d, Until: until, Reason: "a provider's limit"}
	}
	for name, c := range map[string]struct {
		outbox []run.Command
		want   string
	}{
		"told":    {[]run.Command{wait(1, 2*time.Hour, at.Add(2*time.Hour)), wait(2, time.Hour, at.Add(time.Hour))}, "a provider's limit, until 2026-01-02 04:04 UTC (in 50m)"},
		"unknown": {[]run.Command{wait(1, 15*time.Minute, time.Time{})}, "a provider's limit that ends at an unknown time; Kedge tries again at 2026-01-02 03:19 UTC (in 5m)"},
		"past":    {[]run.Command{wait(1, time.Minute, time.Time{})}, "a provider's limit that ends at an unknown time; Kedge tries again at 2026-01-02 03:05 UTC"},
		"another": {[]run.Command{{Kind: run.Timer, Job: 1, At: at, Wait: time.Hour, Reason: "the session has used its time"}}, ""},
	} {
		st := run.State{Status: run.StatusQuota, Outbox: c.outbox}
		if got := waitText(&st, at.Add(10*time.Minute)); got != c.want {
			t.Errorf("%s: it says %q", name, got)
		}
	}
}
