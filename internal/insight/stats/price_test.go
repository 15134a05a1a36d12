package stats_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/insight/stats"
)

const own = `version = 1
[[price]]
model = "big-*"
since = "2026-01-01"
input = 2.0
output = 10.0
[[price]]
model = "big-*"
since = "2026-06-01"
input = 1.0
cache_read = 0.5
cache_write = 4.0
output = 5.0
`

func TestRow74UnknownIsNotZero(t *testing.T) {
	table, err := stats.ParsePrices("prices.toml", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, model, day string
		use              kedge.TokenKinds
		want             float64 // below 0: unknown
	}{
		{"the price of the day", "big-1", "2026-03-01", kedge.TokenKinds{Input: 1e6, Output: 1e5}, 3},
		{"the later price", "big-1", "2026-06-01", kedge.TokenKinds{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6}, 10.5},
		{"a kind without a price", "big-1", "2026-03-01", kedge.TokenKinds{Input: 1, CacheRead: 1}, -1},
		{"before the first price", "big-1", "2025-12-31", kedge.TokenKinds{Input: 1}, -1},
		{"another model", "small-1", "2026-03-01", kedge.TokenKinds{Input: 1}, -1},
		{"no model", "", "2026-03-01", kedge.TokenKinds{Input: 1}, -1},
		{"nothing used", "big-1", "2026-03-01", kedge.TokenKinds{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.DateOnly, c.day)
			if err != nil {
				t.Fatal(err)
			}
			got := table.USD(c.model, at, c.use)
			if c.want < 0 && got != nil || c.want >= 0 && (got == nil || math.Abs(*got-c.want) > 1e-9) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestCarriedPricesHaveASource: nobody need believe a price.
func TestCarriedPricesHaveASource(t *testing.T) {
	table, err := stats.EmbeddedPrices()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range table {
		if !strings.Contains(p.Source, "https://") {
			t.Errorf("the price of %q has no source", p.Model)
		}
		if p.Input == nil || p.Output == nil || *p.Output < *p.Input {
			t.Errorf("the price of %q since %s is not one", p.Model, p.Since)
		}
		for _, l := range p.Long {
			if l.Input == nil || l.Output == nil || *l.Input < *p.Input || *l.Output < *p.Output {
				t.Errorf("a long request to %q is cheaper than a short one", p.Model)
			}
		}
	}
}

// TestPricesOfCachesAndLongRequests: what a cache keeps for an hour has a price of its own,
// and so has a request beyond a length, whatever part of it is cached.
func TestPricesOfCachesAndLongRequests(t *testing.T) {
	table, err := stats.ParsePrices("prices.toml", []byte(`version = 1
[[price]]
model = "m"
since = "2026-01-01"
input = 1.0
cache_read = 0.1
cache_write = 1.25
cache_write_hour = 2.0
output = 5.0
[[price.long]]
above = 200000
input = 10.0
cache_read = 1.0
cache_write = 12.5
output = 50.0
`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		use  kedge.TokenKinds
		sum  float64 // of a session; below 0: unknown
		one  float64 // of one request
	}{
		{"five minutes", kedge.TokenKinds{CacheWrite: 1e5}, 0.125, 0.125},
		{"an hour", kedge.TokenKinds{CacheWrite: 1e5, CacheWriteHour: 1e5}, 0.2, 0.2},
		{"both", kedge.TokenKinds{CacheWrite: 1e5, CacheWriteHour: 4e4, Output: 1e5}, 0.075 + 0.08 + 0.5, 0.075 + 0.08 + 0.5},
		{"up to the length", kedge.TokenKinds{Input: 1e5, CacheRead: 1e5}, 0.1 + 0.01, 0.1 + 0.01},
		{"beyond it", kedge.TokenKinds{Input: 1e5, CacheRead: 1e5 + 10, Output: 1e5}, 0.1 + 0.010001 + 0.5, 1 + 0.10001 + 5},
		{"beyond it, without a price", kedge.TokenKinds{CacheWrite: 3e5, CacheWriteHour: 3e5}, 0.6, -1},
	} {
		for i, got := range []*float64{table.USD("m", at, c.use), table.Request("m", at, c.use)} {
			want := []float64{c.sum, c.one}[i]
			if want < 0 && got != nil || want >= 0 && (got == nil || math.Abs(*got-want) > 1e-9) {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
		}
	}
}

func TestPricesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no version":   "",
		"unknown key":  "version = 1\n[[price]]\nmodel = 'x'\nsince = '2026-01-01'\nin = 1.0\n",
		"no model":     "version = 1\n[[price]]\nsince = '2026-01-01'\n",
		"no day":       "version = 1\n[[price]]\nmodel = 'x'\n",
		"no length":    "version = 1\n[[price]]\nmodel = 'x'\nsince = '2026-01-01'\n[[price.long]]\ninput = 1.0\n",
		"long below 0": "version = 1\n[[price]]\nmodel = 'x'\nsince = '2026-01-01'\n[[price.long]]\nabove = 1\ninput = -1.0\n",
		"below 0":      "version = 1\n[[price]]\nmodel = 'x'\nsince = '2026-01-01'\ninput = -1.0\n",
		"not a number": "version = 1\n[[price]]\nmodel = 'x'\nsince = '2026-01-01'\ninput = nan\n",
		"not TOML":     "version = \n",
	} {
		if table, err := stats.ParsePrices("prices.toml", []byte(text)); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(own))
	f.Add([]byte("version = 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := stats.ParsePrices("prices.toml", b)
		if err != nil {
			return
		}
		for _, p := range table {
			if got := table.USD(p.Model, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), kedge.TokenKinds{Input: 1, Output: 1}); got != nil && (*got < 0 || math.IsNaN(*got)) {
				t.Errorf("%q costs %v", p.Model, *got)
			}
		}
	})
}

// TestRow74CarriedPrices: the models that people use have the price of their day,
// by any of their names, and none before it.
func TestRow74CarriedPrices(t *testing.T) {
	table, err := stats.EmbeddedPrices()
	if err != nil {
		t.Fatal(err)
	}
	million := kedge.TokenKinds{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6}
	read := kedge.TokenKinds{Input: 1e6, CacheRead: 1e6, Output: 1e6}
	for _, c := range []struct {
		model, day string
		use        kedge.TokenKinds
		want       float64 // below 0: unknown
	}{
		{"claude-opus-4-5-20251101", "2026-01-15", million, 5 + 0.5 + 6.25 + 25},
		{"claude-opus-4-5-20251101", "2025-11-01", million, -1},
		{"claude-opus-5", "2026-11-15", million, 5 + 0.5 + 6.25 + 25},
		{"claude-opus-5-5", "2026-11-15", million, 4 + 0.2 + 5 + 20},
		{"claude-sonnet-5", "2026-11-15", million, 2 + 0.2 + 2.5 + 10},
		{"claude-haiku-4-5-20251001", "2026-11-15", million, 1 + 0.1 + 1.25 + 5},
		{"claude-haiku-5-5", "2026-11-15", million, 0.1 + 0.01 + 0.125 + 0.5},
		{"gpt-6-sol-2026-09-22", "2026-11-15", million, 2 + 0.2 + 2.5 + 10},
		{"gpt-5-codex", "2026-11-15", kedge.TokenKinds{Input: 1e6, CacheRead: 1e6, Output: 1e6}, 1.25 + 0.125 + 10},
		{"gpt-5-codex", "2026-11-15", million, -1}, // a cache write, of which no document gives the price
		{"claude-opus-4-6[1m]", "2026-11-15", million, 5 + 0.5 + 6.25 + 25},
		{"claude-opus-4-6 (fast)", "2026-11-15", million, 30 + 3 + 37.5 + 150},
		{"claude-opus-4-20250514", "2025-06-01", million, 15 + 1.5 + 18.75 + 75},
		{"claude-3-7-sonnet-20250219", "2025-06-01", million, 3 + 0.3 + 3.75 + 15},
		{"claude-3-5-haiku-20241022", "2025-06-01", million, 0.8 + 0.08 + 1 + 4},
		{"anthropic/claude-sonnet-4.5", "2025-12-01", million, 3 + 0.3 + 3.75 + 15},
		{"us.anthropic.claude-sonnet-4-5-20250929-v1:0", "2025-12-01", million, 3 + 0.3 + 3.75 + 15},
		{"claude-sonnet-4-5@20250929", "2025-12-01", million, 3 + 0.3 + 3.75 + 15},
		{"claude-sonnet-5-5", "2026-10-06", million, 2 + 0.2 + 2.5 + 10},
		{"claude-sonnet-5-5", "2026-10-07", million, 2 + 0.1 + 2.5 + 10},
		{"openai/gpt-5.2-codex", "2026-11-15", read, 1.75 + 0.175 + 14},
		{"gpt-5.5", "2026-11-15", read, 5 + 0.5 + 30},
		{"gemini-2.5-pro", "2026-11-15", read, 1.25 + 0.125 + 10},
		{"gemini-3.1-pro-preview", "2026-11-15", read, 2 + 0.2 + 12},
		{"qwen3-coder-plus", "2026-11-15", kedge.TokenKinds{Input: 1e6, Output: 1e6}, 1 + 5},
		{"kimi-k2.6", "2026-11-15", read, 0.95 + 0.16 + 4},
		{"somebodys-model", "2026-11-15", million, -1},
	} {
		at, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		got := table.USD(c.model, at, c.use)
		if c.want < 0 && got != nil || c.want >= 0 && (got == nil || math.Abs(*got-c.want) > 1e-9) {
			t.Errorf("%s on %s: %v, want %v", c.model, c.day, got, c.want)
		}
	}
}
