package resume

import (
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

// ended is a command with what came of it.
func ended(command, out string, failed bool) []audit.Entry {
	return []audit.Entry{
		{Kind: audit.ToolCall, Call: command, Tool: "Bash", Act: audit.Shell, Command: command},
		{Kind: audit.ToolResult, Call: command, Text: out, Failed: failed},
	}
}

// TestHowItEnded: what a brief says of the end of a session: whether the ask looks done, which
// command counts, what git proves, and whose words a cause is.
func TestHowItEnded(t *testing.T) {
	const looks = "The ask looks done"
	join := func(parts ...[]audit.Entry) []audit.Entry {
		var all []audit.Entry
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	one := func(e ...audit.Entry) []audit.Entry { return e }
	edited := audit.Entry{Kind: audit.ToolResult, Text: "ok"}
	begun := one(ask("make the parser of lines faster"), edit("/r/a.go"), edited)
	for _, c := range []struct {
		name      string
		did       []audit.Entry
		want, not []string
	}{
		{"green", join(begun, ended("go test ./...", "ok", false), one(says("The parser is faster now."))), []string{looks}, []string{"## Open", "not run again"}},
		{"an earlier check is red", join(begun, ended("make lint", "x", true), ended("go test ./...", "ok", false), one(says("The parser is faster now."))), []string{"not all of it is done", "red when it last ran, 1 action ago: make lint"}, []string{looks}},
		{"the report says so", join(begun, one(says("It is faster. But the cache is still not working for tabs."))), []string{"not all of it is done", "> - the agent said: But the cache is still not working for tabs. (line 4)"}, []string{looks}},
		{"the report before said so", join(begun, one(says("The cache is not working for tabs."), ask("write that into a file"), says("I wrote it down for you."))), []string{"> - the agent said: The cache is not working for tabs. (line 4)"}, []string{looks}},
		{"and only notes were written since", join(begun, one(says("The cache is not working for tabs."), ask("write that into a file"), edit("/r/notes.md"), edited, says("I wrote it down for you."))), []string{"not all of it is done"}, []string{looks}},
		{"and it was worked on since", join(begun, one(says("The cache is not working for tabs."), ask("fix the cache then"), edit("/r/a.go"), edited, says("The cache works for tabs now."))), []string{looks}, []string{"> - the agent said"}},
		{"a check before a look", join(begun, ended("go test ./...", "ok  \tx", false), ended("ls -la", "a.go", false)), []string{"## Last check, 1 action ago\n> go test ./..."}, []string{"> ls -la", "## Last command"}},
		{"a check before one that runs on", join(begun, ended("go test ./...", "ok", false), ended("make test", "Command running in background with ID: 7", false)), []string{"## Last check, 1 action ago\n> go test ./..."}, nil},
		{"a command that does something", join(begun, ended("go test ./...", "ok", false), ended("git push", "ok", false)), []string{"## Last command\n> git push"}, nil},
		{"edited after the check", join(begun, ended("go test ./...", "ok", false), one(edit("/r/b.go"))), []string{"edited after it, not run again: b.go", "edited for the ask so far: b.go, a.go"}, nil},
		{"git says so", join(begun, ended("git status --short", " M a.go", false)), []string{"/r/a.go: edited 1 action ago, not committed"}, nil},
		{"git said so before", join(begun, ended("git status --short", " M a.go", false), one(edit("/r/a.go"))), []string{"/r/a.go: edited just now, no commit seen"}, []string{"not committed"}},
		{"beside the repository", join(begun, one(edit("/tmp/x.go"))), []string{"/tmp/x.go: edited just now\n", "1 file edited since the last commit"}, nil},
		{"a cause", join(begun, one(says("The root cause is the table of the lexer, which is built for each line."))), []string{"> - the agent said: The root cause is the table"}, nil},
		{"against what", join(begun, one(says("I removed the table of the lexer."), ask("no, we need the table for the other parser"))), []string{"no, we need the table for the other parser. Before that the agent said: I removed the table of the lexer."}, nil},
	} {
		b := played(c.did...).Brief("", DefaultBudget)
		for _, s := range c.want {
			if !strings.Contains(b.Text, s) {
				t.Errorf("%s: no %q in\n%s", c.name, s, b.Text)
			}
		}
		for _, s := range c.not {
			if strings.Contains(b.Text, s) {
				t.Errorf("%s: %q in\n%s", c.name, s, b.Text)
			}
		}
	}
}
