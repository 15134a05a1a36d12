package resume

import (
	"runtime"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

func TestSorted(t *testing.T) {
	for in, want := range map[string]said{
		"fix the build":                 {kind: saidAsk, text: "fix the build"},
		"why is it red?":                {kind: saidAsk, text: "why is it red?"},
		"yes":                           {kind: saidSteering, text: "yes"},
		"Ok, go ahead!":                 {kind: saidSteering, text: "Ok, go ahead!"},
		"commit this":                   {kind: saidSteering, text: "commit this"},
		"Ja, genau. Mach weiter!":       {kind: saidSteering, text: "Ja, genau. Mach weiter!"},
		"好的，继续。":                        {kind: saidSteering, text: "好的，继续。"},
		"修复这个测试":                        {kind: saidAsk, text: "修复这个测试"},
		"ja, aber nicht die Tests":      {kind: saidAsk, text: "ja, aber nicht die Tests"},
		"yes, add instrumentation":      {kind: saidAsk, text: "yes, add instrumentation"},
		"go on?":                        {kind: saidAsk, text: "go on?"},
		"[Request interrupted by user]": {kind: saidStop, text: "[Request interrupted by user]"},
		"[Request interrupted by user for tool use]":                               {kind: saidStop, text: "[Request interrupted by user for tool use]"},
		"<local-command-stdout>Bye</local-command-stdout>":                         {},
		"<system-reminder>be good</system-reminder>":                               {},
		"<system-reminder>be good</system-reminder>\nfix it":                       {kind: saidAsk, text: "fix it"},
		"fix it<system-reminder>never closed":                                      {kind: saidAsk, text: "fix it"},
		"<command-name>/exit</command-name><command-args></command-args>":          {},
		"<command-name>/compact</command-name><command-args>keep</command-args>":   {},
		"<command-name>/review</command-name><command-args>this</command-args>":    {kind: saidAsk, text: "/review this"},
		"<command-message>x</command-message>\n<command-name>/x:y</command-name>":  {kind: saidAsk, text: "/x:y"},
		"<bash-input>git pull</bash-input>":                                        {kind: saidShell, text: "<bash-input>git pull</bash-input>"},
		"Stop hook feedback:\nred":                                                 {text: "Stop hook feedback:\nred"},
		"=== Step 3 ===\nERROR: no branch":                                         {kind: saidSteering, text: "=== Step 3 ===\nERROR: no branch"},
		"Building the index takes a minute.\nMake it faster":                       {kind: saidAsk, text: "Building the index takes a minute.\nMake it faster"},
		"Building on that, add a flag to list":                                     {kind: saidAsk, text: "Building on that, add a flag to list"},
		"ERROR handling is missing in the parser":                                  {kind: saidAsk, text: "ERROR handling is missing in the parser"},
		"goroutine leaks in the pool must be found":                                {kind: saidAsk, text: "goroutine leaks in the pool must be found"},
		"Building kedge\nerror: no such file":                                      {kind: saidSteering, text: "Building kedge\nerror: no such file"},
		"goroutine 7 [running]:\nmain.main()":                                      {kind: saidSteering, text: "goroutine 7 [running]:\nmain.main()"},
		"FAIL\tkedge/internal/x\t0.1s":                                             {kind: saidSteering, text: "FAIL\tkedge/internal/x\t0.1s"},
		"fix <a> <system-reminder>x</system-reminder>b <tick>y</tick>< now":        {kind: saidAsk, text: "fix <a> b < now"},
		"ERROR: no branch\nwhy?":                                                   {kind: saidAsk, text: "ERROR: no branch\nwhy?"},
		"Implement the following plan:\n\n# P" + planFoot + " read the transcript": {kind: saidAsk, text: "Implement the following plan:\n\n# P"},
		summaryStart + " that ran out":                                             {kind: saidSummary, text: summaryStart + " that ran out"},
		"print <sessionid> too":                                                    {kind: saidAsk, text: "print <sessionid> too"},
		"":                                                                         {},
	} {
		if got := sorted(&audit.Entry{Text: in}); got != want {
			t.Errorf("%q is %+v, want %+v", in, got, want)
		}
	}
	if got := sorted(&audit.Entry{Text: "fix it", Rules: true}); got.kind != saidNothing {
		t.Errorf("the program's own text is %+v", got)
	}
	if got := sorted(&audit.Entry{Text: "fix it", Summary: true}); got.kind != saidSummary {
		t.Errorf("a summary is %+v", got)
	}
}

// TestUnframedIsOnePass: many frames are taken out of a text at once, and not by
// copying it for each.
func TestUnframedIsOnePass(t *testing.T) {
	text := strings.Repeat("a<system-reminder>b</system-reminder>", 5000)
	if got := unframed(text, frames); got != strings.Repeat("a", 5000) {
		t.Errorf("%d bytes are left", len(got))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	unframed(text, frames)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 { // a copy for each would be 400 MB
		t.Errorf("%d bytes were taken for %d", n, len(text))
	}
}

// asked takes what people say in turn and gives the ask in force.
func asked(texts ...string) string {
	var a asks
	for _, text := range texts {
		a.take(sorted(&audit.Entry{Text: text}))
	}
	return a.text()
}

func TestAsk(t *testing.T) {
	long := strings.Repeat("a request that needs no other, ", 6)
	for _, c := range []struct {
		name string
		said []string
		want string
	}{
		{"nothing", nil, ""},
		{"one", []string{"fix a"}, "fix a"},
		{"a new one that stands by itself replaces", []string{"fix a", long}, strings.TrimSpace(long)},
		{"a short one carries what it follows", []string{"fix a", "and b?"}, "and b?\n\nBefore: fix a"},
		{"and that one what it follows", []string{"clean up", "fix a", "and b?"}, "and b?\n\nBefore: fix a\n\nBefore that: clean up"},
		{"a command that is given again", []string{"fix a", "/review", "look at b", "/review"}, "/review\n\nBefore: look at b\n\nBefore that: /review"},
		{"steering stays with the ask", []string{long, "yes", "go ahead"}, strings.TrimSpace(long) + "\n\nThen: yes\n\nThen: go ahead"},
		{"steering that is said again", []string{long, "yes", "yes"}, strings.TrimSpace(long) + "\n\nThen: yes"},
		{"a correction after a stop", []string{long, "[Request interrupted by user]", "do not stash"}, strings.TrimSpace(long) + "\n\nThen: do not stash"},
		{"sent again after a stop", []string{"print the name of it", "[Request interrupted by user]", "print the name of it and the day"}, "print the name of it and the day"},
		{"a paste means the work at hand", []string{"make it pass", "FAIL: x"}, "make it pass\n\nThen: FAIL: x"},
		{"commands are none", []string{"fix a", "<command-name>/exit</command-name>"}, "fix a"},
		{"a summary keeps it", []string{"fix a", summaryStart + "\n6. All user messages:\n   - \"other\"\n"}, "fix a"},
		{"a summary alone", []string{summaryStart + "\n1. Primary Request:\n   x\n6. All user messages:\n   - \"fix a\"\n   - \"yes\"\n\n7. Pending Tasks:\n   - none\n"}, "fix a"},
		{"a summary without messages", []string{summaryStart + "\n1. Primary Request and Intent:\n   Fix b.\n2. Files:\n"}, "Fix b."},
	} {
		if got := asked(c.said...); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAskIsBounded: however long somebody steers, little is kept.
func TestAskIsBounded(t *testing.T) {
	var a asks
	a.take(said{kind: saidAsk, text: "fix a"})
	for i := range 100 {
		a.take(said{kind: saidSteering, text: strings.Repeat("y", i+1)})
	}
	if len(a.since) != maxSince || a.dropped != 100-maxSince || a.newest().text != strings.Repeat("y", 100) {
		t.Errorf("%d kept, %d dropped", len(a.since), a.dropped)
	}
}

func TestRefusal(t *testing.T) {
	p := New()
	for _, e := range []audit.Entry{
		{Kind: audit.UserText, Line: 1, Text: "clean up"},
		{Kind: audit.ToolCall, Line: 2, Call: "1", Tool: "Bash", Act: audit.Shell, Command: "git stash"},
		{Kind: audit.ToolResult, Line: 3, Call: "1", Failed: true, Text: refusal + " To tell you how to proceed, the user said:\nnever stash"},
	} {
		p.Add(&e)
	}
	b := p.Brief("", DefaultBudget)
	if b.Ask != "clean up\n\nThen: never stash" || b.LastFailed || b.LastResult != "refused by the user: never stash" ||
		!strings.Contains(b.Next, "Do as they said: never stash") || len(b.RuledOut) != 1 || len(b.Open) != 0 {
		t.Errorf("%+v", b)
	}
}

// TestQueued: what was typed while the model worked counts at once, and once.
func TestQueued(t *testing.T) {
	p := New()
	for _, e := range []audit.Entry{
		{Kind: audit.UserText, Line: 1, Text: "clean up"},
		{Kind: audit.Queued, Line: 2, Text: "<agent-notification>done</agent-notification>"},
		{Kind: audit.Queued, Line: 3, Text: "not the docs"},
		{Kind: audit.UserText, Line: 4, Text: "not the docs"},
	} {
		p.Add(&e)
	}
	if got := p.Brief("", DefaultBudget).Ask; got != "clean up\n\nThen: not the docs" {
		t.Errorf("%q", got)
	}
}

// TestSummaryIsNoNewAsk: after a compaction the work goes on where it was.
func TestSummaryIsNoNewAsk(t *testing.T) {
	entries := []audit.Entry{
		ask("clean up"), read("/a.go"),
		{Kind: audit.Compaction},
		{Kind: audit.UserText, Summary: true, Text: summaryStart + "\n8. Current Work:\n   x\n\n9. Optional Next Step:\n   Delete the folder b.\n"},
	}
	if b := played(entries...).Brief("", DefaultBudget); b.Ask != "clean up" || b.Next != "Delete the folder b." {
		t.Errorf("ask %q, next %q", b.Ask, b.Next)
	}
	if b := played(append(entries, read("/b.go"))...).Brief("", DefaultBudget); b.Next != "Finish what was cut off: Read /b.go" {
		t.Errorf("next %q", b.Next)
	}
}
