package resume_test

import (
	"strings"
	"testing"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
)

// body is the text of a private key, and pem the key.
var (
	body = strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 12)
	pem  = "-----BEGIN " + "PRIVATE KEY-----\n" + body + "-----END " + "PRIVATE KEY-----\n"
)

// TestNoPartOfASecret: a secret that is cut no longer looks like one, so it is
// taken out before: of what a command printed at its end, around the middle of
// a long output, of what was said, and of what a call was for.
func TestNoPartOfASecret(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("a1B2", 9)
	shell := audit.Entry{Kind: audit.ToolCall, Line: 2, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "cat server.pem"}
	result := func(text string, failed bool) audit.Entry {
		return audit.Entry{Kind: audit.ToolResult, Line: 3, Call: "1", Text: text, Failed: failed}
	}
	user := func(text string) audit.Entry { return audit.Entry{Kind: audit.UserText, Line: 1, Text: text} }
	for name, entries := range map[string][]audit.Entry{
		"the last lines":         {shell, result(pem, false)},
		"the last lines, failed": {shell, result(pem+"exit status 1", true)},
		"around the first end":   {shell, result(strings.Repeat("error: x\n", 905)+pem+strings.Repeat("y\n", 9000), true)},
		"around the last end":    {shell, result(strings.Repeat("x\n", 9000)+pem+strings.Repeat("z", 7900), true)},
		"run by hand":            {user("<bash-input>cat server.pem</bash-input>"), user("<bash-stdout>" + pem + "</bash-stdout>")},
		"a command":              {{Kind: audit.ToolCall, Line: 1, Call: "1", Tool: "Bash", Act: audit.Shell, Command: strings.Repeat("y ", 65) + key}},
		"a decision":             {{Kind: audit.AssistantText, Line: 1, Text: "We decided on " + strings.Repeat("y ", 118) + key + " as it is."}},
		"a purpose":              {{Kind: audit.ToolCall, Line: 1, Call: "1", Tool: "Search", Text: `{"query":"` + strings.Repeat("yy/", 34) + key + `"}`}},
		"a long request":         {user(strings.Repeat("y ", 32<<9) + strings.Repeat("y ", 32<<9-10) + key)},
	} {
		p := resume.New()
		for _, e := range entries {
			p.Add(&e)
		}
		b := p.Brief("", resume.DefaultBudget)
		for _, s := range append([]string{b.Ask, b.LastCommand, b.LastResult, b.Next, b.InFlight, b.Text}, append(b.Open, b.Decisions...)...) {
			if strings.Contains(s, body[:20]) || strings.Contains(s, key[:8]) || strings.Contains(s, "8cKj") {
				t.Errorf("%s: a part of a secret is in %q", name, s)
			}
		}
	}
}
