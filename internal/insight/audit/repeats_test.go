package audit

import (
	"fmt"
	"strings"
	"testing"
)

func byPath(_ *Figures, path string) string { return strings.TrimPrefix(path, "/w/") }

// ran is a session that runs commands, with what each of them gave; a result that begins
// with ! is of one that failed.
func ran(steps ...[2]string) Figures {
	c := NewCounter("claude", Names{})
	for i, s := range steps {
		call := fmt.Sprint(i)
		text, failed := strings.CutPrefix(s[1], "!")
		c.Add(&Entry{Kind: ToolCall, Tool: "Bash", Act: Shell, Call: call, Command: s[0]})
		c.Add(&Entry{Kind: ToolResult, Call: call, Chars: len(text), Failed: failed, Text: text})
	}
	return c.Figures(noPrice)
}

// Commands that were run again are told by name: how often, how many failed, and how many of
// these in the same way, whatever the numbers in the output are.
func TestRunAgain(t *testing.T) {
	one := ran([2]string{"go test ./...", "!--- FAIL: TestA (0.01s)\n    a_test.go:3: bad\nFAIL"}, [2]string{"ls", "a"},
		[2]string{"go test ./...", "!--- FAIL: TestA (0.73s)\n    a_test.go:3: bad\nFAIL"}, [2]string{"go test ./...", "!--- FAIL: TestB (0.02s)\n    b_test.go:9: worse\nFAIL"}, [2]string{"go test ./...", "ok"})
	two := ran([2]string{"go test ./...", "!--- FAIL: TestA (1.5s)\n    a_test.go:3: bad\nFAIL"}, [2]string{"ls", "a"})
	list := RunAgain([]Figures{one, two}, 5)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	u := list[0]
	if u.Command != "go test ./..." || u.Sessions != 2 || u.Runs != 5 || u.Repeats != 3 || u.Failed != 4 || u.SameWay != 3 {
		t.Errorf("%+v", u)
	}
	if got := RunAgain([]Figures{one, two}, 5)[0]; got.SameWay != 3 || one.Ran[0].SameWay == 3 {
		t.Errorf("a sum changed what it is the sum of: %+v", got)
	}
	if one.RepeatedCommands != 3 || one.RepeatedChars != u.RepeatedChars {
		t.Errorf("%d repeats of %d characters, by name %+v", one.RepeatedCommands, one.RepeatedChars, u)
	}
	if none := RunAgain(nil, 5); none == nil || len(none) != 0 {
		t.Errorf("of nothing %+v", none)
	}
}

// A command's text is cut, and what failed in ever other ways is counted in bounded memory.
func TestCommandsAreBounded(t *testing.T) {
	var steps [][2]string
	long := "echo " + strings.Repeat("ä", 2*commandSize)
	for i := range 3 * mostWays {
		steps = append(steps, [2]string{long, "!" + strings.Repeat("x", i+1)})
	}
	u := ran(steps...).Ran[0]
	if len(u.Command) > commandSize+len("…") || !strings.HasSuffix(u.Command, "ä…") || u.Failed != 3*mostWays || len(u.ways) != mostWays || u.SameWay != 0 {
		t.Errorf("%d bytes, %d failed, %d ways, %d the same", len(u.Command), u.Failed, len(u.ways), u.SameWay)
	}
	a, b := long+"a", long+"b" // which begin alike
	if got := ran([2]string{a, ""}, [2]string{b, ""}); got.RepeatedCommands != 0 || len(got.Ran) != 2 {
		t.Errorf("two commands are one: %+v", got.Ran)
	}
}

// reads is a session that reads files in turn, each with a reply before and after.
func reads(paths ...string) Figures {
	c := NewCounter("claude", Names{})
	for i, path := range paths {
		call := fmt.Sprint(i)
		c.Add(&Entry{Kind: Reply, Reply: call, Asked: call, Model: "m", At: "2026-01-0" + fmt.Sprint(1+i%3) + "T10:00:00.000Z", Usage: &Usage{Input: 10, CacheRead: 30, Output: 10}})
		act := Entry{Kind: ToolCall, Tool: "Read", Act: Read, Call: call, Path: path, Chars: 3}
		if edit, ok := strings.CutPrefix(path, "edit:"); ok {
			act = Entry{Kind: ToolCall, Tool: "Edit", Act: Edit, Call: call, Path: edit, Chars: 5}
		}
		c.Add(&act)
		c.Add(&Entry{Kind: ToolResult, Call: call, Chars: 100})
	}
	return c.Figures(dime)
}

// dime is a price of a tenth for each token.
func dime(_, _ string, u Usage) *float64 { return ptr(float64(u.Context()+u.Output) / 10) }

// Files that were read again are told by their names in the project, whatever path was used,
// with what an edit made stale and what every later reply was given again.
func TestReadAgain(t *testing.T) {
	one, two := reads("/w/a", "a", "/w/b", "edit:/w/a", "/w/a"), reads("/w/b", "/w/b", "/w/b")
	one.ID, two.ID = "one", "two"
	list := ReadAgain([]Figures{one, two}, byPath, 5)
	if len(list) != 2 || list[0] != (FileUse{Path: "b", Sessions: 2, Reads: 4, Rereads: 2, Chars: 400, RereadChars: 200, CarriedChars: 500}) {
		t.Errorf("%+v", list)
	}
	for _, g := range Grouped("file", []Figures{one, two}, dime, byPath) {
		if g.Key == "a" && *g.File != (FileUse{Path: "a", Sessions: 1, Reads: 3, Rereads: 1, Chars: 300, RereadChars: 100, StaleChars: 100, Edits: 1, CarriedChars: 400 + 300}) {
			t.Errorf("%+v", *g.File)
		}
	}
	if got := ReadAgain([]Figures{two, one, reads("/w/c", "/w/c")}, byPath, 1); len(got) != 1 || got[0].Path != "b" {
		t.Errorf("the most %+v", got)
	}
}

func TestLargest(t *testing.T) {
	c := NewCounter("claude", Names{})
	for i, e := range []Entry{{Tool: "Read", Act: Read, Path: "a"}, {Tool: "Bash", Act: Shell, Command: "ls"}, {Tool: "Grep"}, {Tool: "Grep"}, {Tool: "Edit", Act: Edit, Path: "a"}} {
		e.Kind, e.Call = ToolCall, fmt.Sprint(i)
		c.Add(&e)
		c.Add(&Entry{Kind: ToolResult, Call: e.Call, Chars: 10 * (i + 1)})
	}
	f := c.Figures(noPrice)
	got := Largest(&f, 3)
	if len(got) != 3 || got[0].Tool != "Grep" || got[0].Name != "" || got[0].Chars != 70 || got[0].Times != 2 || got[1].Tool != "Edit" || got[2] != (Filling{Tool: RunTool, Name: "ls", Times: 1, Chars: 20}) {
		t.Errorf("%+v", got)
	}
}
