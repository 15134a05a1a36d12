package stats_test

import (
	"math"
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
		if p.Source == "" {
			t.Errorf("the price of %q has no source", p.Model)
		}
	}
}

func TestPricesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no version":   "",
		"unknown key":  "version = 1\n[[price]]\nmodel = 'x'\nsince = '2026-01-01'\nin = 1.0\n",
		"no model":     "version = 1\n[[price]]\nsince = '2026-01-01'\n",
		"no day":       "version = 1\n[[price]]\nmodel = 'x'\n",
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
		{"claude-haiku-5-5", "2026-11-15", million, -1},
		{"gpt-6-sol-2026-09-22", "2026-11-15", million, 2 + 0.2 + 2.5 + 10},
		{"gpt-5-codex", "2026-11-15", kedge.TokenKinds{Input: 1e6, CacheRead: 1e6, Output: 1e6}, 1.25 + 0.125 + 10},
		{"gpt-5-codex", "2026-11-15", million, -1}, // a cache write, of which no document gives the price
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
