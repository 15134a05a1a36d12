package agent_test

import (
	"strings"
	"testing"

	"kedge/internal/agent"
	"kedge/internal/config"
)

// TestT9BriefIsNeverAnArgument: a brief is made of what people and agents wrote. It
// is typed into the program, and nothing of it can become a flag.
func TestT9BriefIsNeverAnArgument(t *testing.T) {
	const evil = "--settings=/tmp/evil.json"
	for _, kind := range []string{"command", "claude", "codex"} {
		a := config.Agent{Kind: kind}
		if kind == "command" {
			a.Command = []string{"bot"}
		}
		ad, err := agent.New(kind, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range []agent.Task{
			{Session: "ses-1", Feature: evil, Purpose: "implement", Brief: "/home/brief.md", Dir: "/work"},
			{Session: "ses-1", Feature: evil, Purpose: "plan", ReadOnly: true, Brief: "/home/brief.md", Dir: "/work"},
			{Session: "ses-1", Feature: evil, Attended: true, Brief: "/home/brief.md", Dir: "/work"},
		} {
			start, err := ad.Start(task)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range start.Command {
				if strings.Contains(word, evil) {
					t.Errorf("%s: %q", kind, start.Command)
				}
			}
		}
		in := ad.Reader(agent.Task{Session: "ses-1", Dir: "/work"}).Open([]byte(evil + "\n"))
		if kind != "codex" && !strings.Contains(string(in.Text), evil) { // Codex is told it when its thread is there
			t.Errorf("%s is not told its brief: %q", kind, in.Text)
		}
	}
}
