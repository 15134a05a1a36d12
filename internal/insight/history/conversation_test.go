package history_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/history"
	"kedge/internal/insight/transcript"
	"kedge/internal/testkit/redacttest"
)

func read(t *testing.T, path string) (history.Conversation, []history.Message) {
	t.Helper()
	c, list, _, err := history.Read(t.Context(), catalog.Transcripts(), transcript.File{Agent: "claude", Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return c, list
}

// TestAConversationIsRead: what was said in its order, calls with what came of them, edits
// as diffs, files as they are called in the folder.
func TestAConversationIsRead(t *testing.T) {
	c, list := read(t, filepath.Join("testdata", "pools.jsonl"))
	if !strings.HasPrefix(c.Title, "Line ") {
		t.Errorf("title %q", c.Title)
	}
	line, calls, diffs := 0, 0, 0
	for _, m := range list {
		if m.Line < line {
			t.Errorf("line %d comes behind line %d", m.Line, line)
		}
		line = m.Line
		if m.Call == nil {
			continue
		}
		calls++
		if strings.HasPrefix(m.Call.What, c.Dir) || m.Call.Tool == "" {
			t.Errorf("call %+v", m.Call)
		}
		if added, removed := m.Call.Changed(); added+removed > 0 {
			diffs++
		}
	}
	if calls < 10 || diffs < 1 || list[0].Who != history.You {
		t.Errorf("%d calls and %d edits in %d messages", calls, diffs, len(list))
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var again []history.Message
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	if b2, err := json.Marshal(again); err != nil || !bytes.Equal(b, b2) {
		t.Errorf("it does not come back from JSON: %v", err)
	}
}

// TestT15NoSecretIsShown: neither what was said nor what tools were given and gave.
func TestT15NoSecretIsShown(t *testing.T) {
	var b strings.Builder
	for _, text := range redacttest.Canaries() {
		quoted, _ := json.Marshal(text)
		b.WriteString(line("a", "user", text) + line("a", "assistant", text))
		b.WriteString(`{"type":"assistant","sessionId":"a","uuid":"u","message":{"content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"/x","old_string":"a","new_string":` + string(quoted) + `}}]}}` + "\n")
		b.WriteString(`{"type":"user","sessionId":"a","uuid":"u","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":` + string(quoted) + `}]}}` + "\n")
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, list := read(t, path)
	asJSON, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"JSON": string(asJSON), "Markdown": history.Markdown("h", nil, list), "HTML": string(history.HTML("h", "a", list))} {
		if !strings.Contains(out, "[redacted:") {
			t.Errorf("nothing is redacted in %s", name)
		}
		for family, secret := range redacttest.Secrets() {
			if strings.Contains(out, secret) {
				t.Errorf("a secret of family %s is in %s", family, name)
			}
		}
	}
}

// FuzzPages: whatever was said stays text, in a page and as Markdown.
func FuzzPages(f *testing.F) {
	f.Add("# a\n```go\nx\n```\n**b** `c` <script>alert(1)</script>", "ls\n`x`", "one\ntwo", "one\nthree")
	f.Add("```\nnever closed ` ** *", "\x1b[31m", "", "")
	f.Fuzz(func(t *testing.T, text, what, old, fresh string) {
		input, err := json.Marshal(map[string]string{"file_path": what, "old_string": old, "new_string": fresh})
		if err != nil {
			return
		}
		said, _ := json.Marshal(text)
		path := filepath.Join(t.TempDir(), "a.jsonl")
		b := `{"type":"assistant","sessionId":"a","uuid":"u","message":{"content":[{"type":"text","text":` + string(said) + `},{"type":"tool_use","id":"t","name":"Edit","input":` + string(input) + `}]}}`
		if err := os.WriteFile(path, []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
		_, list := read(t, path)
		page := string(history.HTML(text, what, list))
		if strings.Contains(page, "<script") || strings.Contains(page, "\x1b") || strings.Count(page, "<main>") != 1 {
			t.Errorf("%q and %q become markup", text, what)
		}
		if strings.Contains(history.Markdown(text, []string{what}, list), "\x1b") {
			t.Error("an escape sequence is left")
		}
	})
}
