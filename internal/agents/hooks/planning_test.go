package hooks_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kedge/internal/agents/hooks"
)

// TestPlanningChangesNothing: while an agent plans, only what is known to read may
// run.
func TestPlanningChangesNothing(t *testing.T) {
	for line, denied := range map[string]bool{
		"ls -la":                              false,
		"cat a.txt | head -5":                 false,
		"git status && git log --oneline":     false,
		"git diff HEAD~1 2>&1 | head":         false,
		"grep -rn foo . 2>/dev/null; wc -l x": false,
		"find . -name '*.go'":                 false,
		`grep -n "a\|b" *.go`:                 false,
		`find . \( -name a -o -name 'b c' \)`: false,
		"find src/*.d -type f":                false,
		"git log 'HEAD@{1}' -- \"a b\"":       false,
		"git show HEAD@{1}:x":                 false,
		"grep 'a > b; rm $x' f":               false,
		"sort -u -k2 f | git grep -n x":       false,
		"ls 2>/dev/null || true":              false,
		"find . '-delete'":                    true,
		`find . "-delete"`:                    true,
		`find . -d\elete`:                     true,
		"find . -d''elete":                    true,
		"find . $X":                           true,
		`find . "$X"`:                         true,
		"find *":                              true,
		"find . -{delete,x}":                  true,
		"sort -uo f f":                        true,
		"sort f '-o' f":                       true,
		"sort --comp=./x f":                   true,
		`git log "--output=f"`:                true,
		"git log --outp=f":                    true,
		"git grep -nO./x y":                   true,
		"rg --hostname-bin ./x y":             true,
		"file -bC -m x":                       true,
		"ls 2>/dev/nullx":                     true,
		"ls 2>&1x":                            true,
		"ls (x)":                              true,
		"git < log commit -m x":               true,
		"ls 'x":                               true,
		`ls "x`:                               true,
		`ls \`:                                true,
		"'rm' x":                              true,
		"ls 'a\nb'":                           true,
		"ls |& cat":                           true,
		"'' x":                                true,
		"rm -rf x":                            true,
		"ls > out.txt":                        true,
		"cat a | tee b":                       true,
		"echo $(rm x)":                        true,
		"echo `rm x`":                         true,
		"find . -delete":                      true,
		"find . -exec rm {} ;":                true,
		"git commit -m x":                     true,
		"git diff --output=x":                 true,
		"git -c core.pager=x log":             true,
		"ls & rm x":                           true,
		"ls\nrm x":                            true,
		"ls; ":                                true,
		"sort -o a b":                         true,
		"rg --pre ./x y":                      true,
		"npm test":                            true,
		"":                                    true,
	} {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		ev := hooks.Input{Mode: "plan", Tool: "Bash", Input: input}
		if ev.Denied() != denied {
			t.Errorf("%q: denied is %t", line, !denied)
		}
		if ev.Mode = "default"; ev.Denied() {
			t.Errorf("%q is denied outside of planning", line)
		}
	}
	for tool, denied := range map[string]bool{"Read": false, "Grep": false, "ExitPlanMode": false, "Write": true, "Edit": true, "mcp__db__drop": true, "NewTool": true} {
		if (hooks.Input{Mode: "plan", Tool: tool, Input: json.RawMessage(`{"file_path": "/x"}`)}).Denied() != denied {
			t.Errorf("%s: denied is %t", tool, !denied)
		}
	}
}

// FuzzPlanning: whatever the line is, one with a substitution is not taken to read.
func FuzzPlanning(f *testing.F) {
	f.Add("ls 'a b' \"c\\\"\" \\x; find . -name '*'|sort 2>&1")
	f.Add("git log --oneline && cat \xff{a,b}*")
	f.Fuzz(func(t *testing.T, line string) {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		ev := hooks.Input{Mode: "plan", Tool: "Bash", Input: input}
		if !ev.Denied() && strings.ContainsAny(line, "\n`") && !strings.Contains(line, "'") && !strings.Contains(line, `\`) {
			t.Errorf("%q is taken to read", line)
		}
	})
}

// TestPlansAreWritten: a plan is written where the agent keeps its plans, and nowhere
// else.
func TestPlansAreWritten(t *testing.T) {
	for input, denied := range map[string]bool{
		`{"file_path":"/home/ada/.claude/plans/p.md"}`:                  false,
		`{"filePath":"/repo/.opencode/plans/p.md"}`:                     false,
		`{"filePath":"/home/ada/.local/share/opencode/plans/p.md"}`:     false,
		`{"file_path":"/home/ada/.claude/plans/../../../repo/main.md"}`: true,
		`{"file_path":"/repo/plans/p.md"}`:                              true,
		`{"file_path":"/home/ada/.claude/plans/hook.sh"}`:               true,
		`{"file_path":"/home/ada/.claude/settings.json"}`:               true,
		`{"file_path":"/x/.claude/plans/","filePath":"/repo/main.md"}`:  true,
		`{"file_path":"/x/.claude/plans/p.md","filePath":"/repo/a.go"}`: true,
		`{"file_path":"/x/.claude/plans/p.md","command":"rm -rf src"}`:  true,
		`{"file_path":".claude/plans/p.md"}`:                            true,
		`{}`:                                                            true, `7`: true,
	} {
		for _, tool := range []string{"Write", "edit"} {
			agent := of("claude")
			if strings.Contains(input, "opencode") {
				agent = of("opencode")
			}
			ev := hooks.Input{Agent: agent, Mode: "plan", Tool: tool, Input: json.RawMessage(input)}
			if got := ev.Denied(); got != denied {
				t.Errorf("%s %s: denied %v", tool, input, got)
			}
		}
	}
	for tool, input := range map[string]string{
		"bash":           `{"command":"rm -rf src","filePath":"/x/.opencode/plans/p.md"}`,
		"Bash":           `{"file_path":"/x/.claude/plans/p.md"}`,
		"mcp__db__write": `{"file_path":"/x/.claude/plans/p.md"}`,
	} {
		if ev := (hooks.Input{Agent: of("claude"), Mode: "plan", Tool: tool, Input: json.RawMessage(input)}); !ev.Denied() {
			t.Errorf("%s %s is not denied", tool, input)
		}
	}
}
