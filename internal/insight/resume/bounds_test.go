package resume

import (
	"strconv"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

// TestCallsAreBounded: calls that never get a result keep little, however many
// and however large they are.
func TestCallsAreBounded(t *testing.T) {
	p := New()
	large := strings.Repeat("x", 20<<10)
	for i := range 300 {
		id := strconv.Itoa(i)
		p.Add(&audit.Entry{Kind: audit.ToolCall, Call: "e" + id, Tool: "Edit", Act: audit.Edit, Path: "/a.go", Text: `{"new_string":"` + large + `"}`})
		p.Add(&audit.Entry{Kind: audit.ToolCall, Call: "s" + id, Tool: "Bash", Act: audit.Shell, Command: "echo " + large})
		p.Add(&audit.Entry{Kind: audit.ToolCall, Call: "o" + id, Tool: "Search", Text: `{"query":"` + large + `"}`})
		p.Add(&audit.Entry{Kind: audit.ToolCall, Call: "p" + id, Tool: "Read", Act: audit.Read, Path: "/" + id + large})
	}
	kept := 0
	for _, c := range p.calls {
		kept += len(c.path) + len(c.command) + len(c.about)
	}
	if len(p.calls) > maxCalls || kept > maxCalls*(maxCommand+maxPath) {
		t.Errorf("%d calls keep %d bytes", len(p.calls), kept)
	}
	if len(p.files.list) != 1 {
		t.Errorf("%d files", len(p.files.list))
	}
	if p.calls["o299"] == nil || p.calls["e0"] != nil {
		t.Error("not the oldest were dropped")
	}
}

// TestTextsAreBounded: what a person typed while the model worked, said while
// refusing a call, and the steps of a list are cut like everything else.
func TestTextsAreBounded(t *testing.T) {
	large := strings.Repeat("word ", 100<<10)
	p := played(
		ask("fix a"), audit.Entry{Kind: audit.Queued, Text: large},
		audit.Entry{Kind: audit.ToolCall, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "x"},
		audit.Entry{Kind: audit.ToolResult, Call: "1", Failed: true, Text: refusal + " the user said:\n" + large},
		audit.Entry{Kind: audit.ToolCall, Call: "2", Tool: "TaskCreate", Text: `{"subject":"` + large + `"}`},
	)
	if n := len(p.asks.main.text); n > maxSaid || n < maxSaid/2 {
		t.Errorf("%d bytes of what was queued", n)
	}
	if n := len(p.asks.newest().text); n > maxSaid || n < maxSaid/2 {
		t.Errorf("%d bytes of what was said while refusing", n)
	}
	if n := len(p.todo.items[0].text); n > maxItem {
		t.Errorf("%d bytes of a step", n)
	}
}
