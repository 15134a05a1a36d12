package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kedge"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/attend"
	"kedge/internal/journal/spool"
	"kedge/internal/process"
	"kedge/internal/process/output"
	"kedge/internal/server/hook"
)

// service answers as it is told; hung: it does not answer at all.
type service struct {
	hung   bool
	brief  string
	reply  attend.HookStopReply
	failed error
	pokes  int
	taken  int
	asked  []attend.HookStopRequest
}

func (s *service) wait(ctx context.Context) error {
	if s.hung {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.failed
}

func (s *service) Brief(ctx context.Context, _ string, in attend.HookBriefRequest) (string, error) {
	return s.brief + string(in.Event) + " " + in.Source, s.wait(ctx)
}

func (s *service) Poke() { s.pokes++ }

func (s *service) Take(ctx context.Context, _ string) error {
	s.taken++
	return s.wait(ctx)
}

func (s *service) Stop(ctx context.Context, _ string, in attend.HookStopRequest) (attend.HookStopReply, error) {
	s.asked = append(s.asked, in)
	return s.reply, s.wait(ctx)
}

// scene is one hook process.
type scene struct {
	t    *testing.T
	s    *service
	home string
	env  map[string]string
	runs int
	out  bytes.Buffer

	budget time.Duration // 0: the usual one
}

func newScene(t *testing.T) *scene {
	t.Helper()
	return &scene{t: t, s: &service{brief: "the brief of "}, home: t.TempDir(), env: map[string]string{}}
}

// run answers one hook and gives what the agent hears.
func (c *scene) run(input string, args ...string) string {
	c.t.Helper()
	c.out.Reset()
	c.runs++
	now := time.Date(2026, 11, 16, 1, 0, c.runs, 0, time.UTC)
	if len(args) == 0 {
		args = []string{"claude"}
	}
	hook.Main(context.Background(), args, hook.World{
		In: strings.NewReader(input), Out: &c.out, Getenv: func(name string) string { return c.env[name] }, Home: c.home, Dir: "/project",
		Now:     func() time.Time { return now },
		Service: c.s, Project: func(dir string) (string, bool) { return "p", strings.HasPrefix(dir, "/project") },
		Shell: func(_ context.Context, line string, input []byte) ([]byte, error) {
			return fmt.Appendf(nil, "[%s of %d]\n", line, len(input)), nil
		},
		Budget: c.budget,
		Block: func(_ context.Context, agent string) *hooks.Block {
			if c.env["BLOCK"] == "" {
				return nil
			}
			spent := 8.351
			return &hooks.Block{USD: &spent, To: time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)}
		},
	})
	return c.out.String()
}

