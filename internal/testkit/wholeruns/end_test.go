package wholeruns_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// writes is an agent that writes a file named after its feature.
const writes = `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"},{"do":"done"}]}]`

func TestRow105AllDoneStartsNoAgent(t *testing.T) {
	w := newWorld(t, nil, writes, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("the user's checkout is dirty:\n%s", got)
	}
	if got := w.git("ls-files", "*.txt"); got != "a.txt\nb.txt" {
		t.Errorf("landed %q", got)
	}
	before := len(w.sessions())
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	if n := len(w.sessions()); before != 2 || n != before {
		t.Errorf("%d sessions, then %d: all done must start no agent", before, n)
	}
}

func TestRow14OneRepairThenBlocked(t *testing.T) {
	out := "--- FAIL: TestBad (0.00s)\n    bad_test.go:7: it is not there\n--- FAIL: TestWorse (0.00s)\n    worse_test.go:9: nor is this\n" + strings.Repeat("noise\n", 500)
	w := newWorld(t, map[string]string{"out.txt": out}, `[{"feature":"good","do":[{"do":"write","path":"good.txt","text":"ok\n"}]},
		{"do":[{"do":"write","path":"{{purpose}}.txt","text":"never\n"},{"do":"done"}]}]`, "")
	w.feature("bad", "cat out.txt; exit 3")
	w.feature("good", "test -f good.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "bad:blocked good:completed")
	var ids []kedge.SessionID
	for _, s := range w.sessions() {
		if strings.HasPrefix(s.Name, "bad") {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) != 2 {
		t.Fatalf("%d sessions for a feature that never passes, want the first and one repair", len(ids))
	}
	_, told, _ := strings.Cut(w.brief(ids[1]), "The first failure:\n")
	if !strings.Contains(told, `check "own"`) || !strings.Contains(told, "bad_test.go:7") || strings.Contains(told, "TestWorse") || strings.Contains(told, "noise") {
		t.Errorf("the repair is told\n%s", told)
	}
	var judged []run.Outcome
	for _, l := range w.lines {
		if l.Feature == "bad" && l.Event == run.Gated {
			judged = append(judged, l.Outcome)
		}
	}
	if !slices.Equal(judged, []run.Outcome{run.Empty, run.Red, run.Red}) { // the baseline, the work, the repair
		t.Errorf("judged %v\n%s", judged, w.story())
	}
	if why := w.of("bad"); !strings.Contains(why.Notes, "it is not there") {
		t.Errorf("the explanation %q does not have the first failure", why.Notes)
	}
}
