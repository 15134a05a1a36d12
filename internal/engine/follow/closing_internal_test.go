package follow

import (
	"strings"
	"testing"
	"unicode/utf8"

	"kedge"
	"kedge/internal/core/watch"
)

func TestClosingWords(t *testing.T) {
	say := func(text string) watch.Act { return watch.Act{Kind: watch.Say, Text: text} }
	call := watch.Act{Kind: watch.Call, ID: "1", Tool: "edit"}
	for _, tc := range []struct {
		name string
		acts []watch.Act
		want string
	}{
		{"silent", []watch.Act{call}, ""},
		{"the last since it acted", []watch.Act{say("I look."), call, say("Cause: x."), say("Done.")}, "Cause: x.\nDone."},
		{"nothing after it acted", []watch.Act{say("I look."), call}, "I look."},
		{"what is for Kedge is no closing word", []watch.Act{say("done\nKEDGE {\"type\":\"step\"}\n")}, "done"},
		{"blank", []watch.Act{say("a"), call, say("  \n")}, "a"},
		{"a secret", []watch.Act{say("token ghp_" + strings.Repeat("a1B2", 9))}, "token [redacted:github]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c Closing
			for _, ev := range tc.acts {
				c.Take(ev)
			}
			if got := c.Text(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestClosingWordsAreBounded(t *testing.T) {
	var c Closing
	c.Take(watch.Act{Kind: watch.Say, Text: "first " + strings.Repeat("ünder the way ", 800) + " last"})
	got := c.Text()
	if len(got) > kedge.MaxClosing || !utf8.ValidString(got) {
		t.Fatalf("%d bytes", len(got))
	}
	if !strings.HasPrefix(got, "first ") || !strings.HasSuffix(got, " last") {
		t.Errorf("begin or end is missing: %q", got)
	}
}
