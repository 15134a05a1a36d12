package agents_test

import (
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
)

func TestVersionsAreJudged(t *testing.T) {
	for _, x := range []struct {
		kind, says string
		version    string
		want       agents.VersionState
	}{
		{"claude", "2.1.325 (Claude Code)\n", "2.1.325", agents.Tried},
		{"claude", "2.1.197", "2.1.197", agents.Tried},
		{"claude", "2.1.10 (Claude Code)", "2.1.10", agents.NeverTried},
		{"claude", "2.1.2", "2.1.2", agents.NeverTried},
		{"claude", "2.1.1", "2.1.1", agents.TooOld},
		{"claude", "1.0.128 (Claude Code)", "1.0.128", agents.TooOld},
		{"claude", "99.0.0", "99.0.0", agents.NeverTried},
		{"claude", "command not found", "", agents.Unknown},
		{"claude", "v2", "", agents.Unknown},
		{"codex", "codex-cli 0.166.0\n", "0.166.0", agents.Tried},
		{"codex", "codex-cli 0.1.0", "0.1.0", agents.NeverTried},
		{"command", "1.2.3", "1.2.3", agents.NeverTried},
	} {
		got := agents.VersionIn(x.says)
		if judged := catalog.Of(x.kind).Versions.Judge(got); got != x.version || judged != x.want {
			t.Errorf("%s says %q: %q is %s, want %q, %s", x.kind, x.says, got, judged, x.version, x.want)
		}
	}
}

// TestTooOldSaysWhyAndWhatToDo: a refusal without a way out helps nobody.
func TestTooOldSaysWhyAndWhatToDo(t *testing.T) {
	for _, kind := range []string{"claude", "codex"} {
		v := catalog.Of(kind).Versions
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
		v := agents.VersionIn(text)
		if judged := catalog.Of("claude").Versions.Judge(v); (v == "") != (judged == agents.Unknown) {
			t.Errorf("%q is %s", v, judged)
		}
	})
}
