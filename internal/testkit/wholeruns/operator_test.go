package wholeruns_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/planning"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// waits is an agent that says where it is and waits for a file before it works.
func waits(t *testing.T) (script string, let func()) {
	t.Helper()
	gate := filepath.Join(t.TempDir(), "go")
	script = `[{"do":[{"do":"say","text":"here"},{"do":"wait","path":"` + gate + `"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`
	return script, func() {
		if err := os.WriteFile(gate, nil, 0o644); err != nil {
			t.Error(err)
		}
	}
}

func working(v runs.RunView) bool {
	for _, j := range v.Jobs {
		if j.Phase == run.Working && j.Session != "" {
			return true
		}
	}
	return false
}

func TestRow27PauseContinueStopAndTell(t *testing.T) {
	script, let := waits(t)
	w := newWorld(t, nil, script, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt")
	w.start(supply.Flags{})
	w.until("a session works", working)
	if _, err := w.svc.RunPause(w.ctx, w.caller(), runs.RunRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.RunTell(w.ctx, w.caller(), runs.RunTellRequest{Name: "a", Text: "mind the gap"}); err != nil {
		t.Fatal(err)
	}
	let() // it stands still, and does not see this before it is let go
	v := w.until("paused and nothing moves", func(v runs.RunView) bool { return v.State == run.StatusPaused && v.Resting })
	if !strings.Contains(v.Reason, "ada") {
		t.Errorf("the pause %q does not say who", v.Reason)
	}
	if n := len(w.sessions()); n != 1 {
		t.Errorf("%d sessions while it is paused", n)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
	if !w.heard("said") {
		t.Errorf("the record does not have what a person said\n%s", w.story())
	}
	for word, who := range map[run.InputKind]string{run.PauseAsked: "by ada", run.Continued: "by ada", run.Said: "from ada"} {
		if at := w.place(word); at < 0 || w.lines[at].At.IsZero() || !strings.Contains(w.lines[at].Text, who) {
			t.Errorf("the record does not have who said %s, and when\n%s", word, w.story())
		}
	}
}

func TestRow27StopEndsSessionsAndKeepsTheirWork(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	w := newWorld(t, nil, `[{"number":1,"do":[{"do":"write","path":"half.txt","text":"half\n"},{"do":"run","line":"touch `+there+`"},{"do":"hang"}]},{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.start(supply.Flags{})
	w.until("a session works and has written", func(v runs.RunView) bool {
		_, err := os.Stat(there)
		return err == nil && working(v)
	})
	if _, err := w.svc.RunStop(w.ctx, w.caller(), runs.RunRequest{}); err != nil {
		t.Fatal(err)
	}
	v := w.rest()
	if v.State != run.StatusStopped || !strings.Contains(v.Reason, "ada") {
		t.Fatalf("%s (%s)", v.State, v.Reason)
	}
	for _, s := range w.sessions() {
		if s.Live() {
			t.Errorf("session %s still runs", s.ID)
		}
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
	if got := w.git("ls-files", "*.txt"); !strings.Contains(got, "half.txt") {
		t.Errorf("what the stopped session had done is gone: %q", got)
	}
}

// A word for a feature that waits for its turn stands in its brief, and in the
// story of its commit; one for a session that works is kept for the next.
func TestToldBeforeItsTurnStandsInTheBrief(t *testing.T) {
	script, let := waits(t)
	w := newWorld(t, nil, script, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.start(supply.Flags{})
	w.until("a session works", working)
	r, err := w.svc.RunTell(w.ctx, w.caller(), runs.RunTellRequest{Name: "b", Text: "mind the gap"})
	if err != nil || r.Feature != "b" || r.Session != "" {
		t.Fatalf("told %q in session %q: %v", r.Feature, r.Session, err)
	}
	if r, err = w.svc.RunTell(w.ctx, w.caller(), runs.RunTellRequest{Name: "a", Text: "too late"}); err != nil || r.Session == "" {
		t.Fatalf("told %q in session %q: %v", r.Feature, r.Session, err)
	}
	let()
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
	for _, ses := range w.sessions() {
		if text := w.brief(ses.ID); strings.Contains(text, "mind the gap") != (ses.Feature == "b") {
			t.Errorf("the brief of %s:\n%s", ses.Feature, text)
		}
	}
	story, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: "HEAD"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(story.Steps, func(s reports.RunStep) bool { return s.Text == "message from ada: mind the gap" }) {
		t.Errorf("the story does not have it: %+v", story.Steps)
	}
}

func TestAskedAndAnswered(t *testing.T) {
	w := newWorld(t, nil, `[{"brief":"blue, please","do":[{"do":"write","path":"{{feature}}.txt","text":"blue\n"}]},{"do":[{"do":"ask","text":"red or blue?"}]}]`, "")
	w.feature("a", "grep -q blue a.txt")
	v := w.run(supply.Flags{})
	if v.State != run.StatusWaiting || v.Kind != kedge.Blocked || !strings.Contains(v.Reason, "red or blue?") {
		t.Fatalf("%s (%s) %q\n%s", v.State, v.Reason, v.Kind, w.story())
	}
	if _, err := w.svc.Answer(w.ctx, w.caller(), planning.AnswerRequest{Name: "a", Text: "blue, please"}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
}

func TestF18ProviderLimitIsWaitedFor(t *testing.T) {
	w := newWorld(t, nil, `[{"number":1,"do":[{"do":"limit","for":"1s"}]},{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.start(supply.Flags{})
	w.until("the run waits for the provider", func(v runs.RunView) bool {
		return v.State == run.StatusQuota || v.State == run.StatusDone || v.Sessions > 1
	})
	w.until("it goes on by itself", func(v runs.RunView) bool { return v.State == run.StatusDone })
	if f := w.of("a"); f.Status != kedge.Completed {
		t.Errorf("a is %s", f.Status)
	}
}

func TestF31NotLoggedInIsNotTheFeaturesFault(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"no_login","text":"please log in"}]}]`, "")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if v.Halt != run.NoAgent || v.Kind != kedge.Blocked || w.statuses()["a"] == kedge.BlockedWork {
		t.Fatalf("%s (%s) %q %s, a is %s\n%s", v.State, v.Reason, v.Kind, v.Halt, w.statuses()["a"], w.story())
	}
	w.play(writes)
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
}

func TestF12AgentThatLoopsIsBounded(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"loop","times":2000,"actions":[{"do":"run","line":"echo the same again"}]},{"do":"hang"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt")
	v := w.run(supply.Flags{BudgetTokens: 4000})
	if !v.Resting || v.Features.Completed != 0 {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if v.State != run.StatusOverBudget && v.State != run.StatusStopped {
		t.Errorf("%s (%s)", v.State, v.Reason)
	}
	if w.place("checkpointed") < 0 {
		t.Errorf("no checkpoint was saved\n%s", w.story())
	}
}

func TestF16BranchDeletedByAPersonPauses(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "go")
	w := newWorld(t, nil, `[{"feature":"a","do":[{"do":"write","path":"a.txt","text":"ok\n"}]},
		{"do":[{"do":"wait","path":"`+gate+`"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	r := w.start(supply.Flags{})
	w.until("b is worked on", func(v runs.RunView) bool { return v.Features.Completed == 1 && working(v) })
	branch := "refs/heads/kedge/" + string(r.Run.ID)
	was := w.git("rev-parse", branch)
	w.git("update-ref", "-d", branch)
	w.write(gate, "")
	v := w.rest()
	if v.State != run.StatusPaused || w.statuses()["b"] == kedge.Completed {
		t.Fatalf("%s (%s): the branch was deleted\n%s", v.State, v.Reason, w.story())
	}
	if !strings.Contains(v.Reason, "kedge/") {
		t.Errorf("the reason %q does not say what is gone", v.Reason)
	}
	w.git("update-ref", branch, was)
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
}

func TestCrashedAgentGetsOneFreshSession(t *testing.T) {
	w := newWorld(t, nil, `[{"number":1,"do":[{"do":"write","path":"half.txt","text":"x\n"},{"do":"crash","signal":"KILL"}]},{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	w2 := w.sessions()
	if len(w2) != 2 {
		t.Errorf("%d sessions", len(w2))
	}
}

func TestBackgroundProcessesAreGone(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"background","line":"echo $$ > bg.new; mv bg.new bg.pid; exec sleep 1000"},{"do":"wait","path":"bg.pid"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt && ! kill -0 $(cat bg.pid) 2>/dev/null")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
}

func TestWhatWasSaidHoldsWhenARunIsContinued(t *testing.T) {
	script, let := waits(t)
	w := newWorld(t, nil, script, "")
	for _, id := range []string{"a", "b", "c"} {
		w.feature(id, "test -f "+id+".txt")
	}
	w.start(supply.Flags{Parallel: 3})
	w.until("three sessions work", func(v runs.RunView) bool { return v.Sessions == 3 })
	if _, err := w.svc.RunPause(w.ctx, w.caller(), runs.RunRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	if v := w.until("it goes on", func(v runs.RunView) bool { return v.State == run.StatusRunning }); v.Parallel != 3 {
		t.Errorf("%d at once, it was 3", v.Parallel)
	}
	let()
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed c:completed")
}
