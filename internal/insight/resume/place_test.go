package resume_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
)

// TestPlaceAndMode: what the record of each program says of its mode, its branch and its
// pull request stands at the top; a mode that ended does not.
func TestPlaceAndMode(t *testing.T) {
	const planning = "The session was in plan mode: do not edit; finish the plan first."
	claude := func(mode, branch string, more ...string) []string {
		return append([]string{`{"type":"user","uuid":"1","sessionId":"s","cwd":"/r","gitBranch":"` + branch + `","permissionMode":"` + mode + `","message":{"role":"user","content":"make the parser faster for long lines"}}`}, more...)
	}
	call := func(tool, input, result string) []string {
		return []string{
			`{"type":"assistant","uuid":"2","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"` + tool + `","input":` + input + `}]}}`,
			`{"type":"user","uuid":"3","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"` + result + `"}]}}`,
		}
	}
	codex := func(mode string) []string {
		return []string{
			`{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"x","cwd":"/r","git":{"branch":"parser"}}}`,
			`{"timestamp":"2026-10-01T10:00:01.000Z","type":"event_msg","payload":{"type":"task_started","collaboration_mode_kind":"` + mode + `"}}`,
			`{"timestamp":"2026-10-01T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"make the parser faster"}]}}`,
		}
	}
	copilot := []string{
		`{"type":"session.start","data":{"sessionId":"c","context":{"cwd":"/r","branch":"parser"}},"id":"e0","timestamp":"2026-10-01T10:00:00.000Z"}`,
		`{"type":"session.mode_changed","data":{"previousMode":"interactive","newMode":"plan"},"id":"e1","timestamp":"2026-10-01T10:00:01.000Z"}`,
		`{"type":"user.message","data":{"content":"make the parser faster"},"id":"e2","timestamp":"2026-10-01T10:00:02.000Z"}`,
	}
	for _, c := range []struct {
		name, agent string
		lines       []string
		planning    bool
		place       string
	}{
		{"claude plans", "claude", claude("plan", "parser"), true, "branch parser, folder /r"},
		{"claude edits", "claude", claude("acceptEdits", "parser"), false, "branch parser, folder /r"},
		{"the mode changed", "claude", append(claude("plan", "parser"), claude("default", "faster")...), false, "branch faster, folder /r"},
		{"the plan was accepted", "claude", claude("plan", "", call("ExitPlanMode", `{"plan":"# Faster"}`, "User has approved your plan.")...), false, ""},
		{"the model began to plan", "claude", claude("default", "", call("EnterPlanMode", `{}`, "Entered plan mode.")...), true, ""},
		{"it was left by hand", "claude", claude("plan", "HEAD", call("Edit", `{"file_path":"/r/a.go"}`, "ok")...), false, "no branch (detached HEAD), folder /r"},
		{"the plan's own file", "claude", claude("plan", "", call("Write", `{"file_path":"/r/plans/a.md"}`, "ok")...), true, ""},
		{"a pull request is told", "claude", append(claude("default", "parser"), `{"type":"pr-link","sessionId":"s","prUrl":"https://example.com/o/r/pull/7"}`), false, "branch parser, folder /r, pull request https://example.com/o/r/pull/7"},
		{"a pull request is made", "claude", claude("default", "parser", call("Bash", `{"command":"gh pr create --fill"}`, "Creating\\nhttps://example.com/o/r/pull/8\\n")...), false, "branch parser, folder /r, pull request https://example.com/o/r/pull/8"},
		{"a review is answered", "claude", claude("default", "parser", call("Bash", `{"command":"gh api repos/o/r/pulls/9/comments/5/replies -f body=done"}`, `{\"html_url\":\"https://example.com/o/r/pull/9#x\"}`)...), false, "branch parser, folder /r, pull request https://example.com/o/r/pull/9"},
		{"another one is read of", "claude", claude("default", "parser", call("Bash", `{"command":"gh pr view 6"}`, "https://example.com/o/r/pull/6")...), false, "branch parser, folder /r"},
		{"codex plans", "codex", codex("plan"), true, "branch parser, folder /r"},
		{"codex works", "codex", codex("default"), false, "branch parser, folder /r"},
		{"copilot plans", "copilot", copilot, true, "branch parser, folder /r"},
		{"qwen names its branch", "qwen", []string{`{"uuid":"u1","sessionId":"q","type":"user","cwd":"/r","gitBranch":"parser","timestamp":"2026-10-01T10:00:00.000Z","message":{"role":"user","parts":[{"text":"make the parser faster"}]}}`}, false, "branch parser, folder /r"},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(c.lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p := resume.New()
		p.WorksIn("/r")
		m, err := catalog.Transcripts().ReadFile(context.Background(), transcript.File{Agent: c.agent, Path: path}, transcript.Options{Text: true}, p.Add)
		if err != nil || m.Skipped > 0 {
			t.Fatal(c.name, m.Skipped, err)
		}
		b := p.Brief(m.Dir, resume.DefaultBudget)
		if b.Planning != c.planning || b.Place != c.place {
			t.Errorf("%s: plans %v, place %q, want %v and %q", c.name, b.Planning, b.Place, c.planning, c.place)
		}
		if got := strings.Contains(b.Text, planning); got != c.planning || !strings.Contains(b.Text, c.place) {
			t.Errorf("%s: the text is\n%s", c.name, b.Text)
		}
		if strings.Contains(b.Sections(resume.DefaultBudget), planning) != c.planning {
			t.Errorf("%s: the sections say otherwise", c.name)
		}
	}
}