// left are the events that wait for the daemon.
func (c *scene) left() []attend.Record {
	c.t.Helper()
	var out []attend.Record
	_, err := spool.Take(c.home, func(_ string, b []byte) error {
		var r attend.Record
		err := json.Unmarshal(b, &r)
		out = append(out, r)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

func (c *scene) log() string {
	b, _ := os.ReadFile(filepath.Join(c.home, "hooks", "log")) // none: nothing went wrong
	return string(b)
}

// event is an agent's input.
func event(name string, more ...any) string {
	m := map[string]any{"session_id": "c0ffee", "cwd": "/project/sub", "hook_event_name": name, "transcript_path": "/t.jsonl", "permission_mode": "default"}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	b, _ := json.Marshal(m) // of strings and maps
	return string(b)
}

// at follows a path through JSON.
func at(t *testing.T, text string, path ...string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q is no JSON: %v", text, err)
	}
	for _, step := range path {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no %q in %s", step, text)
		}
		v = m[step]
	}
	return v
}

// TestHookAnswers: what agents are answered, and what is left for the daemon.
func TestHookAnswers(t *testing.T) {
	c := newScene(t)
	c.env["KEDGE_SESSION"] = "ses-01h00000000000000000000000"
	for _, source := range []string{"startup", "resume", "compact", "clear"} {
		if got := at(t, c.run(event("SessionStart", "source", source)), "hookSpecificOutput", "additionalContext"); got != "the brief of start "+source {
			t.Errorf("%s: told is %v", source, got)
		}
	}
	left := c.left()
	if len(left) != 4 || c.s.pokes != 4 || left[0].Data.Event != kedge.HookStart || left[0].Data.Session != "ses-01h00000000000000000000000" || left[0].Data.Native != "c0ffee" || left[0].Dir != "/project/sub" {
		t.Errorf("left is %+v, %d pokes", left, c.s.pokes)
	}
	c.env["KEDGE_BRIEF"] = "/b"
	if got := c.run(event("SessionStart", "source", "startup")); got != "" {
		t.Errorf("a session with a brief is told %q", got)
	}
	if got := c.run(event("PreCompact", "trigger", "manual")); got != "the brief of compact manual\n" {
		t.Errorf("before a compaction is said %q", got)
	}
	if left := c.left(); len(left) != 2 || left[1].Data.Text != "the brief of compact manual" || c.s.taken != 1 {
		t.Errorf("left is %+v, taken %d times", left, c.s.taken)
	}
	if got := c.run(event("PostToolUse", "tool_name", "Write", "tool_use_id", "toolu_1", "tool_input", map[string]any{"file_path": "/project/a"}, "tool_response", map[string]any{"type": "create"})); got != "" {
		t.Errorf("after a tool is said %q", got)
	}
	if left := c.left(); len(left) != 1 || left[0].Data.Tool != "Write" || left[0].Data.Call != "toolu_1" || left[0].Data.Input != `{"file_path":"/project/a"}` {
		t.Errorf("left is %+v", left)
	}
	if c.log() != "" {
		t.Errorf("the log has %q", c.log())
	}
}

// TestHomeOfAHook: an entry belongs to a state folder; that of a session counts more.
func TestHomeOfAHook(t *testing.T) {
	for _, c := range []struct {
		args []string
		env  string
		home string
		left string
	}{
		{[]string{"claude"}, "", "", "claude"},
		{[]string{"claude"}, "/e", "/e", "claude"},
		{[]string{"claude", "--home=/a b"}, "", "/a b", "claude"},
		{[]string{"claude", "--home=/a", "statusline", "x"}, "/e", "/e", "claude statusline x"},
		{[]string{"claude", "statusline", "--home=/a"}, "", "", "claude statusline --home=/a"},
	} {
		args, getenv := hook.Homed(c.args, func(name string) string {
			if name == "KEDGE_HOME" {
				return c.env
			}
			return ""
		})
		if got := strings.Join(args, " "); got != c.left || getenv("KEDGE_HOME") != c.home || getenv("HOME") != "" {
			t.Errorf("%q: %q at %q", c.args, got, getenv("KEDGE_HOME"))
		}
	}
}

// TestStopBlocksOnce: a red gate is told once; whoever stops again may go, whatever
// is answered.
func TestStopBlocksOnce(t *testing.T) {
	c := newScene(t)
	c.s.reply = attend.HookStopReply{Block: true, Reason: "the first failure"}
	if got := c.run(event("Stop")); at(t, got, "decision") != "block" || at(t, got, "reason") != "the first failure" {
		t.Errorf("told is %q", got)
	}
	if got := c.run(event("Stop", "stop_hook_active", true)); got != "" {
		t.Errorf("the second time is said %q", got)
	}
	if len(c.s.asked) != 2 || c.s.asked[0].Again || !c.s.asked[1].Again || c.s.asked[0].Native != "c0ffee" {
		t.Errorf("asked was %+v", c.s.asked)
	}
	c.s.reply = attend.HookStopReply{Tell: "still red"}
	if got := c.run(event("Stop", "stop_hook_active", true)); at(t, got, "systemMessage") != "still red" {
		t.Errorf("told is %q", got)
	}
	c.s.reply = attend.HookStopReply{Block: true, Reason: "the first failure"}
	if got := at(t, c.run(event("AfterAgent"), "gemini"), "decision"); got != "deny" {
		t.Errorf("gemini is told %v", got)
	}
}

// TestPlanModeIsHeld: a tool that changes something is denied, whatever the host
// allows.
func TestPlanModeIsHeld(t *testing.T) {
	c := newScene(t)
	got := c.run(event("PreToolUse", "permission_mode", "plan", "tool_name", "Write", "tool_input", map[string]any{"file_path": "/project/a"}))
	if at(t, got, "hookSpecificOutput", "permissionDecision") != "deny" {
		t.Errorf("told is %q", got)
	}
	if left := c.left(); len(left) != 1 || !left[0].Data.Blocked || left[0].Data.Event != kedge.HookBefore {
		t.Errorf("left is %+v", left)
	}
	for _, input := range []string{
		event("PreToolUse", "permission_mode", "plan", "tool_name", "Read", "tool_input", map[string]any{"file_path": "/project/a"}),
		event("PreToolUse", "tool_name", "Write", "tool_input", map[string]any{"file_path": "/project/a"}),
	} {
		if got := c.run(input); got != "" || len(c.left()) > 0 {
			t.Errorf("told is %q", got)
		}
	}
}

// long is an output that can be condensed.
func long() string {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "--- PASS: TestCase%03d (0.00s) with some more words\n", i)
	}
	return b.String() + "a.go:7: broken\nFAIL\n"
}

