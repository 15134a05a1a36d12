package sim

import (
	"strconv"

	"kedge/internal/core/run"
)

// talk is a conversation that an agent left.
type talk struct {
	id              string
	context, window int64
	outcome         run.Outcome
	agreed          bool // who briefs says that it can be gone on with
	lost            bool // it was tried in vain
	attempt         int
}

// talk says what the session calls its conversation, and how full it is, as far as
// it is known.
func (w *world) talk(s *session, ev *run.Input) {
	was := w.talks[s.job]
	now := talk{outcome: ev.Outcome, lost: was.lost, attempt: was.attempt}
	if w.chance(80) {
		now.id = "conversation-" + strconv.FormatInt(s.epoch, 10)
	}
	if w.chance(80) {
		now.context, now.window = w.rng.Int64N(1000), 1000
	}
	ev.Conversation, ev.Context, ev.Window = now.id, now.context, now.window
	w.talks[s.job] = now
}

// briefTalk says whether a conversation can be gone on with.
func (w *world) briefTalk(c run.Command, ev *run.Input) {
	t := w.talks[c.Job]
	t.agreed = c.Resume != "" && w.chance(80)
	w.talks[c.Job] = t
	if t.agreed {
		ev.Conversation = c.Resume
		return
	}
	ev.Reason = "it is alive elsewhere"
}

// checkResume holds a session against what may be gone on with: the conversation of
// the job's own last session, which was interrupted, is alive nowhere, has room in
// its context and was not tried in vain.
func (w *world) checkResume(c run.Command) {
	t := w.talks[c.Job]
	if t.attempt != c.Attempt {
		t.lost, t.attempt = false, c.Attempt
		w.talks[c.Job] = t
	}
	cut := t.outcome == run.Killed || t.outcome == run.HitLimit || t.outcome == run.Closed
	if c.Resume != "" {
		w.seen.Resumed++
	}
	switch {
	case c.Resume == "":
	case c.Resume != t.id || !cut:
		w.fail(6, "a session goes on with a conversation that is not its own")
	case !t.agreed:
		w.fail(2, "a conversation goes on that is alive elsewhere")
	case t.window == 0 || float64(t.context) >= w.s.Rules.Handover*float64(t.window):
		w.fail(5, "a conversation goes on that has no room, or whose room is unknown")
	case t.lost:
		w.fail(3, "a conversation is tried again in vain")
	}
}

// loseTalk is an agent that does not find its conversation.
func (w *world) loseTalk(s *session) {
	w.note("a conversation is lost")
	w.seen.Lost++
	t := w.talks[s.job]
	t.lost = true
	w.talks[s.job] = t
	w.exit(s, run.Crashed)
}
