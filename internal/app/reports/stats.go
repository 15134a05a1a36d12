package reports

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/insight/stats"
	"kedge/internal/process/tape"
)

// StatsRequest asks for figures over sessions.
type StatsRequest struct {
	Since time.Time `json:"since,omitzero"` // what began, or was completed, before it is left out
	By    string    `json:"by"`             // one of stats.By
	All   bool      `json:"all,omitempty"`  // of every project
	Env   []string  `json:"env,omitempty"`  // says where the person's prices stand
}

// StatsReply is `stats --json`: the figures of all sessions together, and by group.
type StatsReply struct {
	Project string     `json:"project"` // its name; empty: every project
	By      string     `json:"by"`
	Since   *time.Time `json:"since"`
	stats.Figures
	Rows []stats.Row `json:"rows"`
}

// Stats counts interruptions, recovery and verified output from the journal.
func (s *Reports) Stats(ctx context.Context, who projects.Caller, in StatsRequest) (StatsReply, error) {
	reply := StatsReply{By: cmp.Or(in.By, stats.By[0]), Rows: []stats.Row{}}
	if !slices.Contains(stats.By, reply.By) {
		return reply, kedge.Errorf(kedge.Invalid, "cannot group stats by %q", in.By).WithHint("choose one of these groupings: kedge stats --by %s", strings.Join(stats.By, "|"))
	}
	if !in.Since.IsZero() {
		reply.Since = &in.Since
	}
	prices, err := Prices(in.Env)
	if err != nil {
		return reply, err
	}
	ps, err := s.home.AllOfSessions(ctx, who, in.All)
	if err != nil {
		return reply, err
	}
	var journals []*stats.Journal
	for _, p := range ps {
		j, err := s.readYield(ctx, p)
		if err != nil {
			return reply, err
		}
		journals = append(journals, j)
		if !in.All {
			reply.Project = p.Name
		}
	}
	r := stats.Count(stats.Query{Since: in.Since, By: reply.By, Now: s.home.Now(), Price: prices.USD, Agent: usesTokens}, journals...)
	reply.Figures, reply.Rows = r.Total, r.Rows
	return reply, nil
}

// readYield reads a project's journal, and how busy the sessions were that do not
// tell what they do.
func (s *Reports) readYield(ctx context.Context, p *projects.Project) (*stats.Journal, error) {
	j := stats.NewJournal()
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if err := j.Take(ev); err != nil {
			return nil, err
		}
	}
	for _, id := range j.Silent() {
		if p := printed(s.sessions.SessionDir(id)); p.Any() {
			j.Printed(id, p)
		}
	}
	return j, nil
}

// printed tells when a session printed; never when its tape is not kept any more.
func printed(dir string) (p stats.Prints) {
	err := tape.Open(dir).EachMark(func(m tape.Mark) error {
		if m.Kind == tape.Time {
			p.Add(m.At)
		}
		return nil
	})
	if err != nil {
		return stats.Prints{}
	}
	return p
}