// TestLongOutputIsCondensed: the model gets what matters in the shape of the tool's
// own answer, and all of it is kept.
func TestLongOutputIsCondensed(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // a busy machine is no failure
	text := long()
	got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "go test ./..."},
		"tool_response", map[string]any{"stdout": text, "stderr": "warning: x\n", "interrupted": false, "isImage": false, "persistedOutputPath": "/gone", "persistedOutputSize": 5}))
	out, ok := at(t, got, "hookSpecificOutput", "updatedToolOutput").(map[string]any)
	if !ok {
		t.Fatalf("told is %q", got)
	}
	shown := out["stdout"].(string)
	if len(shown) > len(text)/4 || !strings.Contains(shown, "a.go:7: broken") || out["stderr"] != "" || out["interrupted"] != false {
		t.Errorf("shown is %q of %d bytes", shown, len(text))
	}
	if _, there := out["persistedOutputPath"]; there {
		t.Error("the agent's own file is named: it would be shown instead")
	}
	left := c.left()
	if len(left) != 1 || left[0].Data.Output == "" || !strings.Contains(shown, "[all of it: kedge logs "+left[0].Data.Output+"]") || left[0].Data.Bytes != int64(len(text)+len("warning: x\n")) {
		t.Fatalf("left is %+v", left)
	}
	f, err := output.Open(c.home, left[0].Data.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var kept bytes.Buffer
	if _, err := kept.ReadFrom(f); err != nil || kept.String() != text+"warning: x\n" {
		t.Errorf("kept are %d bytes of %d, %v", kept.Len(), len(text), err)
	}
	for _, response := range []any{
		map[string]any{"stdout": "short"},
		map[string]any{"stdout": strings.Repeat("x", 20_000)},
		map[string]any{"stdout": text, "isImage": true},
		"a string",
	} {
		if got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "x"}, "tool_response", response)); got != "" {
			t.Errorf("%.40v: told is %.80q", response, got)
		}
	}
}

// TestWholeOutputOfTheAgentsFile: an agent that gives a part and keeps the rest in
// a file of its own.
func TestWholeOutputOfTheAgentsFile(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // a busy machine is no failure
	text := long()
	file := persisted(t, text)
	c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "go test"},
		"tool_response", map[string]any{"stdout": text[:20_000], "stderr": "", "persistedOutputPath": file}))
	if left := c.left(); len(left) != 1 || left[0].Data.Bytes != int64(len(text)) || left[0].Data.Output == "" {
		t.Errorf("left is %+v", left)
	}
}

// TestHugeOutputIsNotLookedAt: of what would take too long to be condensed the model
// gets the two ends, and all of it is kept.
func TestHugeOutputIsNotLookedAt(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // a busy machine is no failure
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %06d says something of its own: é\n", i)
	}
	text := b.String()
	file := persisted(t, text)
	got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "sh big.sh"},
		"tool_response", map[string]any{"stdout": text[:30_000], "stderr": "", "persistedOutputPath": file}))
	shown, _ := at(t, got, "hookSpecificOutput", "updatedToolOutput", "stdout").(string)
	left := c.left()
	if len(left) != 1 || left[0].Data.Output == "" || left[0].Data.Bytes != int64(len(text)) || left[0].Data.Shown != int64(len(shown)) {
		t.Fatalf("left is %+v", left)
	}
	head, rest, cut := strings.Cut(shown, "\n[kedge: ")
	count, tail, _ := strings.Cut(rest, " bytes are left out here]\n")
	tail, more, _ := strings.Cut(tail, "[all of it: ")
	if !cut || len(shown) > hook.Long+200 || !strings.HasPrefix(text, head+"\n") || !strings.HasSuffix(text, "\n"+tail) || more != "kedge logs "+left[0].Data.Output+"]\n" {
		t.Fatalf("shown is %q", shown)
	}
	if want := fmt.Sprint(len(text) - len(head) - 1 - len(tail)); count != want {
		t.Errorf("left out are said to be %s bytes, not %s", count, want)
	}
	f, err := output.Open(c.home, left[0].Data.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var kept bytes.Buffer
	if _, err := kept.ReadFrom(f); err != nil || kept.String() != text {
		t.Errorf("kept are %d bytes of %d, %v", kept.Len(), len(text), err)
	}
}

