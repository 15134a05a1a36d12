package watch_test

import (
	"testing"
	"time"

	"kedge/internal/core/config"
	"kedge/internal/core/watch"
)

// TestRow81And82AdviceToYou: what ends or compacts a session of a run is advice where you
// drive the session; a checkpoint stays one, and what only runs ask about is nothing.
func TestRow81And82AdviceToYou(t *testing.T) {
	for _, c := range []struct {
		in   watch.Signal
		want watch.Advice
		ok   bool
	}{
		{watch.Signal{Kind: watch.Pressure, Advice: watch.HandOff}, watch.Fresh, true},
		{watch.Signal{Kind: watch.Age, Advice: watch.Shorten}, watch.Compacting, true},
		{watch.Signal{Kind: watch.Periodic, Advice: watch.Save}, watch.Save, true},
		{watch.Signal{Kind: watch.Provider}, watch.Record, true},
		{watch.Signal{Kind: watch.Waiting, Advice: watch.Person}, "", false},
		{watch.Signal{Kind: watch.Stall, Advice: watch.Break}, "", false},
	} {
		if got, ok := c.in.ToYou(); got.Advice != c.want || ok != c.ok {
			t.Errorf("%s %s became %q, %v", c.in.Kind, c.in.Advice, got.Advice, ok)
		}
	}
}

// TestRow58OtherCheckpointsCount: half an hour counts from the last checkpoint, whoever
// saved it, and a session that is watched from later on is as old as it is.
func TestRow58OtherCheckpointsCount(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := watch.New(watch.Configured(config.Config{}).Attended())
	w.Since(began)
	at := func(after time.Duration) (kinds []watch.SignalKind) {
		for _, s := range w.Feed(watch.Act{Kind: watch.Turn, At: began.Add(after)}) {
			kinds = append(kinds, s.Kind)
		}
		return kinds
	}
	w.Saved(began.Add(20 * time.Minute))
	if got := at(40 * time.Minute); len(got) != 0 {
		t.Errorf("20 minutes after a checkpoint: %v", got)
	}
	if got := at(50 * time.Minute); len(got) != 1 || got[0] != watch.Periodic {
		t.Errorf("30 minutes after a checkpoint: %v", got)
	}
	if got := at(4 * time.Hour); len(got) != 2 || got[0] != watch.Age {
		t.Errorf("after 4 hours: %v", got)
	}
}

// TestCirclesEndWithYourWords: what you ask for again is no circle.
func TestCirclesEndWithYourWords(t *testing.T) {
	e := newEye(func(*watch.Limits) {})
	for range 4 {
		e.call("make test", "ok", false)
		e.feed(watch.Act{Kind: watch.Told})
	}
	e.want(t, "", watch.Circling)
}

// TestRetryAt: a limit is waited for until it ends, for a while where nobody says when,
// and never for no time at all.
func TestRetryAt(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ until, now, want time.Duration }{
		{2 * time.Hour, time.Minute, 2*time.Hour + 30*time.Second},
		{-1, time.Minute, 15 * time.Minute},
		{-1, 20 * time.Minute, 20*time.Minute + 5*time.Second},
		{-1, time.Hour, time.Hour + 15*time.Minute},
		{time.Second, 3 * time.Second, 31 * time.Second},
		{time.Second, time.Minute, time.Minute + 5*time.Second},
		{time.Second, time.Hour, time.Hour + 15*time.Minute},
	} {
		until := time.Time{}
		if c.until >= 0 {
			until = at.Add(c.until)
		}
		if got := watch.RetryAt(at, until, at.Add(c.now)).Sub(at); got != c.want {
			t.Errorf("a limit of %s, noticed after %s, is tried after %s, want %s", c.until, c.now, got, c.want)
		}
	}
}

// TestRetryAtWithoutATime: a limit that nobody knows the time of is not tried at once.
func TestRetryAtWithoutATime(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, until := range []time.Time{{}, time.Time{}.Add(20 * time.Second)} {
		if got := watch.RetryAt(time.Time{}, until, now).Sub(now); got != 15*time.Minute {
			t.Errorf("until %s: tried after %s", until, got)
		}
	}
}
