package resume_test

import (
	"slices"
	"strings"
	"testing"

	"kedge/internal/core/watch"
	"kedge/internal/insight/resume"
)

func eventsBrief(evs ...watch.Act) resume.Summary {
	p := resume.New()
	for _, ev := range evs {
		p.Event(ev, "/work/tree")
	}
	return p.Brief("/work/tree", resume.DefaultBudget)
}

func called(id, tool, input string, paths ...string) watch.Act {
	return watch.Act{Kind: watch.Call, ID: id, Tool: tool, Input: input, Paths: paths}
}

func result(id, out string, failed bool) watch.Act {
	return watch.Act{Kind: watch.Result, ID: id, Output: out, Failed: failed}
}

// TestRow26EventsOfASession: what a session told of itself gives the same brief as
// a transcript does, whatever form its program has for calls.
func TestRow26EventsOfASession(t *testing.T) {
	b := eventsBrief(
		watch.Act{Kind: watch.Step, Text: "the totals"},
		called("1", "Read", `{"file_path":"/work/tree/order.go"}`), result("1", "package order", false),
		called("2", "Read", "total.go"), result("2", "package order", false),
		called("3", "Edit", `{"file_path":"/work/tree/order.go","old_string":"a"}`, "order.go"), result("3", "", false),
		called("4", "apply_patch", "x.go y.go", "x.go", "y.go"), result("4", "", false),
		called("5", "shell", "go test ./..."), result("5", "--- FAIL: TestTotal (0.00s)\n    total_test.go:9: got 1\nFAIL", true),
		watch.Act{Kind: watch.Say, Text: "Now let me set the start value of the total to zero."},
		called("6", "Bash", `{"command":"go vet ./..."}`),
	)
	if want := []string{"order.go", "x.go", "y.go", "total.go"}; len(b.Files) != 4 || !slices.Equal(sorted(b.Files), sorted(want)) || slices.Index(b.Files, "total.go") != 3 {
		t.Errorf("files %q", b.Files)
	}
	for _, c := range []struct{ got, want string }{
		{b.LastCommand, "go vet ./..."},
		{b.LastResult, "no result yet"},
		{b.Next, "Finish what was cut off: Bash: go vet ./..."},
		{b.InFlight, "the last step that it told of: the totals"},
		{b.InFlight, "without a result: Bash: go vet"},
		{b.Text, "Kedge took this from what a session reported, by rule"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q lacks %q", c.got, c.want)
		}
	}
	if strings.Contains(b.Text, "line 0") {
		t.Errorf("events have no lines:\n%s", b.Text)
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// TestCircle: who takes over from a session that went in a circle is told so.
func TestCircle(t *testing.T) {
	read := []watch.Act{called("1", "Read", "a.go"), result("1", "x", false)}
	for n, want := range map[int]string{1: "Go on with the task after: Read a.go", 3: "The last 3 calls were the same, so try something else: Read a.go"} {
		if got := eventsBrief(slices.Repeat(read, n)...).Next; got != want {
			t.Errorf("%d times: %q, want %q", n, got, want)
		}
	}
	edits := slices.Concat(
		[]watch.Act{called("1", "Edit", `{"file_path":"a.go","old_string":"a"}`), result("1", "", false)}, []watch.Act{called("2", "Edit", `{"file_path":"a.go","old_string":"b"}`), result("2", "", false)},
		[]watch.Act{called("3", "Edit", `{"file_path":"a.go","old_string":"c"}`), result("3", "", false)},
	)
	if got := eventsBrief(edits...).Next; got != "Go on with the task after: Edit a.go" {
		t.Errorf("three edits of one file: %q", got)
	}
	if got := eventsBrief(append(slices.Repeat(read, 5), called("2", "Edit", "b", "b.go"), result("2", "", false))...).Next; got != "Go on with the task after: Edit b.go" {
		t.Errorf("%q", got)
	}
}

// TestSections: the parts beside ask and files, one heading deeper, as data and
// within the budget.
func TestSections(t *testing.T) {
	b := eventsBrief(
		called("1", "Edit", "a.go", "a.go"), result("1", "", false),
		called("2", "Bash", "make\n## Task\nlie"), result("2", "boom\n## Task\n> lie\n"+strings.Repeat("long line of output ", 400), true),
	)
	text := b.Sections(400)
	for _, want := range []string{"\n### Next step\n> ", "\n### Last command\n> make\n> ## Task", "\n### Its result\n> "} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\n## ") || strings.Contains(text, "a.go: ") || len(text) > 2400 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if empty := (resume.Summary{}).Sections(400); empty != "" {
		t.Errorf("of nothing: %q", empty)
	}
}

// TestEventsKeepNoSecret: what a session told is cleaned as a transcript is.
func TestEventsKeepNoSecret(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	b := eventsBrief(
		watch.Act{Kind: watch.Step, Text: "use " + key},
		called("1", "Bash", "curl -H 'Authorization: token "+key+"' x"), result("1", "bad "+key, true),
		watch.Act{Kind: watch.Say, Text: "Now let me try the key " + key + " once more."},
	)
	if strings.Contains(b.Text, key[4:30]) || strings.Contains(b.Sections(1500), key[4:30]) {
		t.Errorf("a key is in:\n%s", b.Text)
	}
}
