package reports

import (
	"context"
	"slices"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// CurrentBlock is the window of five hours in which an agent's replies are counted now,
// over all folders of this machine; nil where nothing was used in one that is not over. Env
// is that of CostRequest. It needs no journal, and reads only files that were written to
// lately.
func CurrentBlock(ctx context.Context, env []string, agent string, now time.Time) (*CostRow, error) {
	prices, err := Prices(env)
	if err != nil {
		return nil, err
	}
	vars := named(env)
	where := transcript.Where{All: true, Agent: agent, Getenv: func(name string) string { return vars[name] }}
	files, err := catalog.Transcripts().Find(ctx, where)
	if err != nil {
		return nil, err
	}
	price := requestPrice(prices)
	read, room := map[transcript.File]audit.Figures{}, &transcript.Room{}
	for back := 2 * blockLength; ; back *= 2 {
		var list []audit.Figures
		older := false
		for _, f := range files {
			if f.Session == "" && !touchedSince(f.Path, now.Add(-back)) {
				older = true
				continue
			}
			if _, known := read[f]; !known {
				read[f], _ = catalog.Transcripts().SpentIn(ctx, f, price, room) // what cannot be read has no replies
			}
			list = append(list, read[f])
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all := spentAll{in: CostRequest{Agent: agent, Until: now.Add(time.Minute)}, read: slices.Clone(list), match: matching{roots: map[string]string{}, price: price}}
		if older && !begunAfterPause(all, now.Add(-back)) {
			continue // a window may have begun before
		}
		audit.Once(all.read, price)
		return all.activeBlock(now), nil
	}
}

// StatusBlock brings a window into the form of a status line.
func StatusBlock(row *CostRow) *hooks.Block {
	if row == nil {
		return nil
	}
	return &hooks.Block{USD: row.USD, To: row.Block.To.Local()}
}

// begunAfterPause tells whether nothing was used for the length of a window after a time:
// then the next that was used begins one, whatever was before.
func begunAfterPause(all spentAll, from time.Time) bool {
	paused := true
	all.each(func(p *spentPart) {
		paused = paused && (p.at.Before(from) || p.at.Sub(from) > blockLength)
	})
	return paused
}

// activeBlock sums up the window that is not over.
func (a *spentAll) activeBlock(now time.Time) *CostRow {
	sum := &costs{by: "block", now: now, blocks: blocksOf(*a), rows: map[string]*costSum{}, total: newCostSum("", "")}
	a.each(sum.take)
	for _, r := range sum.rows {
		if row := r.done(); row.Block.Active {
			return &row
		}
	}
	return nil
}
