package sessions

import (
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
)

// listOf is what kedge ls shows for sessions at a terminal of so many columns; 0 is a pipe.
func listOf(r sessions.SessionListReply, f lsFlags, cols int, colours bool) string {
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	p := frame.NewPage(cols, colours)
	printSessions(p, &frame.Env{}, r, f, now)
	return p.String()
}

// several are sessions of every state.
func several() sessions.SessionListReply {
	n := func(i int64) *int64 { return &i }
	usd := func(v float64) *float64 { return &v }
	code := func(i int) *int { return &i }
	at := func(ago time.Duration) *time.Time {
		t := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC).Add(-ago)
		return &t
	}
	return sessions.SessionListReply{Sessions: []kedge.Session{
		{ID: "ses-5", Name: "lost", Agent: "claude", State: kedge.SessionInterrupted, Cause: "reboot", StartedAt: *at(9 * time.Hour), LastAt: at(2 * time.Hour)},
		{ID: "ses-6", Name: "lost-before", State: kedge.SessionInterrupted, Cause: "reboot", StartedAt: *at(90 * time.Hour), LastAt: at(80 * time.Hour)},
		{ID: "ses-7", Name: "again", State: kedge.SessionInterrupted, Cause: "reboot", StartedAt: *at(9 * time.Hour), LastAt: at(time.Hour)},
		{ID: "ses-8", Name: "of-run", State: kedge.SessionInterrupted, Run: "run-1", Cause: "reboot", StartedAt: *at(time.Hour)},
		{ID: "ses-1", Name: "shell", Agent: "bash", State: kedge.SessionRunning, StartedAt: *at(2 * time.Hour), Last: "make: 'all' is up to date\x1b[31m"},
		{ID: "ses-2", Name: "refactor", Agent: "claude", State: kedge.SessionRunning, StartedAt: *at(42 * time.Minute), ContextTokens: n(122_000), ContextWindow: n(200_000), USD: usd(3.1), Last: "edits internal/api/server.go, and says at length why it does so, 界界界界界界界界界界界"},
		{ID: "ses-3", Name: "schema", Agent: "codex", State: kedge.SessionWaiting, StartedAt: *at(3 * time.Hour), LastAt: at(3 * time.Minute), ContextTokens: n(44_000), ContextWindow: n(200_000), USD: usd(0.4), Last: "drop the old column? (y/n)"},
		{ID: "ses-4", Name: "broke", Agent: "bash", State: kedge.SessionExited, ExitCode: code(3), StartedAt: *at(5 * time.Hour), LastAt: at(4 * time.Hour)},
		{ID: "ses-9", Name: "again", Agent: "claude", State: kedge.SessionExited, Previous: "ses-7", StartedAt: *at(50 * time.Minute), LastAt: at(49 * time.Minute)},
		{ID: "ses-0", Name: "kept", Agent: "bash", State: kedge.SessionExited, Pinned: true, StartedAt: *at(50 * time.Hour)},
	}}
}

// TestLsLivingFirst: who waits for you comes first, then who runs, then what was lost and
// waits to be resumed; the others are counted. Nothing wraps, and no text of a session
// brings an escape code.
func TestLsLivingFirst(t *testing.T) {
	want := `  NAME      STATE            AGENT   CONTEXT        COST  LAST
◐ schema    waits        3m  codex   ▆▁▁▁▁▁▁▁ 22%  $0.40  drop the old column? …
● shell     running      2h  bash                         make: 'all' is up to …
● refactor  running     42m  claude  ▆▆▆▆▁▁▁▁ 61%  $3.10  edits internal/api/se…
✗ lost      interrupted  2h  claude                       reboot
○ kept      exited           bash                         pinned
1 waits for you, 2 run; 4 interrupted; 3 ended (kedge ls --ended)
`
	if got := listOf(several(), lsFlags{}, 80, false); got != want {
		t.Errorf("80 columns:\n%s", got)
	}
	for _, cols := range []int{1, 20, 40, 60, 80, 140} {
		for _, f := range []lsFlags{{}, {ended: true}, {all: true}} {
			for line := range strings.Lines(listOf(several(), f, cols, false)) {
				if n := frame.Cells(strings.TrimSuffix(line, "\n")); cols >= 40 && n > cols || strings.Contains(line, "\x1b") {
					t.Errorf("%d columns, %+v: a line of %d: %q", cols, f, n, line)
				}
			}
		}
	}
	if wide := listOf(several(), lsFlags{}, 140, false); !strings.Contains(wide, "at length why it does so") || strings.Contains(wide, "lost-before") {
		t.Errorf("140 columns:\n%s", wide)
	}
	if ended := listOf(several(), lsFlags{ended: true}, 80, false); !strings.Contains(ended, "○ broke        exited (3)") || strings.Contains(ended, "--ended") {
		t.Errorf("with --ended:\n%s", ended)
	}
}

// Colour has the roles of states only, and --long has whole ids and no colour of its own.
func TestLsColoursAndLong(t *testing.T) {
	got := listOf(several(), lsFlags{}, 80, true)
	for _, want := range []string{"\x1b[33m◐\x1b[0m \x1b[1mschema\x1b[0m", "\x1b[31m✗\x1b[0m \x1b[1mlost\x1b[0m", "\n● \x1b[1mshell\x1b[0m     running"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%q", want, got)
		}
	}
	long := listOf(several(), lsFlags{long: true, ended: true}, 0, false)
	for _, want := range []string{"ses-4", "61% of 200000", "exited (3)", "exited, pinned"} {
		if !strings.Contains(long, want) {
			t.Errorf("no %q in\n%s", want, long)
		}
	}
}

// What was noticed of a session stands before its last line.
func TestLsSaysWhatWasNoticed(t *testing.T) {
	got := listOf(sessions.SessionListReply{Sessions: []kedge.Session{
		{Name: "work", State: kedge.SessionRunning, Last: "edits a.go", Limit: &kedge.ProviderLimit{}},
		{Name: "of-a-run", State: kedge.SessionRunning, Feature: "login", Last: "{}"},
	}}, lsFlags{}, 0, false)
	for _, want := range []string{"at a provider's limit: edits a.go", "works on login"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Of every project, each session stands with its own; one of a folder that is none has
// a dash.
func TestLsShowsProjects(t *testing.T) {
	got := listOf(sessions.SessionListReply{
		Sessions: []kedge.Session{{Name: "a", Project: "prj-1", State: kedge.SessionRunning}, {Name: "b", Project: "prj-0", State: kedge.SessionRunning}},
		Projects: []kedge.Project{{ID: "prj-1", Name: "shop"}},
	}, lsFlags{all: true}, 0, false)
	for _, want := range []string{"PROJECT", " shop", " -"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