// TestCondensingHasABudget: when the time is over the output stays as it is, and
// the event is left.
func TestCondensingHasABudget(t *testing.T) {
	c := newScene(t)
	c.budget = -1
	got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "go test"}, "tool_response", map[string]any{"stdout": long()}))
	if left := c.left(); got != "" || len(left) != 1 || left[0].Data.Output != "" || left[0].Data.Bytes == 0 {
		t.Errorf("told is %.80q, left is %+v", got, left)
	}
	if !strings.Contains(c.log(), "hook took too long") {
		t.Errorf("the log has %q", c.log())
	}
}

// TestNeverInTheWay: whatever is wrong, the agent hears nothing and goes on; the
// log says what it was.
func TestNeverInTheWay(t *testing.T) {
	c := newScene(t)
	for _, x := range []struct{ args, input, log string }{
		{"claude", "", "sent nothing to the hook"},
		{"claude", "not json", "does not understand"},
		{"nobody", event("Stop"), `no hooks for agent "nobody"`},
		{"claude", event("SomethingNew"), ""},
		{"claude", event("Stop", "cwd", "/elsewhere"), ""},
		{"claude", `{"hook_event_name": 7}`, "does not understand"},
	} {
		_ = os.RemoveAll(filepath.Join(c.home, "hooks"))
		if got := c.run(x.input, x.args); got != "" {
			t.Errorf("%q: told is %q", x.input, got)
		}
		if log := c.log(); !strings.Contains(log, x.log) || x.log == "" && log != "" {
			t.Errorf("%q: the log has %q", x.input, log)
		}
	}
	c.s.failed = errors.New("broken")
	c.s.brief = ""
	for _, input := range []string{event("Stop"), event("PreCompact")} {
		c.run(input)
		if !strings.Contains(c.log(), "broken") {
			t.Errorf("%q: the log has %q", input, c.log())
		}
	}
	if n := len(c.left()); n != 2 {
		t.Errorf("%d events are left", n)
	}
}

// TestRunsNeedNoHooks: what a run drives is left alone.
func TestRunsNeedNoHooks(t *testing.T) {
	c := newScene(t)
	c.env["KEDGE_RUN"] = "run-1"
	for _, input := range []string{event("SessionStart"), event("Stop"), event("PostToolUse", "tool_name", "Write")} {
		if got := c.run(input); got != "" || len(c.left()) > 0 || len(c.s.asked) > 0 {
			t.Errorf("told is %q", got)
		}
	}
}

// TestHungDaemon: an agent waits for a budget and no longer, and the event is
// left.
func TestHungDaemon(t *testing.T) {
	for name, budget := range map[string]time.Duration{"SessionStart": hook.Budget, "PreCompact": hook.Budget, "Stop": hook.GateBudget, "PostToolUse": 0, "SessionEnd": 0} {
		synctest.Test(t, func(t *testing.T) {
			c := newScene(t)
			c.s.hung = true
			began := time.Now()
			if got := c.run(event(name, "tool_name", "Write")); got != "" {
				t.Errorf("%s: told is %q", name, got)
			}
			if took := time.Since(began); took != budget { // of the bubble's own clock
				t.Errorf("%s: took %s", name, took)
			}
			if n := len(c.left()); n != 1 {
				t.Errorf("%s: %d events are left", name, n)
			}
		})
	}
}

// TestT15SecretsAreNotLeft: what lies on the disk has none.
func TestT15SecretsAreNotLeft(t *testing.T) {
	c := newScene(t)
	key := "gh" + "p_" + strings.Repeat("a1B2", 9)
	c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "curl -H 'Authorization: " + key + "'"}))
	if left := c.left(); len(left) != 1 || strings.Contains(left[0].Data.Input, key) || !strings.Contains(left[0].Data.Input, "[redacted:") {
		t.Errorf("left is %+v", left)
	}
}

