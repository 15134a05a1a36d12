package run

import (
	"cmp"

	"kedge"
	"kedge/internal/core/config"
)

// talked keeps what the next session could go on with.
func (t *stepper) talked(j *Job) {
	cut := j.Talk.Cut // a stop, or a budget, that ends the session
	j.Talk = kedge.Talk{ID: t.ev.Conversation, Route: j.Route, Purpose: string(j.purpose()), Context: t.ev.Context, Window: t.ev.Window, Share: t.ev.Handover, Cut: cut}
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
	case k.Purpose != string(j.purpose()):
		return "", "it is work of another kind"
	case !k.Measured():
		return "", "it is unknown how full its context was"
	case k.Full(cmp.Or(k.Share, s.Rules.Handover, config.UsualHandover)):
		return "", "its context was " + k.Filled()
	default:
		return k.ID, k.Cut + ", with its context " + k.Filled()
	}
}

const noTalk = "its conversation could not be resumed: "

// lostTalk tells whether the session that ended never came to go on with the
// conversation that it was to: then a fresh one does, once, and nobody crashed.
func (t *stepper) lostTalk(j *Job) bool {
	return j.Resumed && t.ev.Outcome == Crashed && j.Used == nil && j.Fresh == ""
}
