package runs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"kedge"
	"kedge/internal/journal"
)

// pace knows when the features of a project were completed. It reads the ledger
// once and after that only what the journal has got since: a run is looked at
// after every step, and that must not cost more with every feature.
type pace struct {
	mu   sync.Mutex
	seq  int64                         // of the journal, read so far
	done map[kedge.FeatureID]time.Time // nil: nothing was read yet
}

// since gives the times after a moment at which features were completed that are
// completed still, in order.
func (c *pace) since(ctx context.Context, st *journal.Store, started time.Time) ([]time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.follow(ctx, st); err != nil {
		return nil, err
	}
	times := slices.SortedFunc(maps.Values(c.done), time.Time.Compare)
	return slices.DeleteFunc(times, func(at time.Time) bool { return !at.After(started) }), nil
}

// follow reads what is new. The end of the journal is asked for before the ledger
// is read: what comes between them is seen twice, and nothing is missed.
func (c *pace) follow(ctx context.Context, st *journal.Store) error {
	const far = 5000 // so far behind, the ledger is the shorter way
	last, err := st.Last(ctx)
	if err != nil {
		return err
	}
	if c.done == nil || last-c.seq > far {
		return c.begin(ctx, st, last)
	}
	for ev, err := range st.Since(ctx, c.seq) {
		if err != nil {
			return err
		}
		c.seq = ev.Seq
		c.take(ev)
	}
	return nil
}

func (c *pace) begin(ctx context.Context, st *journal.Store, last int64) error {
	docs, err := journal.All[journal.FeatureDoc](ctx, st, journal.KindFeature)
	if err != nil {
		return err
	}
	c.seq, c.done = last, map[kedge.FeatureID]time.Time{}
	for _, d := range docs {
		if d.Status == kedge.Completed && d.CompletedAt != nil {
			c.done[d.ID] = *d.CompletedAt
		}
	}
	return nil
}

// take follows a status as the fold of the journal does: what an event does not
// say stays as it was.
func (c *pace) take(ev kedge.Event) {
	var d kedge.FeatureStatusData
	if ev.Type != kedge.FeatureStatus || json.Unmarshal(ev.Data, &d) != nil {
		return
	}
	switch {
	case d.Status != "" && d.Status != kedge.Completed, d.CompletedAt != nil && d.CompletedAt.IsZero():
		delete(c.done, d.ID)
	case d.CompletedAt != nil:
		c.done[d.ID] = *d.CompletedAt
	}
}
