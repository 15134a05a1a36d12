package status

import (
	"context"
	"sync"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"
	"kedge/internal/insight/stats"
	"kedge/internal/journal"
)

// SessionWarning is what was noticed of a living session that you drive.
type SessionWarning struct {
	Session string `json:"session"` // its name
	kedge.Warning
}

// warningsOf are those of the sessions that live.
func warningsOf(sessions []kedge.Session) (out []SessionWarning) {
	for _, ses := range sessions {
		if !ses.Live() {
			continue
		}
		for _, w := range ses.Warnings {
			out = append(out, SessionWarning{Session: ses.Name, Warning: w})
		}
	}
	return out
}

// usageOf is what all sessions of agents used. What one of them does not tell is unknown of
// all.
func usageOf(sessions []kedge.Session) (u Usage) {
	if len(sessions) == 0 {
		return u
	}
	tokens, usd := int64(0), 0.0
	all, money := true, true
	for _, ses := range sessions {
		if ses.Tokens == nil && ses.USD == nil && catalog.Of(ses.Agent).Name == "" {
			continue // a shell, say, uses none
		}
		if all = all && ses.Tokens != nil; all {
			tokens += *ses.Tokens
		}
		if money = money && ses.USD != nil; money {
			usd += *ses.USD
		}
	}
	if all {
		u.Tokens = &tokens
	}
	if money {
		u.USD = &usd
	}
	return u
}

// countSessions counts them. One number has one definition: what was interrupted is
// what `stats` calls so, and takes the journal to tell.
func (s *Reporter) countSessions(ctx context.Context, p *projects.Project, sessions []kedge.Session) (SessionCounts, error) {
	c := SessionCounts{Total: len(sessions)}
	for _, ses := range sessions {
		if ses.Live() {
			c.Live++
		}
		if ses.State == kedge.SessionWaiting {
			c.Waiting++
		}
	}
	if c.Live == c.Total {
		return c, nil // none has ended
	}
	err := s.Past(ctx, p, func(j *stats.Journal) { c.Interrupted = j.Interrupted() })
	return c, err
}

// cut knows what became of the sessions of a project. It reads the journal once and
// after that only what the journal has got since.
type cut struct {
	mu      sync.Mutex
	seq     int64 // read so far
	journal *stats.Journal
}

// Past shows what became of a project's sessions and features so far. What is shown is
// valid until look returns.
func (s *Reporter) Past(ctx context.Context, p *projects.Project, look func(*stats.Journal)) error {
	return s.cuts.Of(p.ID).read(ctx, p.Store, look)
}

// read takes what is new in the journal, and shows all of it.
func (c *cut) read(ctx context.Context, st *journal.Store, look func(*stats.Journal)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ev, err := range st.Since(ctx, c.seq) {
		if err != nil {
			return err
		}
		if err := c.journal.Take(ev); err != nil {
			return err
		}
		c.seq = ev.Seq
	}
	look(c.journal)
	return nil
}
