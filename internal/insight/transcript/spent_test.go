package transcript_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

func TestSpentSince(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "sessions", "2026", "11", "16")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"timestamp":"2026-11-16T03:00:00.000Z","type":"turn_context","payload":{"model":"gpt-5.5"}}
{"timestamp":"2026-11-16T03:00:01.000Z","type":"token_usage_record","payload":{"usage":{"input_tokens":10,"output_tokens":1,"total_tokens":11},"thread_token_usage":{"total_tokens":11}}}
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
