package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/words"
)

// seen is what is kept beside a session's log of those who looked at it: when the last one
// left, and which lines each terminal has. Another program may lose it: it only saves
// somebody from seeing lines twice.
type seen struct {
	At        time.Time        `json:"at"`
	Terminals map[string]int64 `json:"terminals"` // the number of lines, by terminal
}

const (
	seenName = "seen"
	seenMost = 50 // terminals
)

func readSeen(dir string) seen {
	var s seen
	b, err := os.ReadFile(filepath.Join(dir, seenName))
	if err == nil {
		_ = json.Unmarshal(b, &s) // one that is damaged says nothing
	}
	if s.Terminals == nil {
		s.Terminals = map[string]int64{}
	}
	return s
}

// thisTerminal names a terminal: a device of the name may be another one tomorrow, but
// not for the same log-in shell.
func thisTerminal(t *process.Terminal) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", t.In.Fd())) // elsewhere the shell alone says it
	shell, err := unix.Getsid(0)
	if err != nil {
		return name
	}
	return fmt.Sprintf("%s %d", name, shell)
}

// remember writes down what this terminal has.
func (a *attachment) remember() {
	s := readSeen(a.found.Folder)
	s.At = time.Now().UTC()
	if !a.d.Clean {
		if len(s.Terminals) >= seenMost {
			clear(s.Terminals)
		}
		s.Terminals[thisTerminal(a.term)] = max(a.d.Feed.Lines()-a.d.Past.Lines(), 0)
	}
	if b, err := json.Marshal(s); err == nil {
		_ = atomicfile.Swap(filepath.Join(a.found.Folder, seenName), append(b, '\n'), 0o600) // see seen
	}
}

// lastLeft is the living session that somebody left last; empty for none.
func lastLeft(folders string, list []kedge.Session) kedge.SessionID {
	var last kedge.SessionID
	var at time.Time
	for _, s := range list {
		if seen := readSeen(filepath.Join(folders, string(s.ID))); seen.At.After(at) {
			last, at = s.ID, seen.At
		}
	}
	return last
}

const (
	awayLeast = time.Minute            // to be worth a line
	awayLimit = 700 * time.Millisecond // for finding out what happened: nobody waits for that
)

// gap says what happened since somebody looked at the session: above the screen, and for a
// while on the last row.
func (a *attachment) gap(ctx context.Context) {
	gone := time.Since(a.seen.At)
	if a.seen.At.IsZero() || gone < awayLeast {
		return
	}
	limited, cancel := context.WithTimeout(ctx, awayLimit)
	defer cancel()
	r, err := frame.Call[sessions.SessionAwayReply](limited, a.env, "session.away", sessions.SessionAway{Name: string(a.found.Session.ID), Since: a.seen.At})
	if err != nil {
		r = sessions.SessionAwayReply{} // what is not known is not told
	}
	text := awayText(gone, r)
	a.d.Gap = append(a.d.Gap, text)
	_ = a.says(" "+text+" | Ctrl-] ? ", noteFor) // nothing is shown yet
}

// awayText is the line about the time away; what is not known is left out.
func awayText(gone time.Duration, r sessions.SessionAwayReply) string {
	var parts []string
	if r.Edits != nil {
		parts = append(parts, words.Count(*r.Edits, "edit"))
	}
	if tests := r.Tests; len(tests) > 0 {
		text := "tests " + tests[0]
		if last := tests[len(tests)-1]; last != tests[0] {
			text += " → " + last
		}
		parts = append(parts, text)
	}
	switch {
	case r.Questions == 1:
		parts = append(parts, "1 open question")
	case r.Questions > 1:
		parts = append(parts, fmt.Sprintf("%d open questions", r.Questions))
	}
	text := "away " + words.Age(gone)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
