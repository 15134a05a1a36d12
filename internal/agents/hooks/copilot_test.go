package hooks_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents/hooks"
)

func told(t *testing.T, input string) hooks.Input {
	t.Helper()
	ev, err := hooks.Parse(of("copilot"), []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// TestCopilotTells: what Copilot tells (recorded with 1.0.102), and how it is answered.
func TestCopilotTells(t *testing.T) {
	start := told(t, `{"hook_event_name":"SessionStart","session_id":"1eb8","timestamp":"2026-11-16T03:32:28.918Z","cwd":"/r","source":"new","initial_prompt":"Do"}`)
	if start.Kind != kedge.HookStart || start.Source != "startup" || start.Native != "1eb8" || string(start.Context("x")) != `{"additionalContext":"x"}`+"\n" {
		t.Errorf("%+v is told %s", start, start.Context("x"))
	}
	ran := func(result, code string) hooks.Input {
		return told(t, `{"hook_event_name":"PostToolUse","session_id":"1eb8","cwd":"/r","tool_name":"Bash","tool_input":{"command":"make"},"tool_result":{"result_type":"`+result+`","text_result_for_llm":"one\ntwo\n<shellId: 0 completed with exit code `+code+`>"}}`)
	}
	for _, c := range []struct {
		result, code string
		failed       bool
	}{{"success", "0", false}, {"success", "3", true}, {"failure", "0", true}} {
		ev := ran(c.result, c.code)
		text, _, ok := ev.Output()
		if ev.Failed != c.failed || !ok || !strings.HasPrefix(text, "one\ntwo\n<shellId") {
			t.Errorf("%s, %s: failed %v, %q", c.result, c.code, ev.Failed, text)
		}
	}
	want := `{"modifiedResult":{"resultType":"success","textResultForLlm":"short\n\u003cshellId: 0 completed with exit code 3\u003e\n"}}` + "\n"
	if got := string(ran("success", "3").Replace("short\n")); got != want {
		t.Errorf("replaced by %s", got)
	}
	large := told(t, `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_result":{"result_type":"success","text_result_for_llm":"Output too large to read at once (49.1 KB). Saved to: /tmp/a b.txt\nConsider\n<shellId: 0 completed with exit code 0>"}}`)
	if _, file, ok := large.Output(); !ok || file != "/tmp/a b.txt" {
		t.Errorf("all of it is in %q", file)
	}
	for file, keeps := range map[string]bool{
		"/tmp/1776297019473-copilot-tool-output-2jk2c7.txt": true, "/tmp/copilot-tool-output-1776206629188-gotvti.txt": true,
		"/tmp/a b.txt": false, "/home/u/.bash_history": false, "/home/u/copilot-tool-output-1-a.txt": false, "/tmp/x/../copilot-tool-output-1-a.txt": false, "copilot-tool-output-1-a.txt": false,
	} {
		if large.Keeps(file, "/tmp/") != keeps {
			t.Errorf("%q is Copilot's: %v", file, !keeps)
		}
	}
	other, err := hooks.Parse(of("claude"), []byte(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"","result_type":"failure"}}`))
	if err != nil || other.Failed {
		t.Errorf("a word of Copilot's counts for another agent: %+v (%v)", other, err)
	}
	wrote := told(t, `{"hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"path":"/r/a"},"tool_result":{"result_type":"success","text_result_for_llm":"Created"}}`)
	if _, _, ok := wrote.Output(); ok || wrote.Failed {
		t.Errorf("a file that was written: %+v", wrote)
	}
	stop := told(t, `{"hook_event_name":"Stop","session_id":"1eb8","transcript_path":"/e.jsonl","stop_reason":"end_turn","stop_hook_active":true}`)
	if stop.Kind != kedge.HookStop || !stop.Again || string(stop.Block("no")) != `{"decision":"block","reason":"no"}`+"\n" {
		t.Errorf("%+v", stop)
	}
}
