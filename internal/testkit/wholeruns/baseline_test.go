package wholeruns_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// gateOf is a gate with one test.
func gateOf(line string) map[string]string {
	return map[string]string{".kedge/gate.toml": "version = 1\n[[check]]\nname = \"unit\"\nkind = \"test\"\nrun = '''" + line + "'''\n"}
}

func TestRow95And96RedBaselineIsFixedFirst(t *testing.T) {
	w := newWorld(t, gateOf("test ! -f broken.txt"), `[{"purpose":"fix","do":[{"do":"remove","path":"broken.txt"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.put("broken.txt", "x\n")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	all := w.sessions()
	if len(all) != 2 || strings.HasPrefix(all[0].Name, "a") {
		t.Fatalf("the fix must come before the feature: %+v\n%s", all, w.story())
	}
	if brief := w.brief(all[0].ID); !strings.Contains(brief, "test ! -f broken.txt") || strings.Contains(brief, "test -f a.txt") {
		t.Errorf("the fix is told of the failure and of no feature:\n%s", brief)
	}
}

func TestRow96UnfixableBaselineStartsNoFeature(t *testing.T) {
	w := newWorld(t, gateOf("test ! -f broken.txt"), `[{"do":[{"do":"write","path":"{{purpose}}.txt","text":"no\n"}]}]`, "")
	w.put("broken.txt", "x\n")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if v.Kind == "" || w.statuses()["a"] == kedge.Completed {
		t.Fatalf("%s (%s) %q", v.State, v.Reason, v.Kind)
	}
	for _, s := range w.sessions() {
		if s.Name == "a" {
			t.Errorf("a session for a feature on a red baseline\n%s", w.story())
		}
	}
}

func TestMissingSetupStartsNoAgent(t *testing.T) {
	w := newWorld(t, nil, writes, "[worktree]\nsetup = \"no-such-tool-of-ours --install\"\n")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if v.Kind != kedge.Blocked || len(w.sessions()) != 0 {
		t.Fatalf("%s (%s) %q, %d sessions\n%s", v.State, v.Reason, v.Kind, len(w.sessions()), w.story())
	}
	if !strings.Contains(v.Reason, "no-such-tool-of-ours") && !strings.Contains(v.Reason, "setup") {
		t.Errorf("the reason %q does not name what is missing", v.Reason)
	}
}

// TestRow102RegressedFeatureIsReopened: a feature that somebody took away is worked on
// again, before the next one, and its session is told since when.
func TestRow102RegressedFeatureIsReopened(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	w.git("rm", "-q", "a.txt")
	w.commit("tidy up")
	w.feature("b", "test -f b.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	if !w.heard("red again") {
		t.Errorf("nobody noticed that a is gone\n%s", w.story())
	}
	all := w.sessions()
	if len(all) != 3 || !strings.HasPrefix(all[1].Name, "a") || !strings.HasPrefix(all[2].Name, "b") {
		t.Fatalf("a comes before b: %+v\n%s", all, w.story())
	}
	if brief := w.brief(all[1].ID); !strings.Contains(brief, "since commit") || !strings.Contains(brief, "tidy up") {
		t.Errorf("its session is not told since when:\n%s", brief)
	}
}

// TestRow14WorkThatBreaksAFeatureIsSentBack: with the broken check, and nothing of it is
// committed before.
func TestRow14WorkThatBreaksAFeatureIsSentBack(t *testing.T) {
	w := newWorld(t, nil, `[{"feature":"b","purpose":"implement","do":[{"do":"write","path":"b.txt","text":"ok\n"},{"do":"remove","path":"a.txt"}]},
		{"feature":"b","purpose":"repair","do":[{"do":"write","path":"a.txt","text":"again\n"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	all := w.sessions()
	if len(all) != 3 {
		t.Fatalf("%+v\n%s", all, w.story())
	}
	if brief := w.brief(all[2].ID); !strings.Contains(brief, `breaks the completed feature "a"`) || !strings.Contains(brief, "test -f a.txt") {
		t.Errorf("the repair is not told what broke:\n%s", brief)
	}
	for _, sha := range strings.Fields(w.git("log", "--format=%H", "--", "b.txt")) {
		w.git("cat-file", "-e", sha+":a.txt")
	}
}
