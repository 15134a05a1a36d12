package run

import (
	"cmp"
	"strconv"

	"kedge/internal/core/config"
)

// Talk is the conversation of a job's last session, as its program calls it, for
// the next session to go on with.
type Talk struct {
	ID      string  `json:"id,omitempty"` // empty: not known
	Route   string  `json:"route,omitempty"`
	Purpose Purpose `json:"purpose,omitempty"`
	Context int64   `json:"context,omitempty"` // tokens; 0: not known
	Window  int64   `json:"window,omitempty"`
	Share   float64 `json:"share,omitempty"` // of the window at which its model hands over; 0: Rules say it
	Cut     string  `json:"cut,omitempty"`   // what interrupted it; empty: nothing did
}

// talked keeps what the next session could go on with.
func (t *stepper) talked(j *Job) {
	cut := j.Talk.Cut // a stop, or a budget, that ends the session
	j.Talk = Talk{ID: t.ev.Conversation, Route: j.Route, Purpose: j.purpose(), Context: t.ev.Context, Window: t.ev.Window, Share: t.ev.Handover, Cut: cut}
	switch t.ev.Outcome {
	case Killed:
		j.Talk.Cut = "it was killed"
	case HitLimit:
		j.Talk.Cut = "it reached the provider's limit"
	case Closed:
	default: // its own end, or one that may repeat itself
		j.Talk.Cut = ""
	}
}

// resumption chooses how the next session of a job begins: with the conversation
// that it goes on with, or empty for a fresh one from the checkpoint; and why. It is
// for work that was interrupted and has room left in its context. Whether the
// conversation is alive elsewhere, who carries the command out looks.
func (s *State) resumption(j *Job) (conversation, why string) {
	k := j.Talk
	switch {
	case j.Sessions == 0:
		return "", "it is the first session of the attempt"
	case j.Kind == Plan:
		return "", "every planning session starts afresh"
	case j.Fresh != "":
		return "", j.Fresh
	case k.Cut == "":
		return "", cmp.Or(j.Reason, "the previous session ended by itself")
	case k.ID == "":
		return "", "the agent gave no id of its conversation"
	case k.Route != j.Route:
		return "", "another agent continues"
	case k.Purpose != j.purpose():
		return "", "it is work of another kind"
	case k.Context <= 0 || k.Window <= 0:
		return "", "it is unknown how full its context was"
	case float64(k.Context) >= cmp.Or(k.Share, s.Rules.Handover, config.UsualHandover)*float64(k.Window):
		return "", "its context was " + share(k) + " full"
	default:
		return k.ID, k.Cut + ", with its context " + share(k) + " full"
	}
}

// share is how full the context was.
func share(k Talk) string { return strconv.FormatInt(100*k.Context/k.Window, 10) + "%" }

// lostTalk tells whether the session that ended never came to go on with the
// conversation that it was to: then a fresh one does, once, and nobody crashed.
func (t *stepper) lostTalk(j *Job) bool {
	return j.Resumed && t.ev.Outcome == Crashed && j.Used == nil && j.Fresh == ""
}
