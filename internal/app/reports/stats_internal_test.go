package reports

import (
	"testing"
	"time"

	"kedge"
	"kedge/internal/insight/stats"
	"kedge/internal/process/tape"
)

// TestRow61TimeOfPrinting: of a session that tells nothing the time counts in
// which it printed, and not that in which it waited.
func TestRow61TimeOfPrinting(t *testing.T) {
	dir := t.TempDir()
	if p := printed(dir); p.Any() {
		t.Errorf("without a tape: %v", p)
	}
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for _, d := range []time.Duration{0, time.Second, time.Minute, 3 * time.Hour, 3*time.Hour + 30*time.Second} {
		w.Append([]byte("x"), at.Add(d))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	j := stats.NewJournal()
	ev, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, kedge.Session{ID: "s", State: kedge.SessionRunning, StartedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Take(ev); err != nil {
		t.Fatal(err)
	}
	j.Printed("s", printed(dir))
	if r := stats.Count(stats.Query{By: "week", Now: at.Add(4 * time.Hour)}, j); r.Total.ProductiveMinutes != 1.5 {
		t.Errorf("%v minutes", r.Total.ProductiveMinutes)
	}
}
