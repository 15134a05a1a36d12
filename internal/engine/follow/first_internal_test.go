package follow

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kedge/internal/core/watch"
)

// TestRow26FirstActAndFirstEdit: looking is no action, a call that failed did
// nothing, and each first is told once with what was read before its call.
func TestRow26FirstActAndFirstEdit(t *testing.T) {
	var f firsts
	var got []string
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	feed := func(ev watch.Act) {
		now = now.Add(time.Second)
		ev.At = now
		for _, d := range f.take(ev) {
			got = append(got, fmt.Sprintf("%s %s %s after %d calls, %d tokens, at %d", d.First, d.Tool, d.Path, d.Calls, d.ReadTokens, d.At.Second()))
		}
	}
	call := func(id, tool string, paths ...string) {
		feed(watch.Act{Kind: watch.Call, ID: id, Tool: tool, Paths: paths})
	}
	result := func(id string, tokens int, failed bool) {
		feed(watch.Act{Kind: watch.Result, ID: id, Output: strings.Repeat("four", tokens), Failed: failed})
	}
	call("1", "Read")
	result("1", 100, false)
	call("2", "Grep")
	result("2", 10, false)
	call("3", "Edit", "a.go")
	result("3", 5, true) // it did nothing
	call("4", "Bash")
	call("5", "Edit", "b.go") // at the same time
	result("4", 7, false)
	result("5", 1, false)
	call("6", "Edit", "c.go")
	result("6", 1, false)
	want := "action Bash  after 3 calls, 115 tokens, at 9; edit Edit b.go after 4 calls, 115 tokens, at 10"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s", s)
	}
}
