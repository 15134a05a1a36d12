package execute

import (
	"testing"

	"kedge/internal/agents"
)

// named is a reader of a program that calls its conversation something.
type named struct {
	agents.Reader
	id string
}

func (n named) Exit(int, string) agents.Exit { return agents.Exit{Conversation: n.id} }

// TestT9ConversationIsNoFlag: what a program calls its conversation becomes an
// argument of the next one.
func TestT9ConversationIsNoFlag(t *testing.T) {
	for id, want := range map[string]string{
		"0198c2f4-7d5e-7000-8000-000000000000": "0198c2f4-7d5e-7000-8000-000000000000",
		"ses_7aB":                              "ses_7aB",
		"--settings=/tmp/evil.json":            "",
		"-c":                                   "",
		"a b":                                  "",
		"a\n--settings":                        "",
		"../x":                                 "",
		"":                                     "",
	} {
		s := &session{reader: named{id: id}}
		if got := s.conversation(); got != want {
			t.Errorf("%q is said again as %q", id, got)
		}
	}
}
