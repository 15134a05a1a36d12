package sessions

import (
	"testing"

	"kedge"
)

// TestHintNamesAnInstalledAgent: the hint about a missing agent is the command that you
// ran, with an agent that is there.
func TestHintNamesAnInstalledAgent(t *testing.T) {
	plain, given := kedge.Step("kedge", "run", "--parallel", "2"), kedge.Step("kedge", "run", "--agent", "gone", "--parallel", "2")
	for got, want := range map[string]string{
		nameAgent([]string{"bot"}, nil, plain):                                           `kedge run --parallel 2 --agent bot; or commit agent = "bot" under [run] in .kedge/config.toml`,
		nameAgent([]string{"bot", "claude", "pi"}, nil, plain):                           `kedge run --parallel 2 --agent bot (also installed: claude, pi); or commit agent = "bot" under [run] in .kedge/config.toml`,
		nameAgent(nil, []string{"claude", "codex"}, plain):                               "install an agent (claude, codex), then: kedge run --parallel 2 --agent NAME",
		installOr(nil, given):                                                            "install it, then: kedge run --agent gone --parallel 2",
		installOr([]string{"bot", "claude"}, given):                                      "install it, or use one that is installed: kedge run --agent bot --parallel 2",
		resumeStep(SessionResume{Checkpoint: "latest"}).String():                         "kedge resume --checkpoint latest",
		resumeStep(SessionResume{Checkpoint: "ckp-1", Name: "w", Agent: "bot"}).String(): "kedge resume w --checkpoint ckp-1 --agent bot",
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
