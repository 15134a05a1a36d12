package run_test

import (
	"strings"
	"testing"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// left is a session's end with a conversation and a context of which so much of a
// hundred is used.
func left(id string, used int64) func(*run.Input) {
	return func(ev *run.Input) { ev.Conversation, ev.Context, ev.Window = id, used, 100 }
}

// TestRow46NativeOrFresh is the choice: after what, with how much room.
func TestRow46NativeOrFresh(t *testing.T) {
	for name, x := range map[string]struct {
		rules  config.Rules
		end    func(d *drive)
		resume string
		why    string
	}{
		"killed, with room":            {end: ended(run.Killed, left("c", 69)), resume: "c", why: "it was killed, with its context 69% full"},
		"killed, full":                 {end: ended(run.Killed, left("c", 70)), why: "its context was 70% full"},
		"killed, full as people see":   {rules: config.Rules{Handover: 0.2}, end: ended(run.Killed, left("c", 20)), why: "its context was 20% full"},
		"killed, fullness unknown":     {end: ended(run.Killed, func(ev *run.Input) { ev.Conversation = "c" }), why: "it is unknown how full its context was"},
		"killed, without conversation": {end: ended(run.Killed, left("", 10)), why: "the agent gave no id of its conversation"},
		"limit": {end: func(d *drive) {
			ended(run.HitLimit, left("c", 10))(d)
			d.until(run.Timer)
			d.answer(run.Timer, run.OK)
		}, resume: "c", why: "it reached the provider's limit, with its context 10% full"},
		"limit, another agent": {rules: config.Rules{Fallback: "other"}, end: ended(run.HitLimit, left("c", 10)), why: "another agent continues"},
		"crashed":              {end: ended(run.Crashed, left("c", 10)), why: "the agent crashed"},
		"handed over": {end: func(d *drive) {
			d.session(run.Signalled, run.WantHandover, because("pressure: the context holds 71"))
			d.answer(run.Checkpoint, run.OK)
			d.answer(run.StartSession, run.Closed, left("c", 10))
		}, why: "pressure: the context holds 71"},
		"stopped": {end: func(d *drive) {
			d.person(run.StopAsked, "")
			d.answer(run.Checkpoint, run.OK)
			d.answer(run.StartSession, run.Closed, left("c", 10))
			d.until("")
			d.person(run.Continued, "")
		}, resume: "c", why: "stopped by ann, with its context 10% full"},
		"asked": {end: func(d *drive) {
			d.answer(run.StartSession, run.Asked, left("c", 10), func(ev *run.Input) { ev.Text = "which one?" })
			d.until("")
			d.person(run.Answered, "a")
		}, why: "the previous session ended by itself"},
	} {
		t.Run(name, func(t *testing.T) {
			d := begin(t, x.rules, feature("a"))
			d.until(run.StartSession)
			if c := d.outstanding(run.StartSession); c.Resume != "" || !strings.Contains(c.Reason, "first session") {
				t.Fatalf("the first begins as %+v", c)
			}
			x.end(d)
			d.until(run.Brief)
			if c := d.outstanding(run.Brief); c.Resume != x.resume {
				t.Errorf("the brief is for %q", c.Resume)
			}
			d.until(run.StartSession)
			if c := d.outstanding(run.StartSession); c.Resume != x.resume || !strings.Contains(c.Reason, x.why) {
				t.Errorf("goes on with %q, because %q", c.Resume, c.Reason)
			}
			d.until("")
			d.want(run.StatusDone, done)
		})
	}
}

// ended ends the session.
func ended(o run.Outcome, change ...func(*run.Input)) func(*drive) {
	return func(d *drive) { d.answer(run.StartSession, o, change...) }
}

// TestRow46AliveElsewhere: who looks says that it cannot be gone on with, and why.
func TestRow46AliveElsewhere(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Killed, left("c", 10))
	d.until(run.Brief)
	d.answer(run.Brief, run.OK, func(ev *run.Input) { ev.Conversation, ev.Reason = "", "alive in another session" })
	if c := d.outstanding(run.StartSession); c.Resume != "" || c.Reason != "alive in another session" {
		t.Errorf("goes on with %q, because %q", c.Resume, c.Reason)
	}
}

// TestRow46LostConversation: what cannot be gone on with is tried once, and is no
// crash; what crashes after it did something is one.
func TestRow46LostConversation(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Killed, left("c", 10))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Crashed, because("no conversation found"), left("", 0))
	d.until(run.StartSession)
	c := d.outstanding(run.StartSession)
	if c.Resume != "" || !strings.Contains(c.Reason, "no conversation found") || d.s.Jobs[0].Crashes != 0 {
		t.Fatalf("goes on with %q, because %q, %d crashes", c.Resume, c.Reason, d.s.Jobs[0].Crashes)
	}
	d.answer(run.StartSession, run.Killed, left("c2", 10))
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Resume != "" {
		t.Errorf("tried again: %+v", c)
	}

	d = begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Killed, left("c", 10))
	d.until(run.StartSession)
	d.session(run.Used, run.OK, used(10, 0))
	d.answer(run.StartSession, run.Crashed)
	if d.s.Jobs[0].Crashes != 1 {
		t.Errorf("%d crashes", d.s.Jobs[0].Crashes)
	}
}

// TestRow46AnotherBaseIsFresh: a conversation knows the worktree that it saw.
func TestRow46AnotherBaseIsFresh(t *testing.T) {
	d := begin(t, config.Rules{Attempts: 2}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Finished, left("c", 10))
	d.until(run.Gate)
	d.answer(run.Gate, run.Red)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Resume != "" || c.Purpose != run.Repair {
		t.Errorf("the repair goes on with %+v", c)
	}
}
