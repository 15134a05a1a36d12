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
)

// CostRequest asks what sessions cost: those that Kedge knows, and those that left
// transcripts.
type CostRequest struct {
	Since time.Time `json:"since,omitzero"` // nothing that was used before it counts
	Until time.Time `json:"until,omitzero"` // nothing that was used from it on counts
	By    string    `json:"by"`             // one of CostBy
	Agent string    `json:"agent,omitempty"`
	All   bool      `json:"all,omitempty"` // of every project, and of every folder of this machine
	Env   []string  `json:"env,omitempty"` // says where the user's prices and the transcripts stand: transcript.Formats.Variables
}

// CostBy lists the ways to group costs.
var CostBy = []string{"session", "feature", "phase", "model", "agent", "route", "project", "day", "week", "month", "block"}

// CostReply is `cost --json`.
type CostReply struct {
	By     string       `json:"by"`
	Since  *time.Time   `json:"since"`
	Until  *time.Time   `json:"until,omitempty"`
	Rows   []CostRow    `json:"rows"` // days, weeks, months and blocks by time; all others: those that cost most first, unknown ones last
	Total  CostRow      `json:"total"`
	Unread []UnreadFile `json:"unread,omitempty"`

	Older     *OlderFiles `json:"older,omitempty"`     // where there are no rows: what was used before the time that was asked for
	Elsewhere int         `json:"elsewhere,omitempty"` // where there are none at all: transcripts of other folders
}

// CostRow is what the sessions of one group used and cost. Sessions with unknown figures
// are counted, and their figures left out.
type CostRow struct {
	Key           string            `json:"key"` // empty: the sessions have none
	Name          string            `json:"name,omitempty"`
	Agent         string            `json:"agent,omitempty"` // of a session or a block
	Sessions      int               `json:"sessions"`
	Tokens        *int64            `json:"tokens"`           // nil: no session of the row said
	Guessed       *int64            `json:"estimated_tokens"` // of sessions that told no usage, by what they printed; nil: none
	Kinds         *kedge.TokenKinds `json:"kinds"`
	USD           *float64          `json:"usd"`                       // nil: unknown
	Estimated     bool              `json:"estimated"`                 // a part of this is not told by the agent: usd computed from prices, or estimated_tokens
	UnknownTokens int               `json:"unknown_tokens"`            // sessions that told no usage
	UnknownUSD    int               `json:"unknown_usd"`               // sessions whose cost is unknown, or not all known
	Unpriced      []string          `json:"unpriced_models,omitempty"` // models that have no price
	StartedAt     *time.Time        `json:"started_at,omitempty"`      // the first that was used
	EndedAt       *time.Time        `json:"ended_at,omitempty"`        // the last that was used
	Block         *CostBlock        `json:"block,omitempty"`
}

// CostBlock is a window of five hours, as providers count their limits.
type CostBlock struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Active bool      `json:"active"` // it is not over, and something was used in it lately
}

// Cost groups what sessions used. A session that Kedge knows and its transcript are one
// thing. Money is computed from present prices, unless the agent itself reported it.
func (s *Reports) Cost(ctx context.Context, who projects.Caller, in CostRequest) (CostReply, error) {
	in.By = cmp.Or(in.By, CostBy[0])
	reply := CostReply{By: in.By, Rows: []CostRow{}}
	if !slices.Contains(CostBy, in.By) {
		return reply, kedge.Errorf(kedge.Invalid, "cannot group costs by %q", in.By).WithHint("choose one of these groupings: kedge cost --by %s", strings.Join(CostBy, "|"))
	}
	if !in.Since.IsZero() {
		reply.Since = &in.Since
	}
	if !in.Until.IsZero() {
		reply.Until = &in.Until
	}
	prices, err := Prices(in.Env)
	if err != nil {
		return reply, err
	}
	all, err := s.spent(ctx, who, in, prices)
	if err != nil {
		return reply, err
	}
	sum := &costs{by: in.By, now: s.home.Now(), phases: all.phases, rows: map[string]*costSum{}, total: newCostSum("", "")}
	if in.By == "block" {
		sum.blocks = blocksOf(all)
	}
	all.each(sum.take)
	reply.Unread = all.unread
	for _, r := range sum.rows {
		reply.Rows = append(reply.Rows, r.done())
	}
	reply.Total = sum.total.done()
	if len(reply.Rows) == 0 {
		reply.Older, reply.Elsewhere = s.missed(ctx, who, in, all.read)
	}
	slices.SortFunc(reply.Rows, dearest)
	if slices.Contains([]string{"day", "week", "month", "block"}, in.By) {
		slices.SortStableFunc(reply.Rows, func(a, b CostRow) int {
			return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Agent, b.Agent))
		})
	}
	return reply, nil
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
		return nil, kedge.Errorf(kedge.Internal, "cannot read the file with your prices: %w", err)
	}
	own, err := stats.ParsePrices(file, b)
	return append(own, carried...), err
}
