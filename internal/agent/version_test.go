package agent_test

import (
	"testing"

	"kedge/internal/agent"
)

func TestVersionsAreJudged(t *testing.T) {
	for _, x := range []struct {
		kind, says string
		version    string
		want       agent.Standing
	}{
		{"claude", "2.1.325 (Claude Code)\n", "2.1.325", agent.Tried},
		{"claude", "2.1.197", "2.1.197", agent.Tried},
		{"claude", "2.1.10 (Claude Code)", "2.1.10", agent.NeverTried},
		{"claude", "2.1.2", "2.1.2", agent.NeverTried},
		{"claude", "2.1.1", "2.1.1", agent.TooOld},
		{"claude", "1.0.128 (Claude Code)", "1.0.128", agent.TooOld},
		{"claude", "99.0.0", "99.0.0", agent.NeverTried},
		{"claude", "command not found", "", agent.Unknown},
		{"claude", "v2", "", agent.Unknown},
		{"codex", "codex-cli 0.166.0\n", "0.166.0", agent.Tried},
		{"codex", "codex-cli 0.1.0", "0.1.0", agent.NeverTried},
		{"command", "1.2.3", "1.2.3", agent.NeverTried},
	} {
		got := agent.VersionIn(x.says)
		if judged := agent.VersionsOf(x.kind).Judge(got); got != x.version || judged != x.want {
			t.Errorf("%s says %q: %q is %s, want %q, %s", x.kind, x.says, got, judged, x.version, x.want)
		}
	}
}

// TestTooOldSaysWhyAndWhatToDo: a refusal without a way out helps nobody.
func TestTooOldSaysWhyAndWhatToDo(t *testing.T) {
	for _, kind := range []string{"claude", "codex"} {
		v := agent.VersionsOf(kind)
		if len(v.Tried) == 0 || v.Update == "" || (v.Oldest != "") != (v.Broken != "") {
			t.Errorf("%s: %+v", kind, v)
		}
	}
}

func FuzzVersionIn(f *testing.F) {
	f.Add("2.1.325 (Claude Code)")
	f.Add("codex-cli 0.166.0-alpha.1")
	f.Add("99999999999999999999.1.1")
	f.Fuzz(func(t *testing.T, text string) {
		v := agent.VersionIn(text)
		if judged := agent.VersionsOf("claude").Judge(v); (v == "") != (judged == agent.Unknown) {
			t.Errorf("%q is %s", v, judged)
		}
	})
}
