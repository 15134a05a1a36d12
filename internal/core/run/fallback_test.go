package run_test

import (
	"testing"

	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// TestRow76FallbacksInTheirOrder: one after the other, then the wait, then from the
// beginning.
func TestRow76FallbacksInTheirOrder(t *testing.T) {
	d := begin(t, config.Rules{Fallback: "second", Fallbacks: []string{"third"}}, feature("a"))
	for _, want := range []string{"", "second", "third"} {
		d.until(run.StartSession)
		if c := d.outstanding(run.StartSession); c.Route != want {
			t.Fatalf("goes on with %q, want %q", c.Route, want)
		}
		d.answer(run.StartSession, run.HitLimit)
	}
	d.until(run.Timer)
	d.answer(run.Timer, run.OK)
	d.until(run.StartSession)
	if c := d.outstanding(run.StartSession); c.Route != "" {
		t.Errorf("after the wait with %q", c.Route)
	}
	d.until("")
	d.want(run.StatusDone, done)
}

// TestT6UnapprovedHaltsTheRun: nobody is paid, nothing counts, and the feature goes
// on when a person has looked.
func TestT6UnapprovedHaltsTheRun(t *testing.T) {
	d := begin(t, config.Rules{}, feature("a"))
	d.until(run.StartSession)
	d.answer(run.StartSession, run.Unapproved, because("nobody approved .claude/settings.json"))
	d.until("")
	if d.s.Halt != run.Untrusted || d.s.Why != "nobody approved .claude/settings.json" || d.s.Features[0].Attempts != 0 || d.s.Features[0].Sessions != 0 {
		t.Fatalf("%s %q, %+v", d.s.Halt, d.s.Why, d.s.Features)
	}
	d.want(run.StatusStopped, pending)
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done)
}
