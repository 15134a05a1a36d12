package transcript_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// TestSpentSince: a reply that was given before counts for the session before, also where
// it is told again.
func TestSpentSince(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "sessions", "2026", "11", "16")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"timestamp":"2026-11-16T03:00:00.000Z","type":"turn_context","payload":{"model":"gpt-5.5"}}
{"timestamp":"2026-11-16T03:00:01.000Z","type":"token_usage_record","payload":{"usage":{"input_tokens":10,"output_tokens":1,"total_tokens":11},"thread_token_usage":{"total_tokens":11}}}
{"timestamp":"2026-11-16T03:00:01.800Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":11},"last_token_usage":{"input_tokens":10,"output_tokens":1,"total_tokens":11}}}}
{"timestamp":"2026-11-16T03:00:02.000Z","type":"token_usage_record","payload":{"usage":{"input_tokens":30,"cached_input_tokens":10,"output_tokens":2,"total_tokens":32},"thread_token_usage":{"total_tokens":43}}}
{"timestamp":"2026-11-16T03:00:03.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":43},"last_token_usage":{"input_tokens":30,"cached_input_tokens":10,"output_tokens":2,"total_tokens":32}}}}
{"timestamp":"2026-11-16T03:00:04.000Z","type":"token_usage_record","payload":{"usage":{"input_tokens":50,"cached_input_tokens":30,"output_tokens":3,"total_tokens":53},"thread_token_usage":{"total_tokens":96}}}
{"timestamp":"2026-11-16T03:00:04`
	for name, text := range map[string]string{"rollout-2026-11-16T03-00-00-one.jsonl": text, "rollout-2026-11-16T03-00-00-two.jsonl": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where := transcript.Where{Agent: "codex", Getenv: func(name string) string { return map[string]string{"CODEX_HOME": home}[name] }}
	since := time.Date(2026, 11, 16, 3, 0, 1, 5e8, time.UTC)
	want := transcript.Spent{Replies: 2, Sum: audit.Usage{Input: 40, CacheRead: 40, Output: 5}, Last: audit.Usage{Input: 20, CacheRead: 30, Output: 3}, Model: "gpt-5.5"}
	if got, err := catalog.Transcripts().SpentSince(t.Context(), where, "one", since); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, id := range []string{"", "three", "*"} {
		if got, err := catalog.Transcripts().SpentSince(t.Context(), where, id, since); err != nil || got != (transcript.Spent{}) {
			t.Errorf("%q: %+v, %v", id, got, err)
		}
	}
	where.Agent = "claude"
	if got, err := catalog.Transcripts().SpentSince(t.Context(), where, "one", since); err != nil || got != (transcript.Spent{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestKilledReplyCountsOnce: a rollout of Codex has a reply as soon as it is given, and its
// count when the tools of it are over. The reply in whose tool a session was killed has no
// count, and the sums after it go on without it.
func TestKilledReplyCountsOnce(t *testing.T) {
	given := func(id string, sum, input, cached, output int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-16T03:00:01.000Z","type":"token_usage_record","payload":{"response_id":%q,"usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"total_tokens":%d},"thread_token_usage":{"total_tokens":%d}}}`+"\n", id, input, cached, output, input+output, sum)
	}
	count := func(sum, input, cached, output int) string {
		return fmt.Sprintf(`{"timestamp":"2026-11-16T03:00:02.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":%d},"last_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"total_tokens":%d}}}}`+"\n", sum, input, cached, output, input+output)
	}
	for _, c := range []struct {
		name, text string
		calls      int64
		want       audit.Usage
	}{
		{"killed", given("r1", 110, 100, 0, 10) + count(110, 100, 0, 10) + given("r2", 330, 200, 100, 20), 2, audit.Usage{Input: 200, CacheRead: 100, Output: 30}},
		{
			"killed, and continued", given("r1", 110, 100, 0, 10) + count(110, 100, 0, 10) + given("r2", 330, 200, 100, 20) +
				count(110, 100, 0, 10) + given("r3", 660, 300, 200, 30) + count(440, 300, 200, 30), 3, audit.Usage{Input: 300, CacheRead: 300, Output: 60},
		},
		{
			"news about limits", given("r1", 110, 100, 0, 10) + count(110, 100, 0, 10) + given("r2", 220, 100, 0, 10) + count(110, 100, 0, 10) +
				count(220, 100, 0, 10) + count(220, 100, 0, 10), 2, audit.Usage{Input: 200, Output: 20},
		},
		{"no names", given("", 110, 100, 0, 10) + given("", 220, 100, 0, 10) + count(110, 100, 0, 10) + count(220, 100, 0, 10), 2, audit.Usage{Input: 200, Output: 20}},
		{"an older version", count(110, 100, 0, 10) + count(110, 100, 0, 10) + count(220, 100, 0, 10), 2, audit.Usage{Input: 200, Output: 20}},
	} {
		f, _, err := catalog.Transcripts().Count(t.Context(), "codex", strings.NewReader(c.text), func(string, string, audit.Usage) *float64 { return nil })
		if err != nil {
			t.Fatal(err)
		}
		var got audit.Usage
		f.EachReply(func(r *audit.ReplyUse) { got = got.Plus(r.Usage) })
		if got != c.want || f.Calls != c.calls {
			t.Errorf("%s: %d replies used %+v, want %d and %+v", c.name, f.Calls, got, c.calls, c.want)
		}
	}
}

// TestUsageThatIsNotWrittenDown: newer versions of Qwen Code ask a model for things of
// which their transcripts have nothing.
func TestUsageThatIsNotWrittenDown(t *testing.T) {
	for version, want := range map[string]bool{"0.15.10": false, "0.21.2": true, "0.24.4": true, "1.0.0": true, "": false} {
		line := `{"uuid":"a","sessionId":"s","timestamp":"2026-11-16T03:00:01.000Z","type":"assistant","cwd":"/w","version":"` + version +
			`","model":"m","message":{"role":"model","parts":[{"text":"hi"}]},"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":1}}` + "\n"
		price := func(string, string, audit.Usage) *float64 { return new(float64) }
		f, _, err := catalog.Transcripts().Count(t.Context(), "qwen", strings.NewReader(line), price)
		if err != nil {
			t.Fatal(err)
		}
		f.Reckon(price)
		if f.PartialUsage != want || (f.UnknownUSD > 0) != want || f.USD == nil {
			t.Errorf("%q: partial %v, %d unknown, %v", version, f.PartialUsage, f.UnknownUSD, f.USD)
		}
		if sum := audit.Total([]audit.Figures{f, f}); sum.PartialUsage != want {
			t.Errorf("%q: the sum is partial: %v", version, sum.PartialUsage)
		}
	}
}
