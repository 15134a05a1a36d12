package reports

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kedge"
	"kedge/internal/insight/audit"
)

func TestRow74CostOfSessions(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "kedge"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "version = 1\n[[price]]\nmodel = 'big'\nsince = '2026-01-01'\ninput = 2.0\noutput = 10.0\n"
	if err := os.WriteFile(filepath.Join(dir, "kedge", "prices.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	prices, err := Prices([]string{"XDG_CONFIG_HOME=" + dir})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	tokens, usd := int64(1_100_000), 7.0
	sum := func(by string, list ...kedge.Session) *costs {
		c := &costs{by: by, phases: map[kedge.FeatureID]string{"f": "p2"}, rows: map[string]*costSum{}, total: newCostSum("", "")}
		m := matching{homes: map[*kedge.Session]string{}, roots: map[string]string{}}
		for i := range list {
			list[i].ID = kedge.SessionID("ses-" + string(rune('1'+i)))
			m.known = append(m.known, &list[i])
		}
		m.ofRecords(prices, func(p spentPart) { c.take(&p) })
		return c
	}
	priced := kedge.Session{Agent: "claude", StartedAt: at, Model: "big", Tokens: &tokens, Kinds: &kedge.TokenKinds{Input: 1e6, Output: 1e5}}
	told := kedge.Session{Agent: "claude", StartedAt: at, Model: "big", Tokens: &tokens, USD: &usd}
	silent := kedge.Session{Agent: "codex", StartedAt: at, Bytes: 400}
	if row := sum("model", priced).total.done(); row.USD == nil || math.Abs(*row.USD-3) > 1e-9 || !row.Estimated || *row.Tokens != tokens {
		t.Errorf("from prices: %+v", row)
	}
	if row := sum("model", priced, told).total.done(); math.Abs(*row.USD-10) > 1e-9 || *row.Tokens != 2*tokens || row.UnknownUSD != 0 {
		t.Errorf("and told: %+v", row)
	}
	if row := sum("model", priced, told, silent).total.done(); row.Sessions != 3 || row.UnknownTokens != 1 || row.UnknownUSD != 1 || math.Abs(*row.USD-10) > 1e-9 || *row.Guessed != 100 {
		t.Errorf("and unknown: %+v", row)
	}
	other := kedge.Session{Agent: "claude", StartedAt: at, Model: "other", Tokens: &tokens, Kinds: &kedge.TokenKinds{Input: 1}}
	if row := sum("model", other).total.done(); row.USD != nil || row.Estimated || row.UnknownUSD != 1 || !slices.Equal(row.Unpriced, []string{"other"}) {
		t.Errorf("a model without a price: %+v", row)
	}
	if row := sum("model", kedge.Session{Agent: "bash", StartedAt: at, Bytes: 4000}).total.done(); row.Sessions != 0 || row.Guessed != nil {
		t.Errorf("a shell: %+v", row)
	}
	ses := kedge.Session{Name: "n", Agent: "bot", Model: "big", Feature: "f", Run: "run-1", StartedAt: at, Route: &kedge.Routed{Row: "route.repair", Agent: "bot"}}
	for by, want := range map[string]string{
		"session": "ses-1", "feature": "f", "phase": "p2", "model": "big", "agent": "bot", "route": "route.repair",
		"day": "2026-02-03", "week": "2026-02-02", "month": "2026-02",
	} {
		for key := range sum(by, ses).rows {
			if key != want {
				t.Errorf("by %s: %q", by, key)
			}
		}
	}
}

// TestBlocks: a window begins with the hour of its first use and is five hours long; what
// comes later begins another, each agent has its own.
func TestBlocks(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	known := []kedge.Session{
		{ID: "1", Agent: "claude", StartedAt: at("2026-02-03 10:59")},
		{ID: "2", Agent: "claude", StartedAt: at("2026-02-03 14:59")},
		{ID: "3", Agent: "claude", StartedAt: at("2026-02-03 15:00")}, // the end of it
		{ID: "4", Agent: "claude", StartedAt: at("2026-02-03 15:01")},
		{ID: "5", Agent: "codex", StartedAt: at("2026-02-03 15:30")},
		{ID: "6", Agent: "claude", StartedAt: at("2026-02-04 03:30")},
	}
	m := matching{homes: map[*kedge.Session]string{}, roots: map[string]string{}}
	for i := range known {
		m.known = append(m.known, &known[i])
	}
	all := spentAll{match: m}
	c := &costs{by: "block", now: at("2026-02-04 05:00"), blocks: blocksOf(all), rows: map[string]*costSum{}, total: newCostSum("", "")}
	all.each(c.take)
	var got []string
	for id, row := range c.rows {
		r := row.done()
		got = append(got, fmt.Sprintf("%s: %d to %s %v", id, r.Sessions, r.Block.To.Format("15:04"), r.Block.Active))
	}
	slices.Sort(got)
	want := []string{
		"2026-02-03T10:00:00Z claude: 3 to 15:00 false", "2026-02-03T15:00:00Z claude: 1 to 20:00 false",
		"2026-02-03T15:00:00Z codex: 1 to 20:00 false", "2026-02-04T03:00:00Z claude: 1 to 08:00 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestCostOfWhatIsNotWrittenDown: what a session said that it used counts where its
// transcripts have less, and a session of which nobody knows all says so.
func TestCostOfWhatIsNotWrittenDown(t *testing.T) {
	transcript := func(parent string, input, output int64, partial bool) audit.Figures {
		f := audit.Figures{ID: "conv", Agent: "qwen", OutputTokens: &output, PartialUsage: partial}
		if parent != "" {
			f.ID, f.Parent = "agent-a", parent
		}
		f.Replies = []audit.ReplyUse{{At: "2026-02-03T04:05:06.000Z", Known: true, Usage: audit.Usage{Input: input, Output: output}}}
		return f
	}
	session := func(input, output int64, partial bool) kedge.Session {
		tokens := input + output
		return kedge.Session{ID: "ses-1", Agent: "qwen", Run: "run-1", Conversation: "conv", Tokens: &tokens, Kinds: &kedge.TokenKinds{Input: input, Output: output}, PartialUsage: partial}
	}
	for _, c := range []struct {
		name     string
		sessions []kedge.Session
		list     []audit.Figures
		tokens   int64
		unknown  int
	}{
		{"both the same", []kedge.Session{session(100, 10, false)}, []audit.Figures{transcript("", 100, 10, false)}, 110, 0},
		{"the last reply is not written down", []kedge.Session{session(100, 10, false)}, []audit.Figures{transcript("", 60, 6, false)}, 110, 0},
		{"it was killed before it said all", []kedge.Session{session(60, 6, false)}, []audit.Figures{transcript("", 100, 10, false)}, 110, 0},
		{"with a sub-agent", []kedge.Session{session(100, 10, false)}, []audit.Figures{transcript("", 60, 6, false), transcript("conv", 40, 4, false)}, 110, 0},
		{"with a sub-agent that is missing", []kedge.Session{session(120, 12, false)}, []audit.Figures{transcript("", 60, 6, false), transcript("conv", 40, 4, false)}, 132, 0},
		{"a transcript has not all", nil, []audit.Figures{transcript("", 100, 10, true)}, 110, 1},
		{"neither has", []kedge.Session{session(100, 10, true)}, []audit.Figures{transcript("", 100, 10, true)}, 110, 1},
		{"nor is there a transcript", []kedge.Session{session(100, 10, true)}, nil, 110, 1},
	} {
		m := matching{homes: map[*kedge.Session]string{}, roots: map[string]string{}, price: func(string, string, audit.Usage) *float64 { return nil }}
		for i := range c.sessions {
			m.known = append(m.known, &c.sessions[i])
		}
		sum := &costs{by: "session", rows: map[string]*costSum{}, total: newCostSum("", "")}
		all := spentAll{match: m, read: c.list}
		all.each(sum.take)
		if row := sum.total.done(); row.Tokens == nil || *row.Tokens != c.tokens || row.UnknownTokens != c.unknown || row.Sessions != 1 {
			t.Errorf("%s: %+v", c.name, row)
		}
	}
}