// TestT18TokenIsNotLeft: an event shows that it comes from its session without the
// token on the disk.
func TestT18TokenIsNotLeft(t *testing.T) {
	c := newScene(t)
	dir := t.TempDir()
	token, err := process.IssueToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.env["KEDGE_SESSION"], c.env[process.TokenVariable] = "ses-01h00000000000000000000000", token
	c.run(event("SessionEnd"))
	left := c.left()
	if len(left) != 1 || !process.TokenProves(dir, left[0].Proof) || strings.Contains(left[0].Proof, token) {
		t.Errorf("left is %+v", left)
	}
}

// TestStatusLine: the person's own first, then Kedge's; figures of a session of
// Kedge's are left for the daemon.
func TestStatusLine(t *testing.T) {
	const input = `{"session_id":"c0ffee","cwd":"/project","model":{"id":"m"},"cost":{"total_cost_usd":0.421},"context_window":{"context_window_size":200000,"current_usage":{"input_tokens":1000,"output_tokens":7,"cache_creation_input_tokens":3000,"cache_read_input_tokens":70000}}}`
	c := newScene(t)
	if got := c.run(input, "claude", "statusline"); got != "kedge: context 37% of 200k, USD 0.42\n" {
		t.Errorf("shown is %q", got)
	}
	if n := len(c.left()); n != 0 {
		t.Errorf("%d are left without a session", n)
	}
	c.env["KEDGE_SESSION"] = "ses-01h00000000000000000000000"
	if got := c.run(input, "claude", "statusline", "mine"); got != fmt.Sprintf("[mine of %d] | kedge: context 37%% of 200k, USD 0.42\n", len(input)) {
		t.Errorf("shown is %q", got)
	}
	left := c.left()
	if len(left) != 1 || left[0].Used == nil || *left[0].Used.ContextTokens != 74_000 || *left[0].Used.USD != 0.421 {
		t.Errorf("left is %+v", left)
	}
	c.env["BLOCK"] = "claude"
	if got := c.run(input, "claude", "statusline"); got != "kedge: context 37% of 200k, USD 0.42, block USD 8.35 until 15:00\n" {
		t.Errorf("shown is %q", got)
	}
	c.env["BLOCK"] = ""
	if got := c.run("no json", "claude", "statusline", "mine"); got != "[mine of 7]" {
		t.Errorf("shown is %q", got)
	}
	if got := c.run(`{"context_window":{"current_usage":null}}`, "claude", "statusline"); got != "kedge: context unknown\n" {
		t.Errorf("shown is %q", got)
	}
}

// TestPreviewBecomesWhatMatters: of an output that the agent put aside, and of which it
// shows a few lines, the model is shown what matters.
func TestPreviewBecomesWhatMatters(t *testing.T) {
	c := newScene(t)
	c.budget = time.Hour // it may take what it takes
	c.env["TMPDIR"] = t.TempDir() + "/"
	file := filepath.Join(c.env["TMPDIR"], "1776297019473-copilot-tool-output-2jk2c7.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("--- PASS: TestCase (0.00s) and some words\n", 600)+"a.go:7: error: broken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	preview := "Output too large to read at once (26 KB). Saved to: " + file + "\nPreview\n<shellId: 0 completed with exit code 0>"
	got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_result", map[string]any{"result_type": "success", "text_result_for_llm": preview}), "copilot")
	text, _ := at(t, got, "modifiedResult", "textResultForLlm").(string)
	if !strings.Contains(text, "a.go:7: error: broken") || !strings.Contains(text, "kedge logs exec-") || !strings.HasSuffix(text, "exit code 0>\n") || len(text) > hook.Long {
		t.Errorf("the model is shown %q", text)
	}
	if left := c.left(); len(left) != 1 || left[0].Data.Bytes < 20_000 || left[0].Data.Output == "" {
		t.Errorf("left is %+v", left)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := c.run(event("PostToolUse", "tool_name", "Bash", "tool_input", map[string]any{"command": "make"}, "tool_result", map[string]any{"result_type": "success", "text_result_for_llm": preview}), "copilot"); got != "" {
		t.Errorf("without the file it is shown %q", got)
	}
}
