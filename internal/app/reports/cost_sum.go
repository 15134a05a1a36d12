package reports

import (
	"cmp"
	"slices"
	"time"

	"kedge"
	"kedge/internal/insight/stats"
)

// costs groups what was used.
type costs struct {
	by     string
	now    time.Time
	phases map[kedge.FeatureID]string
	blocks map[string][]CostBlock // of each agent, by time
	rows   map[string]*costSum
	total  *costSum
}

// costSum is a row that is being summed up. Sessions are counted once, however many parts
// of them it has.
type costSum struct {
	CostRow
	sessions, silent, unpaid map[string]bool
}

func newCostSum(key, name string) *costSum {
	return &costSum{CostRow: CostRow{Key: key, Name: name}, sessions: map[string]bool{}, silent: map[string]bool{}, unpaid: map[string]bool{}}
}

// take adds one part to its row.
func (c *costs) take(p *spentPart) {
	key, name := c.key(p)
	id, agent := key, ""
	var block *CostBlock
	switch c.by {
	case "session":
		agent = p.agent
	case "block":
		block = blockAt(c.blocks[p.agent], p.at)
		key, agent = block.From.Format(time.RFC3339), p.agent
		id = key + " " + agent
	}
	row := c.rows[id]
	if row == nil {
		row = newCostSum(key, name)
		row.Agent, row.Block = agent, block
		c.rows[id] = row
	}
	row.add(p)
	c.total.add(p)
	if block != nil {
		block.Active = block.Active || c.now.Before(block.To) && c.now.Sub(p.at) < blockLength
	}
}

func (c *costs) key(p *spentPart) (key, name string) {
	switch c.by {
	case "feature":
		return string(p.session().Feature), ""
	case "phase":
		return c.phases[p.session().Feature], ""
	case "model":
		return p.model, ""
	case "agent":
		return p.agent, ""
	case "route":
		if r := p.session().Route; r != nil {
			return r.Row, r.Name()
		}
		return "", ""
	case "project":
		return p.project, ""
	case "day":
		return p.at.UTC().Format(time.DateOnly), ""
	case "week": // by its Monday
		at := p.at.UTC()
		return at.AddDate(0, 0, -(int(at.Weekday())+6)%7).Format(time.DateOnly), ""
	case "month":
		return p.at.UTC().Format("2006-01"), ""
	default:
		return p.of, p.session().Name
	}
}

// blockLength is how long providers count together.
const blockLength = 5 * time.Hour

// blocksOf gives the windows of each agent, by time. One begins with the hour of what was
// used first after the window before it.
func blocksOf(all spentAll) map[string][]CostBlock {
	times := map[string][]time.Time{}
	all.each(func(p *spentPart) { times[p.agent] = append(times[p.agent], p.at) })
	out := map[string][]CostBlock{}
	for agent, list := range times {
		slices.SortFunc(list, time.Time.Compare)
		var blocks []CostBlock
		for _, at := range list {
			if n := len(blocks); n == 0 || at.After(blocks[n-1].To) {
				from := at.UTC().Truncate(time.Hour)
				blocks = append(blocks, CostBlock{From: from, To: from.Add(blockLength)})
			}
		}
		out[agent] = blocks
	}
	return out
}

// blockAt gives the window of a time, the last one that began.
func blockAt(list []CostBlock, at time.Time) *CostBlock {
	i, found := slices.BinarySearchFunc(list, at, func(b CostBlock, at time.Time) int { return b.From.Compare(at) })
	if !found || i > 0 && !at.After(list[i-1].To) { // the end of one may be the beginning of the next
		i--
	}
	return &list[max(i, 0)]
}

// add adds one part of what a session used.
func (r *costSum) add(p *spentPart) {
	r.sessions[p.of] = true
	at := p.at
	if r.StartedAt == nil || at.Before(*r.StartedAt) {
		r.StartedAt = &at
	}
	if r.EndedAt == nil || at.After(*r.EndedAt) {
		r.EndedAt = &at
	}
	if p.tokens == nil {
		r.silent[p.of] = true
		r.guess(p.printed)
	} else {
		r.Tokens = sumOf(r.Tokens, *p.tokens)
	}
	if p.kinds != nil {
		sum := *p.kinds
		if r.Kinds != nil {
			sum = sum.Plus(*r.Kinds)
		}
		r.Kinds = &sum
	}
	if p.usd == nil {
		r.unpaid[p.of] = true
		if name := cmp.Or(p.model, "an unnamed model"); p.tokens != nil && !slices.Contains(r.Unpriced, name) {
			r.Unpriced = append(r.Unpriced, name)
		}
		return
	}
	r.Estimated = r.Estimated || p.estimated
	r.USD = sumOf(r.USD, *p.usd)
}

func (r *costSum) done() CostRow {
	r.Sessions, r.UnknownTokens, r.UnknownUSD = len(r.sessions), len(r.silent), len(r.unpaid)
	slices.Sort(r.Unpriced)
	return r.CostRow
}

// guess adds what a session that told nothing has printed.
func (r *costSum) guess(printed int64) {
	if sum := stats.Guess(printed); sum > 0 {
		r.Guessed, r.Estimated = sumOf(r.Guessed, sum), true
	}
}

func sumOf[T int64 | float64](sum *T, n T) *T {
	if sum != nil {
		n += *sum
	}
	return &n
}
