package config_test

import (
	"strings"
	"testing"

	"kedge/internal/core/config"
)

func TestScriptOf(t *testing.T) {
	for _, x := range []struct {
		command, want string
		worktree      config.Worktree
	}{
		{command: "./bot.sh", want: "bot.sh"},
		{command: "tools/bot.sh --fast", want: "tools/bot.sh", worktree: config.Worktree{Setup: "make"}},
		{command: "sh tools/bot.sh", want: "tools/bot.sh"},
		{command: "/usr/bin/python3 bot.py -v", want: "bot.py"},
		{command: "node node_modules/bot/cli.js", worktree: config.Worktree{Setup: "npm ci"}},
		{command: "bash bot.sh", worktree: config.Worktree{Copy: []string{"bot.sh"}}},
		{command: "bash -c ./bot.sh"},
		{command: "python3 -m bot"},
		{command: "sh /opt/bot.sh"},
		{command: "sh ../bot.sh"},
		{command: "../bot.sh"},
		{command: "claude --print"},
		{command: "sh"},
		{command: ""},
	} {
		c := config.Config{Worktree: x.worktree}
		if got := c.ScriptOf(config.Agent{Command: strings.Fields(x.command)}); got != x.want {
			t.Errorf("%q runs %q, not %q", x.command, got, x.want)
		}
	}
}
