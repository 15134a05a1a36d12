package hook_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge/internal/process/output"
)

// persisted is a file where Claude Code keeps an output that has a text.
func persisted(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tool-results", "out.txt")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestForeignFileIsNotRead: whatever file a command's output names, none but one of the
// agent's own is read.
func TestForeignFileIsNotRead(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // it may take what it takes
	temp, text := t.TempDir(), strings.Repeat("--- PASS: TestCase (0.00s) and some words\n", 600)+"a.go:7: error: broken\n"
	c.env["TMPDIR"] = temp
	secret, name := filepath.Join(temp, ".bash_history"), filepath.Join(temp, "copilot-tool-output-1776297019473-")
	if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "copilot-tool-output-1-a.txt")
	if err := errors.Join(
		os.WriteFile(elsewhere, []byte(text), 0o600), os.Symlink(secret, name+"link.txt"), os.Link(secret, name+"hard.txt"), syscall.Mkfifo(name+"fifo.txt", 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{secret, elsewhere, name + "link.txt", name + "hard.txt", name + "fifo.txt", name + "none.txt", temp + "/x/../.bash_history"} {
		preview := "Output too large to read at once (26 KB). Saved to: " + file + "\nPreview\n<shellId: 0 completed with exit code 0>"
		if got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_result", map[string]any{"result_type": "success", "text_result_for_llm": preview}), "copilot"); got != "" {
			t.Errorf("%s: the model is shown %q", file, got)
		}
		if got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_response", map[string]any{"stdout": "x", "persistedOutputPath": file})); got != "" {
			t.Errorf("%s: the model of Claude Code is shown %q", file, got)
		}
	}
	if kept, err := output.List(c.home); err != nil || len(kept) != 0 {
		t.Errorf("kept is %+v (%v)", kept, err)
	}
}

// TestTwinOfAnOutput: some versions of Claude Code link the output of a command to that
// of its task: with these two names it is the agent's own, with any other it is not.
func TestTwinOfAnOutput(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // it may take what it takes
	temp, root := t.TempDir(), t.TempDir()
	c.env["TMPDIR"] = temp
	text := strings.Repeat("--- PASS: TestCase (0.00s) and some words\n", 600) + "a.go:7: error: broken\n"
	file := filepath.Join(root, "projects", "p", "s", "tool-results", "b1.txt")
	task := filepath.Join(temp, "claude-"+strconv.Itoa(os.Geteuid()), "p", "s", "tasks", "b1.output")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.MkdirAll(filepath.Dir(task), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		other string // a further name that it gets
		whole bool
	}{{task, true}, {filepath.Join(temp, "any"), false}} {
		if err := os.Link(file, step.other); err != nil {
			t.Fatal(err)
		}
		got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_response", map[string]any{"stdout": "x", "persistedOutputPath": file}))
		if strings.Contains(got, "a.go:7: error: broken") != step.whole {
			t.Errorf("also called %s the model is shown %q", step.other, got)
		}
	}
}

// TestT15KeptOutput: what is kept of a long output has no secrets in it.
func TestT15KeptOutput(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // it may take what it takes
	secret := "gh" + "p_" + strings.Repeat("aB3", 12)
	text := strings.Repeat("--- PASS: TestCase (0.00s) and some words\n", 600) + "pushed with " + secret + "\n"
	c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "make TOKEN=" + secret}, "tool_response", map[string]any{"stdout": text, "stderr": ""}))
	left := c.left()
	if len(left) != 1 || left[0].Data.Output == "" {
		t.Fatalf("left is %+v", left)
	}
	f, err := output.Open(c.home, left[0].Data.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all, err := io.ReadAll(f)
	if err != nil || !strings.Contains(string(all), "pushed with ") || strings.Contains(string(all), secret) {
		t.Errorf("kept is %q (%v)", all[max(0, len(all)-200):], err)
	}
	if kept, err := output.List(c.home); err != nil || len(kept) != 1 || strings.Contains(fmt.Sprint(kept[0].Command), secret) {
		t.Errorf("the record is %+v (%v)", kept, err)
	}
}
