package follow

import (
	"slices"
	"strings"
	"time"

	"kedge/internal/core/run"
	"kedge/internal/core/watch"
)

// saveEvery is how often actions that no checkpoint has seen are looked for.
const saveEvery = time.Second

// longestPace is the most that two checkpoints of a busy session are apart, in
// looks.
const longestPace = 30

// pace is how often a session is saved: soon after its first action, then at
// twice the distance each time while it goes on, and soon again once it was
// quiet for as long as that.
type pace struct{ gap, left int } // in looks

// due is called at every look.
func (p *pace) due(unsaved bool) bool {
	p.left = max(0, p.left-1)
	switch {
	case p.left > 0:
		return false
	case !unsaved:
		p.gap = 0
		return false
	}
	p.gap = min(max(1, 2*p.gap), longestPace)
	p.left = p.gap
	return true
}

// looking are tools that change nothing, by the names that agents give them.
var looking = []string{"read", "view", "grep", "glob", "ls", "list", "search", "webfetch", "websearch", "fetch"}

// acts tells whether an event is the end of something that a person would not
// want done twice: a file written, a command run.
func (s *session) acts(ev watch.Act) bool {
	switch ev.Kind {
	case watch.Call:
		if !slices.Contains(looking, strings.ToLower(ev.Tool)) {
			s.open = append(s.open[max(0, len(s.open)-maxOpenCalls+1):], ev.ID)
		}
	case watch.Result:
		if i := slices.Index(s.open, ev.ID); i >= 0 {
			s.open = slices.Delete(s.open, i, i+1)
			return true
		}
	default:
	}
	return false
}

// maxOpenCalls bounds the calls without a result that are remembered.
const maxOpenCalls = 64

// saveActs asks for a checkpoint of actions that none has seen.
func (s *session) saveActs() {
	s.report(run.Input{Kind: run.Signalled, Outcome: run.WantCheckpoint, Session: s.id, Reason: run.SavesActs})
}

// saveMoments are when actions are looked for.
func (c *Config) saveMoments() (<-chan time.Time, func()) {
	if c.Tick != nil {
		return c.Tick(saveEvery)
	}
	t := time.NewTicker(saveEvery)
	return t.C, t.Stop
}

// acted takes in that the job's session did something, at a place on its tape. Who
// adopts a session reads everything again: what a checkpoint has seen is not news
// to it, and what was done while nobody followed the session is.
func (l *living) acted(c run.Command, place int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.now[jobKey{c.Run, c.Job}]; ok {
		f.acted = max(f.acted, place)
	}
}

// unsaved tells whether the job's session did something after the last
// checkpoint began.
func (l *living) unsaved(c run.Command) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.now[jobKey{c.Run, c.Job}]
	return ok && f.acted > f.saved
}

// saves says that a checkpoint of the job begins: what was done so far is in it.
// It gives the place of the last of that, and run.Command.Origin of the session
// whose tape it is on; 0 where nobody follows one.
func (l *living) saves(c run.Command) (origin, place int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.now[jobKey{c.Run, c.Job}]
	if !ok {
		return 0, 0
	}
	f.saved = max(f.saved, f.acted)
	return f.origin, f.saved
}
