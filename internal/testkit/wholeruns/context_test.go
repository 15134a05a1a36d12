package wholeruns_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/status"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// heard tells whether a step with these words was told.
func (w *world) heard(words ...string) bool {
	return slices.ContainsFunc(w.lines, func(l reports.RunStep) bool {
		for _, word := range words {
			if !strings.Contains(string(l.Event)+" "+string(l.Outcome)+" "+l.Text, word) {
				return false
			}
		}
		return true
	})
}

// fills is an agent that works on and on in its first session, so that its
// context fills up, and finishes in its second.
const fills = `[{"number":1,"do":[{"do":"write","path":"half.txt","text":"half\n"},
	{"do":"loop","times":45,"actions":[{"do":"grow","tokens":3200},{"do":"run","line":"date +%N"}]},{"do":"hang"}]},
	{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`

func TestRow38And77HandsOverBeforeTheContextIsFull(t *testing.T) {
	w := newWorld(t, nil, fills, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if !w.heard("hand over", " of 200000 tokens") {
		t.Errorf("nobody said why it is handed over\n%s", w.story())
	}
	ids := w.sessions()
	if len(ids) != 2 {
		t.Fatalf("%d sessions, want one that is handed over and one that finishes\n%s", len(ids), w.story())
	}
	w.savedFirst()
	next := w.brief(ids[1].ID)
	if !strings.Contains(next, "half.txt") {
		t.Errorf("the next session is not told what the last one left:\n%s", next)
	}
}

// TestRow77ThresholdOfAModel: a model's window is what people say that it is, and
// another model's counts for nothing.
func TestRow77ThresholdOfAModel(t *testing.T) {
	w := newWorld(t, nil, `{"version":1,"window":200000,"model":"small-1","plays":[{"number":1,"do":[{"do":"grow","tokens":20000},{"do":"hang"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]}`, "[context.window]\n\"small-*\" = 20000\n\"large-*\" = 2000\n")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if n := len(w.sessions()); n != 2 || !w.heard("hand over", " of 20000 tokens") {
		t.Errorf("%d sessions\n%s", n, w.story())
	}
}

// TestRow77ShareOfAModel: each model has its own threshold, whatever its window is.
func TestRow77ShareOfAModel(t *testing.T) {
	w := newWorld(t, nil, `{"version":1,"window":20000,"model":"small-1","plays":[{"number":1,"do":[{"do":"grow","tokens":9000},{"do":"hang"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]}`, "[context.handover_of]\n\"small-*\" = 0.4\n\"large-*\" = 0.9\n")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if n := len(w.sessions()); n != 2 || !w.heard("hand over", " of 20000 tokens") {
		t.Errorf("%d sessions\n%s", n, w.story())
	}
}

// place is the first step with this event; -1: none.
func (w *world) place(event run.InputKind) int {
	return slices.IndexFunc(w.lines, func(l reports.RunStep) bool { return l.Event == event })
}

// savedFirst fails where the first session ended before its checkpoint was saved, or
// the second one was not told what became of it.
func (w *world) savedFirst() {
	w.t.Helper()
	checkpointed, ended := w.place(run.Checkpointed), w.place(run.Exited)
	if checkpointed < 0 || ended < 0 || checkpointed > ended {
		w.t.Errorf("the checkpoint must come before the end of the session\n%s", w.story())
	}
	all := w.sessions()
	if len(all) != 2 || !strings.Contains(w.brief(all[1].ID), "\n## In flight\n") {
		w.t.Errorf("%d sessions, the last one is not told of the one before\n%s", len(all), w.story())
	}
}

func TestRow48And78CirclingEndsTheSession(t *testing.T) {
	w := newWorld(t, nil, `[{"number":1,"do":[{"do":"loop","times":500,"actions":[{"do":"run","line":"echo the same again"},{"do":"pause","for":"20ms"}]},{"do":"hang"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if !w.heard("hand over", "gave the same result 3 times") {
		t.Errorf("nobody said circling\n%s", w.story())
	}
	w.savedFirst()
}

func TestRow25And79FreshContextPerFeature(t *testing.T) {
	w := newWorld(t, nil, writes, "")
	const n = 6
	for i := range n {
		id := fmt.Sprintf("f%d", i)
		w.feature(id, "test -f "+id+".txt")
	}
	v := w.run(supply.Flags{})
	if v.Features.Completed != n {
		t.Fatalf("%+v\n%s", v.Features, w.story())
	}
	seen := map[string]bool{}
	var first []int
	for _, s := range w.sessions() {
		seen[string(s.ID)] = true
		first = append(first, len(w.brief(s.ID)))
	}
	if len(seen) != n {
		t.Errorf("%d sessions for %d features", len(seen), n)
	}
	low, high := slices.Min(first), slices.Max(first)
	if float64(high) > 1.4*float64(low) {
		t.Errorf("the first message grows from %d to %d bytes", low, high)
	}
}

const someRules = "# Rules\n\n## 1 Constraints\n- never touch the moon\n\n## 2 Code modification\n- small steps\n\n## 3 Validation loop\n- run the checks\n"

// TestRow8EverySessionStartsWithTheRules: for the work, for its repair, for the next
// feature, whatever an agent made of the file in its worktree: byte for byte as
// they are at the run's commit, with their hash.
func TestRow8EverySessionStartsWithTheRules(t *testing.T) {
	w := newWorld(t, map[string]string{".kedge/rules.md": someRules}, `[{"feature":"a","purpose":"implement","do":[{"do":"write","path":"no.txt","text":"x\n"}]},
		{"do":[{"do":"write","path":".kedge/rules.md","text":"anything goes\n"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"},{"do":"run","line":"git checkout .kedge"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	all := w.sessions()
	if len(all) != 3 {
		t.Fatalf("%d sessions\n%s", len(all), w.story())
	}
	hash := fmt.Sprintf("%d bytes, sha256 %x)", len(someRules), sha256.Sum256([]byte(someRules)))
	for _, s := range all {
		text := w.brief(s.ID)
		after, ok := strings.CutPrefix(text, someRules+"(rules: .kedge/rules.md from commit ")
		if line, _, _ := strings.Cut(after, "\n"); !ok || !strings.HasSuffix(line, hash) {
			t.Errorf("a session for %s starts with\n%.400s", s.Feature, text)
		}
	}
}

func TestRow73RulesFirstTaskLast(t *testing.T) {
	rules := someRules
	w := newWorld(t, map[string]string{".kedge/rules.md": rules}, writes, "")
	w.feature("a", "test -f a.txt")
	w.run(supply.Flags{})
	brief := w.brief(w.sessions()[0].ID)
	if !strings.HasPrefix(brief, rules) {
		t.Errorf("the brief does not begin with the rules, byte for byte:\n%.400s", brief)
	}
	if last := brief[strings.LastIndex(brief, "\n## "):]; !strings.HasPrefix(last, "\n## Task") || !strings.Contains(last, "test -f a.txt") {
		t.Errorf("the task and its checks are not the end of it:\n%s", brief)
	}
}

func TestRow68SavedAfterEverySignificantAction(t *testing.T) {
	gate := t.TempDir() + "/go"
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"},{"do":"wait","path":"`+gate+`1"},
		{"do":"run","line":"echo tested"},{"do":"wait","path":"`+gate+`2"},{"do":"run","line":"git add -A && git commit -qm mine","must":true},
		{"do":"wait","path":"`+gate+`3"},{"do":"run","line":"echo deployed"},{"do":"wait","path":"`+gate+`4"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.start(supply.Flags{})
	last := kedge.CheckpointID("")
	saved := func(what string) {
		t.Helper()
		w.until("a checkpoint after "+what, func(runs.RunView) bool {
			c, err := w.svc.CheckpointShow(w.ctx, w.caller(), status.CheckpointShowRequest{})
			if err != nil || c.Checkpoint.ID == last {
				return false
			}
			last = c.Checkpoint.ID
			return true
		})
		for _, s := range w.sessions() {
			if !s.Live() {
				t.Errorf("the session was over before what it did was saved: %s", what)
			}
		}
	}
	restarted := func() {
		t.Helper()
		w.reopen()
		c, err := w.svc.CheckpointShow(w.ctx, w.caller(), status.CheckpointShowRequest{})
		if err != nil || c.Checkpoint.ID < last { // ids are in order of time
			t.Errorf("after a restart the last checkpoint is %q (%v), it was %q", c.Checkpoint.ID, err, last)
		}
		last = c.Checkpoint.ID
	}
	saved("a file was written")
	w.write(gate+"1", "")
	saved("a test was run")
	restarted()
	w.write(gate+"2", "")
	saved("a commit was made")
	restarted()
	w.write(gate+"3", "")
	saved("it was deployed")
	restarted()
	w.write(gate+"4", "")
	w.want(w.rest(), run.StatusDone, "", "a:completed")
}

func TestRow80FallingQualityHandsOver(t *testing.T) {
	w := newWorld(t, nil, `[{"number":1,"do":[{"do":"loop","times":12,"actions":[{"do":"run","line":"head -c 300 /dev/urandom | base64"}]},
		{"do":"loop","times":40,"actions":[{"do":"run","line":"head -c 300 /dev/urandom | base64; exit 1"}]},{"do":"hang"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if !w.heard("hand over", "turns went wrong") {
		t.Errorf("nobody said that quality falls\n%s", w.story())
	}
	w.savedFirst()
}

func TestRow70And71BudgetsHaveTheirBudgetAndOnlySummariesAreCarried(t *testing.T) {
	w := newWorld(t, nil, `[{"feature":"b","do":[{"do":"usage","usage":{"input_tokens":5000,"output_tokens":10}},{"do":"hang"}]},
		{"do":[{"do":"say","text":"words that belong to the first session only"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt", func(d *kedge.Definition) { d.Phase = "p1" })
	w.feature("b", "test -f b.txt", after("a"), func(d *kedge.Definition) { d.Phase, d.Budget = "p2", kedge.Budget{Tokens: 4000} })
	v := w.run(supply.Flags{})
	if w.statuses()["a"] != kedge.Completed || w.statuses()["b"] == kedge.Completed {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if !strings.Contains(v.Reason+w.of("b").Notes, "budget") {
		t.Errorf("nobody says that a budget is spent: %q, %q", v.Reason, w.of("b").Notes)
	}
	all := w.sessions()
	if last := w.brief(all[len(all)-1].ID); strings.Contains(last, "words that belong") {
		t.Errorf("what another session said is in the brief:\n%s", last)
	}
}
