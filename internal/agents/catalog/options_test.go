package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
)

// A subcommand of an agent is no prompt: what it does has no screen to go on with.
func TestSubcommandsAreNoPrompt(t *testing.T) {
	for _, c := range []struct{ kind, args string }{
		{"claude", "mcp list"},
		{"codex", "--model gpt-5.5 exec fix"},
		{"opencode", "serve"},
		{"kilo", "serve"},
		{"gemini", "-m pro extensions list"},
		{"qwen", "auth"},
		{"copilot", "--banner sessions"},
		{"pi", "install x"},
	} {
		args := strings.Fields(c.args)
		got := catalog.Of(c.kind).CommandLine.Split(args)
		if len(got.Apart) == 0 || len(got.Prompt) > 0 || !slices.Equal(slices.Concat(got.Options, got.Apart), args) {
			t.Errorf("%s %s: %+v", c.kind, c.args, got)
		}
	}
}
