package run

import "time"

// Notice is something of a living session that changes nothing and is worth a line: a
// compaction, a refusal of the provider.
type Notice struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// SavesActs is the reason of a checkpoint that only keeps what a session did so far: of
// that nobody has to read.
const SavesActs = "it changed something"

const (
	quotaWait = 15 * time.Minute                // how long a limit is taken to last when nobody says
	limitWait = "a provider's limit"            // the reason of a timer that waits for one
	hadTime   = "the session has used its time" // the reason of a timer that ends a session
)

// WaitsForProvider tells whether the command waits for a provider's limit to pass.
func (c Command) WaitsForProvider() bool { return c.Kind == Timer && c.Reason == limitWait }

// limited waits for the provider, or takes the next fallback route at once.
func (t *stepper) limited(j *Job) {
	if r := t.s.Rules.AfterRoute(j.Route); r != "" {
		j.Route = r
		t.enter(j, Briefing)
		return
	}
	wait := j.Until.Sub(t.ev.At)
	if j.Until.IsZero() || wait <= 0 || wait > 31*24*time.Hour {
		wait = quotaWait
	}
	t.issue(j, Command{Kind: Timer, Until: j.Until, Wait: wait, Reason: limitWait})
}

// tryAgain ends the wait for a provider.
func (t *stepper) tryAgain(j *Job) {
	j.Route, j.Until = "", time.Time{}
	t.queue(j, Briefing)
}

// tryNow ends every wait for a provider because somebody wants so; it counts as no wait.
func (t *stepper) tryNow() {
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		if j.Phase != Limited {
			continue
		}
		t.drop(func(c Command) bool { return c.Job == j.ID && c.Kind == Timer })
		j.Waits = max(0, j.Waits-1)
		t.tryAgain(j)
	}
}
