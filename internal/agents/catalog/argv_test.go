package catalog_test

import (
	"strings"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
)

// TestT9BriefIsNeverAnArgument: a brief is made of what people and agents wrote. It
// is typed into the program, and nothing of it can become a flag.
func TestT9BriefIsNeverAnArgument(t *testing.T) {
	const evil = "--settings=/tmp/evil.json"
	for _, p := range catalog.All() {
		kind, a := p.Name, config.Agent{Kind: p.Name}
		if p.Generic {
			a.Command = []string{"bot"}
		}
		ad, err := catalog.New(kind, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range []agents.Task{
			{Session: "ses-1", Feature: evil, Purpose: "implement", Brief: "/home/brief.md", Dir: "/work"},
			{Session: "ses-1", Feature: evil, Purpose: "plan", ReadOnly: true, Brief: "/home/brief.md", Dir: "/work"},
			{Session: "ses-1", Feature: evil, Attended: true, Brief: "/home/brief.md", Dir: "/work"},
		} {
			start, err := ad.Start(task)
			if err != nil && !task.Attended { // not every one has a screen
				t.Fatal(err)
			}
			for _, word := range start.Command {
				if strings.Contains(word, evil) {
					t.Errorf("%s: %q", kind, start.Command)
				}
			}
		}
	}
}
