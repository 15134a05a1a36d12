package hooks_test

import (
	"strings"
	"testing"

	"kedge/internal/agents/hooks"
)

const (
	claudeReply  = `{"type":"assistant","isSidechain":false,"message":{"model":"claude-opus-4-8","usage":{"input_tokens":3,"cache_read_input_tokens":100000,"cache_creation_input_tokens":7,"output_tokens":90}}}` + "\n"
	claudeSide   = `{"type":"assistant","isSidechain":true,"message":{"model":"claude-haiku","usage":{"input_tokens":9}}}` + "\n"
	claudeNone   = `{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":9}}}` + "\n"
	claudeUser   = `{"type":"user","message":{"role":"user","content":"hello"}}` + "\n"
	claudeShort  = `{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"manual","preTokens":100100,"postTokens":2100}}` + "\n"
	codexCount   = `{"timestamp":"x","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":900000},"last_token_usage":{"total_tokens":120345},"model_context_window":258400}}}` + "\n"
	codexNothing = `{"timestamp":"x","type":"event_msg","payload":{"type":"token_count","info":null}}` + "\n"
	geminiReply  = `{"id":"a","type":"gemini","content":"x","tokens":{"input":11,"output":2,"cached":0,"total":13}}` + "\n"
)

// TestTokens: how full a context is stands in what the agent itself wrote last.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		name, agent, tail string
		want              int64
	}{
		{"a reply", "claude", claudeUser + claudeReply + claudeUser, 100_100},
		{"of the conversation itself", "claude", claudeReply + claudeSide + claudeNone, 100_100},
		{"after a compaction", "claude", claudeReply + claudeShort + claudeUser, 2_100},
		{"the beginning of a line is missing", "claude", claudeReply[50:] + claudeUser, 0},
		{"the end of one, too", "claude", claudeReply + claudeUser[:20], 100_100},
		{"nothing", "claude", "", 0},
		{"Codex", "codex", codexCount + codexNothing, 120_345},
		{"Gemini", "gemini", geminiReply, 13},
		{"another's", "codex", claudeReply, 0},
		{"no JSON", "claude", strings.Repeat("x\n", 1000), 0},
	} {
		if got, ok := of(c.agent).LastTokens([]byte(c.tail)); got != c.want || ok != (c.want > 0) {
			t.Errorf("%s: %d, %v", c.name, got, ok)
		}
	}
}

func TestTimeToCompact(t *testing.T) {
	for _, c := range []struct {
		agent             string
		tokens, threshold int64
		want              string
	}{
		{"codex", 120_345, 100_000, "120k tokens: /compact"},
		{"gemini", 100_000, 100_000, "/compress"},
		{"codex", 99_999, 100_000, ""},
		{"codex", 120_345, 0, ""},
		{"claude", 120_345, 100_000, ""},
	} {
		got := hooks.Input{Agent: of(c.agent)}.TimeToCompact(c.tokens, c.threshold)
		if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s at %d: %q", c.agent, c.tokens, got)
		}
	}
	tokens, window := int64(104_000), int64(200_000)
	s := hooks.Status{Tokens: &tokens, Window: &window}
	for threshold, want := range map[int64]string{100_000: "kedge: context 52% of 200k (/compact now)", 110_000: "kedge: context 52% of 200k", 0: "kedge: context 52% of 200k"} {
		if got := s.Text(threshold); got != want {
			t.Errorf("the status line is %q", got)
		}
	}
}

// FuzzTokens: whatever a record ends with, nothing breaks.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{claudeReply, claudeShort, codexCount, geminiReply, claudeUser + "x"} {
		f.Add("claude", []byte(s))
	}
	f.Fuzz(func(t *testing.T, agent string, tail []byte) {
		if n, ok := of(agent).LastTokens(tail); ok != (n > 0) {
			t.Errorf("%d, %v", n, ok)
		}
	})
}
