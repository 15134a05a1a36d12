package hooks_test

import (
	"encoding/json"
	"testing"

	"kedge/internal/hooks"
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
		ev := hooks.Event{Mode: "plan", Tool: "Bash", Input: input}
		if ev.Denied() != denied {
			t.Errorf("%q: denied is %t", line, !denied)
		}
		if ev.Mode = "default"; ev.Denied() {
			t.Errorf("%q is denied outside of planning", line)
		}
	}
	for tool, denied := range map[string]bool{"Read": false, "Grep": false, "ExitPlanMode": false, "Write": true, "Edit": true, "mcp__db__drop": true, "NewTool": true} {
		if (hooks.Event{Mode: "plan", Tool: tool, Input: json.RawMessage(`{"file_path": "/x"}`)}).Denied() != denied {
			t.Errorf("%s: denied is %t", tool, !denied)
		}
	}
}
