package exec

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"kedge"
	"kedge/internal/agent"
	"kedge/internal/hold/tape"
	"kedge/internal/run"
	"kedge/internal/watch"
)

// trailLength is how many of the last things that a session did are kept.
const trailLength = 12

// trail reads what a session left behind from its own output: whoever asks, and
// however often, gets the same. A session without output left nothing.
func (x *Executor) trail(ctx context.Context, c run.Command, id kedge.SessionID) (Trail, error) {
	if id == "" || x.cfg.Agent == nil {
		return Trail{}, nil
	}
	route, err := x.route(ctx, c)
	if err != nil {
		return Trail{}, err
	}
	adapter, _, err := x.cfg.Agent(route)
	if err != nil {
		return Trail{}, nil //nolint:nilerr // an agent that is gone from the configuration: what it did is unknown
	}
	log := tape.Open(x.sessionDir(id))
	from, end, err := log.Range()
	if errors.Is(err, fs.ErrNotExist) {
		return Trail{}, nil
	}
	if err != nil {
		return Trail{}, kedge.Errorf(kedge.Internal, "read what session %s printed: %w", id, err)
	}
	var t Trail
	reader := adapter.Reader(agent.Task{Session: id, ReadOnly: c.Purpose == run.MakePlan})
	r := io.NewSectionReader(log, from, end-from)
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		evs, _ := reader.Feed(buf[:n], time.Time{})
		for _, ev := range evs {
			t.add(ev)
		}
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return t, kedge.Errorf(kedge.Internal, "read what session %s printed: %w", id, err)
		}
	}
}

// add takes an event over: into the sum, or among the last things done.
func (t *Trail) add(ev watch.Event) {
	if ev.Kind == watch.Usage {
		if s, ok := spent(ev.Used); ok {
			if t.Used == nil {
				t.Used = &run.Spend{}
			}
			t.Used.Tokens += s.Tokens
			t.Used.USD += s.USD
		}
		return
	}
	if ev.Kind == watch.Turn {
		return
	}
	t.Last = append(t.Last, ev)
	if len(t.Last) > trailLength {
		t.Last = t.Last[1:]
	}
}

// spent is what counts of a report: uncached input, cache writes and output.
func spent(u *watch.Used) (run.Spend, bool) {
	if u == nil {
		return run.Spend{}, false
	}
	var s run.Spend
	known := u.USD != nil
	for _, n := range []*int64{u.Input, u.CacheWrite, u.Output} {
		if n != nil {
			s.Tokens, known = s.Tokens+*n, true
		}
	}
	if u.USD != nil {
		s.USD = *u.USD
	}
	return s, known
}
