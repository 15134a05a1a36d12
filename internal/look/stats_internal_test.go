package look

import (
	"testing"
	"time"

	"kedge/internal/hold/tape"
)

// TestRow61BusyMinutes: of a session that tells nothing the minutes count in
// which it printed, and not those in which it waited.
func TestRow61BusyMinutes(t *testing.T) {
	dir := t.TempDir()
	if n, ok := busyMinutes(dir); ok {
		t.Errorf("without a tape: %v", n)
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
	if n, ok := busyMinutes(dir); !ok || n != 3 {
		t.Errorf("%v minutes, %v", n, ok)
	}
}
