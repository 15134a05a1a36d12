package resume

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
	"kedge/internal/text/words"
)

// played gives a Picker that was told these entries, each on a line of its own.
func played(entries ...audit.Entry) *Picker {
	p := New()
	for i, e := range entries {
		e.Line = i + 1
		p.Add(&e)
	}
	return p
}

func ask(text string) audit.Entry { return audit.Entry{Kind: audit.UserText, Text: text} }
func read(path string) audit.Entry {
	return audit.Entry{Kind: audit.ToolCall, Tool: "Read", Act: audit.Read, Path: path}
}

func edit(path string) audit.Entry {
	return audit.Entry{Kind: audit.ToolCall, Tool: "Edit", Act: audit.Edit, Path: path}
}

func shell(line string) audit.Entry {
	return audit.Entry{Kind: audit.ToolCall, Tool: "Bash", Act: audit.Shell, Command: line}
}

func (p *Picker) order() []string { return p.Brief("", DefaultBudget).Files }

func TestRank(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *Picker
		want []string
	}{
		{"the last first", played(read("/a.go"), read("/b.go")), []string{"/b.go", "/a.go"}},
		{"an edit counts twice", played(edit("/a.go"), read("/b.go")), []string{"/a.go", "/b.go"}},
		{"named in the ask", played(ask("see x/a.go"), read("/x/a.go"), read("/b.go"), read("/c.go")), []string{"/x/a.go", "/c.go", "/b.go"}},
		{"edited for the ask already", played(read("/x/a.go"), read("/x/b.go"), ask("do x/a.go and x/b.go"), edit("/x/a.go")), []string{"/x/b.go", "/x/a.go"}},
		{
			"written for an ask that names nothing", played(edit("/a.go"), edit("/a.go"), edit("/a.go"), edit("/b.go"), edit("/b.go"), ask("write it down"), edit("/notes.md")),
			[]string{"/notes.md", "/a.go", "/b.go"},
		},
		{"what commands name is the same file", played(read("/r/a.go"), read("/r/b.go"), shell("cat a.go")), []string{"/r/a.go", "/r/b.go"}},
		{"what only commands name comes last", played(read("/r/a.go"), shell("cat c.go && curl http://x.example.com/y.html; go run os.Exit")), []string{"/r/a.go", "c.go"}},
		{"a name becomes a path", played(shell("cat x/a.go; head a.go"), read("/r/x/a.go")), []string{"/r/x/a.go"}},
		{"a patch", played(audit.Entry{Kind: audit.ToolCall, Act: audit.Edit, Text: "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: b.py\n"}), []string{"b.py", "src/a.py"}},
	} {
		if got := c.p.order(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestGone: a file that a read did not find is none.
func TestGone(t *testing.T) {
	missing := read("/r/none.go")
	missing.Call = "1"
	p := played(missing, audit.Entry{Kind: audit.ToolResult, Call: "1", Failed: true, Text: "File does not exist."}, read("/r/a.go"))
	if got := p.order(); !slices.Equal(got, []string{"/r/a.go"}) {
		t.Errorf("%v", got)
	}
}

func TestPathWords(t *testing.T) {
	for in, want := range map[string]string{
		"see cmd/a.go:12:3 and `b_test.go`.":  "cmd/a.go b_test.go",
		"./x/y.ts, ../z.md (twice: x/y.ts)":   "x/y.ts ../z.md",
		"the end. Makefile e.g. v1.2 1.5 foo": "Makefile e.g",
		"a/grüße.txt":                         "a/grüße.txt",
		`C:\x\a.go, src\b.ts and "c.py\"`:     "/x/a.go src/b.ts c.py",
		"":                                    "",
	} {
		if got := strings.Join(words.Paths(in), " "); got != want {
			t.Errorf("%q has %q, want %q", in, got, want)
		}
	}
}

func TestManyFilesAreBounded(t *testing.T) {
	p := New()
	for i := range 5000 {
		e := read("/r/" + strings.Repeat("x", i%97) + ".go")
		p.Add(&e)
	}
	if got := p.order(); len(got) != MaxFiles {
		t.Errorf("%d files", len(got))
	}
}
