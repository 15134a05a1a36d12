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
		nameAgent([]string{"bot"}, nil, plain):                                           `name the agent: kedge run --parallel 2 --agent bot; or write agent = "bot" under [run] in .kedge/config.toml, and commit that file`,
		nameAgent([]string{"bot", "claude", "pi"}, nil, plain):                           `name the agent: kedge run --parallel 2 --agent bot (also installed: claude, pi); or write agent = "bot" under [run] in .kedge/config.toml, and commit that file`,
		nameAgent(nil, []string{"claude", "codex"}, plain):                               "install an agent (claude, codex), then: kedge run --parallel 2 --agent NAME",
		installOr(nil, given):                                                            "install that agent, then: kedge run --agent gone --parallel 2",
		installOr([]string{"bot", "claude"}, given):                                      "install that agent; or use an installed one: kedge run --agent bot --parallel 2",
		resumeStep(SessionResume{Checkpoint: "latest"}).String():                         "kedge resume --checkpoint latest",
		resumeStep(SessionResume{Checkpoint: "ckp-1", Name: "w", Agent: "bot"}).String(): "kedge resume w --checkpoint ckp-1 --agent bot",
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
