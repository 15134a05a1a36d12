package pickup

import (
	"testing"

	"kedge/internal/audit"
)

func TestRed(t *testing.T) {
	for _, c := range []struct {
		command, out string
		want         bool
	}{
		{"go build ./... | head", "cmd/a.go:725:22: x undefined", true},
		{"mise run lint | tail", "[lint:go] 2 issues:\n[lint:go] ERROR task failed", true},
		{"go test ./... | tail", "ok  \ta\nFAIL\tb\t0.1s", true},
		{"grep -n build x.go", "x.go:7:22: build", false},
		{"go test ./...", "ok  \ta\t0.1s", false},
		{"cat notes", "The error: is here", false},
	} {
		if got := red(c.command, c.out); got != c.want {
			t.Errorf("%s gives %q: red is %v", c.command, c.out, got)
		}
	}
}

func TestSubject(t *testing.T) {
	for command, want := range map[string]string{
		`git commit -m "Fix a"`:                                     "Fix a",
		`git commit -am 'Fix "b"'`:                                  `Fix "b"`,
		"git commit -m \"$(cat <<'EOF'\nFix c\n\nLonger.\nEOF\n)\"": "Fix c",
		"git commit --amend":                                        "",
	} {
		if got := subject(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func TestNext(t *testing.T) {
	do := audit.Entry{Kind: audit.ToolCall, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "make"}
	ok := audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "done"}
	bad := audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "<tool_use_error>no rule</tool_use_error>", Failed: true}
	say := func(text string) audit.Entry { return audit.Entry{Kind: audit.AssistantText, Text: text} }
	think := func(text string) audit.Entry { return audit.Entry{Kind: audit.Thinking, Text: text} }
	for _, c := range []struct {
		name string
		p    *Picker
		want string
	}{
		{"nothing", played(), "Nothing was asked yet."},
		{"only asked", played(ask("fix a")), "Begin with the ask: nothing was done about it yet."},
		{"stopped", played(ask("fix a"), do, ask("[Request interrupted by user]")), "The person stopped the work here: ask how to go on before doing anything."},
		{"announced", played(ask("fix a"), do, ok, say("It is built. Now let me run the tests:")), "Now let me run the tests"},
		{"thought of", played(ask("fix a"), do, ok, think("Fine. I need to look at the parser.")), "I need to look at the parser."},
		{"announced and begun", played(ask("fix a"), say("Let me build it all first."), do), "Finish what was cut off: Bash: make"},
		{"failed", played(ask("fix a"), do, bad), "Get past what failed: Bash: make: no rule"},
		{"asked the person", played(ask("fix a"), do, ok, say("There are two ways. Which one do you want?")), "Wait for the person's answer to: Which one do you want?"},
		{"done", played(ask("fix a"), do, ok, say("All is green.")), "The last turn ended with a report; nothing is in flight. Check that the ask is met, then ask the person what comes next."},
		{"too little said", played(ask("fix a"), do, ok, think("Let me re-think.")), "Go on with the ask after: Bash: make"},
	} {
		if got := c.p.Brief("", DefaultBudget).Next; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTodo(t *testing.T) {
	tool := func(call, name, input string) audit.Entry {
		return audit.Entry{Kind: audit.ToolCall, Call: call, Tool: name, Text: input}
	}
	p := played(
		tool("1", "TaskCreate", `{"subject":"first"}`), tool("2", "TaskCreate", `{"subject":"second"}`),
		audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "Task #7 created successfully: first"},
		audit.Entry{Kind: audit.ToolResult, Call: "2", Text: "Task #8 created successfully: second"},
		tool("3", "TaskUpdate", `{"taskId":"8","status":"in_progress"}`), tool("4", "TaskUpdate", `{"taskId":"7","status":"completed"}`),
	)
	if got := p.inFlight(); got != "step: second\n1 of 2 steps of the model's list are done" {
		t.Errorf("%q", got)
	}
	p = played(tool("1", "update_plan", `{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"pending"}]}`))
	if got := p.todo.in("pending"); len(got) != 1 || got[0] != "b" {
		t.Errorf("%v", got)
	}
	if p = played(tool("1", "TodoWrite", `{"todos":7}`)); len(p.todo.items) != 0 {
		t.Errorf("%v", p.todo.items)
	}
}
