package reports

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/projects"

	"kedge/internal/insight/stats"
	"kedge/internal/journal"
)

// CostRequest asks what sessions cost.
type CostRequest struct {
	Since time.Time `json:"since,omitzero"` // of sessions that began before it nothing is counted
	By    string    `json:"by"`             // one of CostBy
	All   bool      `json:"all,omitempty"`  // of every project
	Env   []string  `json:"env,omitempty"`  // says where the person's prices stand
}

// CostBy lists the ways to group costs.
var CostBy = []string{"session", "feature", "phase", "model", "agent", "route", "day"}

// CostReply is `cost --json`.
type CostReply struct {
	By    string     `json:"by"`
	Since *time.Time `json:"since"`
	Rows  []CostRow  `json:"rows"` // those that cost most first; unknown ones last
	Total CostRow    `json:"total"`
}

// CostRow is what the sessions of one group used and cost. Sessions with unknown figures
// are counted, and their figures left out.
type CostRow struct {
	Key           string            `json:"key"` // empty: the sessions have none
	Name          string            `json:"name,omitempty"`
	Sessions      int               `json:"sessions"`
	Tokens        *int64            `json:"tokens"`           // nil: no session of the row said
	Guessed       *int64            `json:"estimated_tokens"` // of sessions that told no usage, by what they printed; nil: none
	Kinds         *kedge.TokenKinds `json:"kinds"`
	USD           *float64          `json:"usd"`            // nil: unknown
	Estimated     bool              `json:"estimated"`      // a part of this is not told by the agent: usd computed from prices, or estimated_tokens
	UnknownTokens int               `json:"unknown_tokens"` // sessions that told no usage
	UnknownUSD    int               `json:"unknown_usd"`    // sessions whose cost is unknown
}

// Cost groups what sessions used. Money is what the agent itself reported, else computed
// from present prices.
func (s *Reports) Cost(ctx context.Context, who projects.Caller, in CostRequest) (CostReply, error) {
	in.By = cmp.Or(in.By, CostBy[0])
	reply := CostReply{By: in.By, Rows: []CostRow{}}
	if !slices.Contains(CostBy, in.By) {
		return reply, kedge.Errorf(kedge.Invalid, "cannot group costs by %q", in.By).WithHint("kedge cost --by %s", strings.Join(CostBy, "|"))
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
	rows := map[string]*CostRow{}
	for _, p := range ps {
		if err := countCosts(ctx, p, in, prices, rows, &reply.Total); err != nil {
			return reply, err
		}
	}
	for _, r := range rows {
		reply.Rows = append(reply.Rows, *r)
	}
	slices.SortFunc(reply.Rows, dearest)
	return reply, nil
}

// countCosts adds the sessions of one project.
func countCosts(ctx context.Context, p *projects.Project, in CostRequest, prices stats.PriceTable, rows map[string]*CostRow, total *CostRow) error {
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return err
	}
	phases := map[kedge.FeatureID]string{}
	if in.By == "phase" {
		features, err := projects.All[journal.FeatureDoc](ctx, p, journal.KindFeature)
		if err != nil {
			return err
		}
		for _, f := range features {
			phases[f.ID] = f.Phase
		}
	}
	for _, ses := range sessions {
		if ses.StartedAt.Before(in.Since) {
			continue
		}
		key, name := costKey(in.By, ses, phases)
		if rows[key] == nil {
			rows[key] = &CostRow{Key: key, Name: name}
		}
		rows[key].add(ses, prices)
		total.add(ses, prices)
	}
	return nil
}

func costKey(by string, ses kedge.Session, phases map[kedge.FeatureID]string) (key, name string) {
	switch by {
	case "feature":
		return string(ses.Feature), ""
	case "phase":
		return phases[ses.Feature], ""
	case "model":
		return ses.Model, ""
	case "agent":
		return ses.Agent, ""
	case "route":
		if ses.Route == nil {
			return "", ""
		}
		return ses.Route.Row, ses.Route.Name()
	case "day":
		return ses.StartedAt.UTC().Format(time.DateOnly), ""
	default:
		return string(ses.ID), ses.Name
	}
}

func (r *CostRow) add(ses kedge.Session, prices stats.PriceTable) {
	r.Sessions++
	if ses.Tokens == nil {
		r.UnknownTokens++
		r.guess(ses.Bytes)
	} else {
		sum := *ses.Tokens
		if r.Tokens != nil {
			sum += *r.Tokens
		}
		r.Tokens = &sum
	}
	if k := ses.Kinds; k != nil {
		sum := *k
		if o := r.Kinds; o != nil {
			sum = kedge.TokenKinds{Input: k.Input + o.Input, CacheRead: k.CacheRead + o.CacheRead, CacheWrite: k.CacheWrite + o.CacheWrite, Output: k.Output + o.Output}
		}
		r.Kinds = &sum
	}
	usd := ses.USD
	if usd == nil && ses.Kinds != nil {
		usd = prices.USD(ses.Model, ses.StartedAt, *ses.Kinds)
		r.Estimated = r.Estimated || usd != nil
	}
	if usd == nil {
		r.UnknownUSD++
		return
	}
	sum := *usd
	if r.USD != nil {
		sum += *r.USD
	}
	r.USD = &sum
}

// guess adds what a session that told nothing has printed.
func (r *CostRow) guess(printed int64) {
	sum := stats.Guess(printed)
	if sum == 0 {
		return
	}
	if r.Guessed != nil {
		sum += *r.Guessed
	}
	r.Guessed, r.Estimated = &sum, true
}

// dearest orders rows: by cost, then by tokens, what is unknown last, then by key.
func dearest(a, b CostRow) int {
	figure := func(r CostRow) (usd float64, tokens int64) {
		usd, tokens = -1, -1
		if r.USD != nil {
			usd = *r.USD
		}
		if r.Tokens != nil {
			tokens = *r.Tokens
		}
		return usd, tokens
	}
	au, at := figure(a)
	bu, bt := figure(b)
	return cmp.Or(cmp.Compare(bu, au), cmp.Compare(bt, at), strings.Compare(a.Key, b.Key))
}

// Prices gives the prices of the caller's own file, then those that the
// program carries.
func Prices(env []string) (stats.PriceTable, error) {
	carried, err := stats.EmbeddedPrices()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(projects.UserFile(env)), "prices.toml")
	if !filepath.IsAbs(file) {
		return carried, nil // the caller has no home
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return carried, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the prices: %w", err)
	}
	own, err := stats.ParsePrices(file, b)
	return append(own, carried...), err
}
