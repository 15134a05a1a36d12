package runs

import (
	"context"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
	"kedge/internal/insight/stats"
)

// ForecastRequest asks what a run would take. Env says where your settings and prices
// are.
type ForecastRequest struct {
	Flags supply.Flags `json:"flags,omitzero"`
	Env   []string     `json:"env,omitempty"`
}

// ForecastReply is `forecast --json`: of the run that works, how far it is off; else of
// the run that you would start now.
type ForecastReply struct {
	Run kedge.RunID `json:"run"` // empty: none works
	stats.Course
}

// Forecast says what the open features may take, from past sessions of this project.
func (s *Runs) Forecast(ctx context.Context, who projects.Caller, in ForecastRequest) (ForecastReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return ForecastReply{}, err
	}
	prices, err := reports.Prices(in.Env)
	if err != nil {
		return ForecastReply{}, err
	}
	st, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return ForecastReply{}, err
	}
	if found && !st.Ended() && !st.Planning() {
		c, err := s.courseBy(ctx, p, &st, prices)
		return ForecastReply{Run: st.Run, Course: c}, err
	}
	cfg, err := projects.Source{Project: p}.Config(ctx, projects.UserFile(in.Env))
	if err != nil {
		return ForecastReply{}, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return ForecastReply{}, err
	}
	open := 0
	for _, f := range l.Features() {
		if isOpen(f.Status) {
			open++
		}
	}
	rules := supply.RulesOf(cfg, in.Flags)
	var reply ForecastReply
	err = s.status.Past(ctx, p, func(j *stats.Journal) {
		past := j.DoneBefore(s.home.Now(), prices.USD)
		reply.Forecast = stats.Foresee(past, open, rules.Parallel, agentOf(rules.Agent))
	})
	return reply, err
}

// isOpen tells whether a run would work on a feature of this status.
func isOpen(s kedge.Status) bool {
	return s == kedge.Pending || s == kedge.InProgress || s == kedge.Regressed
}

// agentOf is the agent of a route, without its model.
func agentOf(route string) string {
	agent, _, _ := strings.Cut(route, ":")
	return agent
}

// course compares a run with what was to be expected when it began; nil while it plans:
// nothing is known of plans.
func (s *Runs) course(ctx context.Context, p *projects.Project, st *run.State) (*stats.Course, error) {
	if st.Planning() || len(st.Features) == 0 {
		return nil, nil
	}
	prices, err := s.prices.of(st.Run, s.callerEnv(st.Run))
	if err != nil {
		return nil, err
	}
	c, err := s.courseBy(ctx, p, st, prices)
	return &c, err
}

func (s *Runs) courseBy(ctx context.Context, p *projects.Project, st *run.State, prices stats.PriceTable) (c stats.Course, err error) {
	err = s.status.Past(ctx, p, func(j *stats.Journal) {
		open, worked := 0, j.WorkedOn(st.Run)
		for _, f := range st.Features {
			if isOpen(f.Status) || worked[f.ID] {
				open++
			}
		}
		past := j.DoneBefore(startOf(st.Run), prices.USD)
		c = stats.Along(past, j.DoneBy(st.Run, prices.USD), open, st.Rules.Parallel, agentOf(st.Rules.Agent))
	})
	return c, err
}

// prices are those that hold for runs: a run is looked at after every step, and its
// prices are read once.
type prices struct {
	mu    sync.Mutex
	known map[kedge.RunID]stats.PriceTable
}

// of gives the prices of a run. As long as its environment is unknown they are
// Kedge's own, and not kept.
func (p *prices) of(id kedge.RunID, env []string) (stats.PriceTable, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.known[id]; ok {
		return t, nil
	}
	t, err := reports.Prices(env)
	if err == nil && len(env) > 0 {
		p.known = map[kedge.RunID]stats.PriceTable{id: t}
	}
	return t, err
}
