package audit_test

import (
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

func TestRow112FilesThatFillContexts(t *testing.T) {
	session := func(id string, reads ...string) audit.Figures {
		c := audit.NewCounter("claude", audit.Names{})
		for i, path := range reads {
			call := id + string(rune('a'+i))
			c.Add(&audit.Entry{Kind: audit.ToolCall, Tool: "Read", Act: audit.Read, Path: path, Call: call})
			c.Add(&audit.Entry{Kind: audit.ToolResult, Call: call, Chars: 1000})
			c.Add(&audit.Entry{Kind: audit.ToolCall, Tool: "Edit", Act: audit.Edit, Path: path, Call: call + "e"})
			c.Add(&audit.Entry{Kind: audit.ToolResult, Call: call + "e"})
		}
		f := c.Figures(nil)
		f.ID = id
		return f
	}
	name := func(path string) string {
		rel, ok := strings.CutPrefix(path, "/repo/")
		if !ok {
			rel, ok = strings.CutPrefix(path, "/slot/")
		}
		if !ok {
			return ""
		}
		return rel
	}
	got := audit.Heavy([]audit.Figures{
		session("s1", "/repo/big.go", "/repo/big.go", "/repo/once.go", "/etc/passwd", "/etc/passwd", "/etc/passwd"),
		session("s2", "/slot/big.go", "/repo/twice.go", "/repo/twice.go"),
	}, name)
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	f := got[0]
	if f.Path != "big.go" || f.Reads != 3 || f.Chars != 3000 || f.Sessions != 2 || f.Share != 0.5 {
		t.Errorf("%+v", f)
	}
	if len(f.Evidence) != 2 || f.Evidence[0] != (audit.SessionRead{ID: "s1", Agent: "claude", Reads: 2, Chars: 2000}) {
		t.Errorf("evidence %+v", f.Evidence)
	}
}
