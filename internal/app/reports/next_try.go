package reports

import (
	"time"

	"kedge/internal/core/run"
)

// NextTry is when the run asks a provider again whose limit it waits for, the first of
// them; told is whether the provider said so. False: it waits for none.
func NextTry(s *run.State) (at time.Time, told, waits bool) {
	for _, c := range s.Outbox {
		if t := c.At.Add(c.Wait); c.WaitsForProvider() && (!waits || t.Before(at)) {
			at, told, waits = t, !c.Until.IsZero(), true
		}
	}
	return at, told, waits
}
