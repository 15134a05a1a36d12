package resume

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/core/check"
	"kedge/internal/insight/audit"
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

func TestNext(t *testing.T) {
	const finished = "The ask looks done: check that it is, then ask the user what comes next. The report began: "
	do := audit.Entry{Kind: audit.ToolCall, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "make"}
	ok := audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "done"}
	bad := audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "<tool_use_error>no rule</tool_use_error>", Failed: true}
	red := audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "make: *** no rule"} // its exit code is not seen
	say := func(text string) audit.Entry { return audit.Entry{Kind: audit.AssistantText, Text: text} }
	think := func(text string) audit.Entry { return audit.Entry{Kind: audit.Thinking, Text: text} }
	for _, c := range []struct {
		name string
		p    *Picker
		want string
	}{
		{"nothing", played(), "Nothing was asked yet."},
		{"only asked", played(ask("fix a")), "Begin with the ask: nothing was done about it yet."},
		{"stopped", played(ask("fix a"), do, ask("[Request interrupted by user]")), "The user stopped the work here: ask how to go on before doing anything."},
		{"announced", played(ask("fix a"), do, ok, say("It is built. Now let me run the tests:")), "Now let me run the tests"},
		{"thought of", played(ask("fix a"), do, ok, think("Fine. I need to look at the parser.")), "I need to look at the parser."},
		{"announced and begun", played(ask("fix a"), say("Let me build it all first."), do), "Finish what was cut off: Bash: make"},
		{"failed", played(ask("fix a"), do, bad), "Get past what failed: Bash: make: no rule"},
		{"asked the user", played(ask("fix a"), do, ok, say("There are two ways. Which one do you want?")), "Wait for the user's answer to: Which one do you want?"},
		{"done", played(ask("fix a"), do, ok, say("All is green.")), finished + "All is green."},
		{"done, and what is so now", played(ask("fix a"), do, ok, say("Done. Now the view shows a gap where nothing was.\n\nYou can try it with `./x list`.")), finished + "Done. Now the view shows a gap where nothing was. You can try it with `./x list`."},
		{"a summary", played(ask("fix a"), do, ok, say("All tests pass. Let me provide a summary of the changes:\n\n## Changes\n\n1. The index begins at 0 in the whole of the store now.")), finished + "All tests pass. The index begins at 0 in the whole of the store now."},
		{"an offer", played(ask("fix a"), do, ok, say("The parser takes both forms now. Let me know if you want the old one gone.")), finished + "The parser takes both forms now. Let me know if you want the old one gone."},
		{"a plan far above the end of a report", played(ask("fix a"), do, ok, say("Let me go through what was wrong here.\n\n"+strings.Repeat("The reader took the wrong end of it, again. ", 15))), finished + "Let me go through what was wrong here. The reader took the wrong end of it, again."},
		{"reported with a red command", played(ask("fix a"), do, red, say("It does not build yet on this machine.")), "The last turn ended with a report, and this was still red: make\nIt said: It does not build yet on this machine."},
		{
			"reported with a list that goes on", played(ask("fix a"), audit.Entry{Kind: audit.ToolCall, Call: "9", Tool: "TodoWrite", Text: `{"todos":[{"content":"the docs","status":"pending"}]}`}, do, ok, say("The code is done.")),
			"The last turn ended with a report, and its list has more to do. Go on with: the docs",
		},
		{"a step without let me", played(ask("fix a"), do, ok, say("It builds. Now verify the other platforms build.")), "Now verify the other platforms build."},
		{"a step by its colon", played(ask("fix a"), do, ok, say("It builds. Now the integration tests:")), "Now the integration tests"},
		{"what follows a step explains it", played(ask("fix a"), do, ok, say("Let me resolve both conflicts.\n\n**a.go**: keep ours.\n\n**b.go**: keep theirs.")), "Let me resolve both conflicts."},
		{"what is seen now is no step", played(ask("fix a"), do, ok, think("Now I have the full picture of it all.")), "Go on with the ask after: Bash: make"},
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

// TestCommitted: what a record shows of git is what is left to commit.
func TestCommitted(t *testing.T) {
	run := func(command, out string) []audit.Entry {
		return []audit.Entry{{Kind: audit.ToolCall, Call: command, Tool: "Bash", Act: audit.Shell, Command: command}, {Kind: audit.ToolResult, Call: command, Text: out}}
	}
	for _, c := range []struct {
		name   string
		did    []audit.Entry
		left   int
		commit string
	}{
		{"nothing", nil, 2, ""},
		{"a commit", run(`git commit -m "Fix a"`, "[main 1a2b3c4] Fix a\n 2 files changed"), 0, "Fix a"},
		{"a commit by its folder", run(`git -C /r commit -qm x -m "Fix b"`, ""), 0, "Fix b"},
		{"a commit elsewhere", run(`git -C /tmp/test commit -qm x -m "Fix b"`, ""), 2, ""},
		{"a commit in another folder", run(`cd /tmp/test && git init -q && git commit -m "first"`, "[main (root-commit) 1a2b3c4] first"), 2, ""},
		{"a commit by a shell of its own", run(`bash -lc cd /tmp/test && git commit -m "first"`, ""), 2, ""},
		{"a commit in a folder of the work", run(`cd sub && git commit -m "Fix c"`, ""), 0, "Fix c"},
		{"one that was only tried", run("git commit --dry-run", "Changes to be committed:"), 2, ""},
		{"a rebase", run("git add a && git rebase --continue", "[detached HEAD 6882dce] Unify it\n 5 files changed\nRebasing (5/7)\rRebasing (6/7)\rSuccessfully rebased and updated refs/heads/x."), 0, ""},
		{"a rebase without a word of a commit", run("git rebase main", "Successfully rebased and updated refs/heads/x."), 0, ""},
		{"a clean state", run("git status", "On branch main\nnothing to commit, working tree clean"), 0, ""},
		{"another state", run("git status --short", " M a.go"), 2, ""},
		{"a stash", run("git stash", "Saved working directory"), 0, ""},
		{"a stash that was taken back", append(run("git stash push -m x", "Saved"), run("git stash pop", "Dropped")...), 2, ""},
		{"a list of stashes", run("git stash list", ""), 2, ""},
		{"thrown away", append(run("git reset --hard", "HEAD is now at 1a2b3c4"), run("git stash pop", "No stash")...), 0, ""},
		{"an amended one", append(run(`git commit -m "Fix a"`, ""), run("git commit --amend --no-edit", "")...), 0, "Fix a"},
		{"one whose subject nobody knows", append(run(`git commit -m "Fix a"`, ""), run("git commit -F msg", "")...), 0, ""},
		{"a text of another program", run("cat log", "[main 1a2b3c4] Fix a\nSuccessfully rebased"), 2, ""},
	} {
		p := played(append([]audit.Entry{edit("/r/a.go"), edit("/r/b.go")}, c.did...)...)
		if got := p.uncommitted(); got != c.left || p.step.commit != c.commit {
			t.Errorf("%s: %d files, commit %q, want %d, %q", c.name, got, p.step.commit, c.left, c.commit)
		}
	}
}

// TestNoCarriageReturns: what was written over is not shown, and nothing shows how.
func TestNoCarriageReturns(t *testing.T) {
	p := played(
		ask("fix a\r\nand b\rand c"),
		audit.Entry{Kind: audit.ToolCall, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "make\r\n"},
		audit.Entry{Kind: audit.ToolResult, Call: "1", Text: "10%\r50%\r\x1b[32mall built\x1b[0m\r\nend"},
	)
	b := p.Brief("", DefaultBudget)
	if b.Ask != "fix a\nand b\nand c" || b.LastResult != "all built\nend" || strings.Contains(b.Text, `\u{`) {
		t.Errorf("%q, %q\n%s", b.Ask, b.LastResult, b.Text)
	}
}

// TestPrinted: a program that has no tool for it reads files by commands.
func TestPrinted(t *testing.T) {
	for command, want := range map[string]string{
		"bash -lc sed -n '1,200p' src/a.py":                   "src/a.py",
		`cat "my notes/to do.md" ./b.go | head -5`:            "my notes/to do.md,b.go",
		"cd x && nl -ba c.rs; tail -n 5 d.log":                "c.rs,d.log",
		"sed -i s/a/b/ e.go":                                  "",
		"go test ./f.go && rg -n cat g.go":                    "",
		"cat $HOME/x.txt *.go":                                "",
		`echo "cat h.go"`:                                     "",
		"for f in *.go; do cat \"$f\"; done; cat not\\ it.md": "not it.md",
	} {
		if got := strings.Join(check.Printed(command), ","); got != want {
			t.Errorf("%s prints %q, want %q", command, got, want)
		}
	}
	by := played(shell("cat a.go"), shell("git log b.go")).Brief("", DefaultBudget)
	if !slices.Equal(by.Files, []string{"a.go", "b.go"}) || !strings.HasPrefix(by.Why[0], "read ") {
		t.Errorf("%q, %q", by.Files, by.Why)
	}
	with := played(read("/r/c.go"), shell("cat a.go")).order()
	if !slices.Equal(with, []string{"/r/c.go", "a.go"}) {
		t.Errorf("where there is a tool for it: %q", with)
	}
}

// TestPatches: every file of a patch is edited, whichever way the patch is given.
func TestPatches(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Update File: b.py\n*** Move to: c.py\n*** Delete File: d.py\n*** End Patch\n"
	for name, e := range map[string]audit.Entry{
		"a tool that names the first": {Kind: audit.ToolCall, Tool: "apply_patch", Act: audit.Edit, Path: "a.py", Text: patch},
		"a tool that names none":      {Kind: audit.ToolCall, Tool: "apply_patch", Act: audit.Edit, Text: `{"input":"` + strings.ReplaceAll(patch, "\n", `\n`) + `"}`},
		"a command":                   shell("apply_patch <<'EOF'\n" + patch + "EOF"),
	} {
		p := played(e)
		got := slices.Sorted(slices.Values(p.order()))
		if !slices.Equal(got, []string{"a.py", "c.py"}) || p.uncommitted() != 2 {
			t.Errorf("%s: %q, %d", name, got, p.uncommitted())
		}
	}
	if got := played(audit.Entry{Kind: audit.ToolCall, Tool: "Edit", Act: audit.Edit, Path: "/how.md", Text: `{"new_string":"*** Update File: x.py"}`}).order(); !slices.Equal(got, []string{"/how.md"}) {
		t.Errorf("a text about patches: %q", got)
	}
}
