package audit

import (
	"math"
	"testing"
)

func count(entries ...Entry) Figures {
	c := NewCounter("claude", Names{})
	for i := range entries {
		c.Add(&entries[i])
	}
	return c.Figures(noPrice)
}

// session has a read that goes stale, one that does not, and what failed.
var session = []Entry{
	{Kind: UserText, Chars: 10, At: "2026-01-02T00:00:00.000Z"},
	{Kind: UserText, Chars: 5, Rules: true},
	{Kind: Reply, Reply: "r1", Model: "m", Usage: &Usage{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4}},
	{Kind: Reply, Reply: "r1", Model: "m", Usage: &Usage{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 9}},
	{Kind: ToolCall, Call: "1", Tool: "Read", Act: Read, Path: "a", Chars: 1},
	{Kind: ToolCall, Call: "2", Tool: "Read", Act: Read, Path: "b", Chars: 1},
	{Kind: ToolResult, Call: "1", Chars: 100},
	{Kind: ToolResult, Call: "2", Chars: 200},
	{Kind: ToolCall, Call: "3", Tool: "Edit", Act: Edit, Path: "a", Chars: 7},
	{Kind: ToolResult, Call: "3", Chars: 20, Failed: true},
	{Kind: ToolCall, Call: "4", Tool: "Edit", Act: Edit, Path: "a", Chars: 8},
	{Kind: ToolResult, Call: "4", Chars: 30, At: "2026-01-01T00:00:00.000Z"},
	{Kind: ToolResult, Call: "unknown", Chars: LongResult + 1},
	{Kind: Reply, Reply: "r2", Model: "m", Usage: &Usage{Input: 50, Output: 1}},
}

func TestRow22SourcesSumToTheTotal(t *testing.T) {
	f := count(session...)
	want := Sources{Rules: 5, FileReads: 200, StaleReads: 100, ToolOutput: 30 + LongResult + 1, FailedAttempts: 27, Dialogue: 10 + 1 + 1 + 8}
	if f.Sources != want {
		t.Errorf("sources %+v, want %+v", f.Sources, want)
	}
	if f.Sources.Sum() != f.Composition.Sum() {
		t.Errorf("sources have %d characters, composition %d", f.Sources.Sum(), f.Composition.Sum())
	}
	if f.LongChars != 1 || *f.CharsToEdit != 300 || *f.ActionsToEdit != 2 {
		t.Errorf("long %d, read before the first edit %d in %d actions", f.LongChars, *f.CharsToEdit, *f.ActionsToEdit)
	}
}

func TestFigures(t *testing.T) {
	f := count(session...)
	if f.Calls != 2 || *f.OutputTokens != 10 || *f.MaxContextTokens != 50 || *f.StartTokens != 6 {
		t.Errorf("calls %d, output %d, context %d, start %d", f.Calls, *f.OutputTokens, *f.MaxContextTokens, *f.StartTokens)
	}
	if *f.StartedAt != "2026-01-01T00:00:00.000Z" || *f.EndedAt != "2026-01-02T00:00:00.000Z" {
		t.Errorf("from %s to %s", *f.StartedAt, *f.EndedAt)
	}
}

// TestUnknownIsUnknown: no usage, no price: nothing is made up.
func TestUnknownIsUnknown(t *testing.T) {
	f := count(Entry{Kind: Reply, Reply: "r", Model: "m"})
	if f.MaxContextTokens != nil || f.OutputTokens != nil || f.USD != nil || f.Quality != nil {
		t.Errorf("%+v", f)
	}
	if sum := Total([]Figures{count(session...), f}); sum.USD != nil || sum.OutputTokens != nil || sum.UnknownUSD != 2 {
		t.Errorf("the sum knows %v and %v", sum.USD, sum.OutputTokens)
	}
}

// TestOneUnknownModelLeavesTheRest: what has a price is summed up, and what has none is
// counted, in a session with two models and in a sum of sessions.
func TestOneUnknownModelLeavesTheRest(t *testing.T) {
	price := func(model, _ string, u Usage) *float64 {
		if model != "m" {
			return nil
		}
		return ptr(float64(u.Output))
	}
	mixed := func(models ...string) Figures {
		c := NewCounter("claude", Names{})
		for i, m := range models {
			c.Add(&Entry{Kind: Reply, Reply: m + string(rune('a'+i)), Model: m, Usage: &Usage{Output: 10}})
		}
		return c.Figures(price)
	}
	two := mixed("m", "new", "m")
	if two.USD == nil || *two.USD != 20 || two.UnpricedCalls != 1 || two.UnknownUSD != 1 {
		t.Errorf("%v USD, %d calls and %d sessions without a price", *two.USD, two.UnpricedCalls, two.UnknownUSD)
	}
	sum := Total([]Figures{mixed("m"), two, mixed("new"), mixed()})
	if sum.USD == nil || *sum.USD != 30 || sum.UnknownUSD != 2 || sum.UnpricedCalls != 2 {
		t.Errorf("%v USD, %d calls and %d sessions without a price", sum.USD, sum.UnpricedCalls, sum.UnknownUSD)
	}
	for _, m := range sum.Models {
		if (m.USD == nil) != (m.Model == "new") || m.Model == "new" && m.UnpricedCalls != 2 {
			t.Errorf("%+v", m)
		}
	}
	if none := mixed("new"); none.USD != nil || none.UnknownUSD != 1 {
		t.Errorf("a session without any price costs %v", none.USD)
	}
}

func TestCost(t *testing.T) {
	c := NewCounter("pi", Names{})
	for i := range session {
		c.Add(&session[i])
	}
	perToken := func(model, at string, u Usage) *float64 {
		if model != "m" || at != "2026-01-01T00:00:00.000Z" {
			t.Errorf("the price of %q at %q was asked for", model, at)
		}
		return ptr(float64(u.Context()+u.Output) / 10)
	}
	if f := c.Figures(perToken); f.USD == nil || math.Abs(*f.USD-6.6) > 1e-9 {
		t.Errorf("usd %v", f.USD)
	}
	// What the program itself says wins, and a later word on a reply replaces.
	c = NewCounter("pi", Names{})
	for _, usd := range []float64{1, 0.25} {
		c.Add(&Entry{Kind: Reply, Reply: "r", Model: "m", Usage: &Usage{Input: 1}, USD: &usd})
	}
	if f := c.Figures(perToken); f.USD == nil || *f.USD != 0.25 {
		t.Errorf("usd %v", f.USD)
	}
}

func TestTotal(t *testing.T) {
	a, b := count(session...), count(session...)
	a.Agent, b.Agent, a.SkippedLines = "claude", "pi", 3
	sum := Total([]Figures{a, b})
	if sum.Agent != "" || sum.Model != "m" || sum.Calls != 4 || *sum.MaxContextTokens != 50 || sum.SkippedLines != 3 {
		t.Errorf("%+v", sum)
	}
	if sum.Sources.Sum() != 2*a.Sources.Sum() || sum.Composition.Sum() != sum.Sources.Sum() {
		t.Errorf("sources %+v", sum.Sources)
	}
	if len(sum.Tools) != 2 || sum.Tools[0].Name != "Read" || sum.Tools[0].Calls != 4 || sum.Tools[0].ResultChars != 600 || len(sum.Models) != 1 || sum.Models[0].Calls != 4 {
		t.Errorf("tools %+v, models %+v", sum.Tools, sum.Models)
	}
	if none := Total(nil); none.Tools == nil || none.Models == nil || none.Unseen == nil {
		t.Error("lists of nothing are null")
	}
}

// TestRow106Quality: the published points lie on the curves, and the budget is
// where they fall below what is enough.
func TestRow106Quality(t *testing.T) {
	at := func(n int64) *Quality { return QualityAt(&n) }
	if q := at(0); q.Low != 1 || q.High != 1 {
		t.Errorf("at nothing %+v", q)
	}
	if q := at(32_000); math.Abs(q.Low-69.7/99.3) > 0.02 {
		t.Errorf("at 32,000 tokens %v, published is %v", q.Low, 69.7/99.3)
	}
	q := at(112_673)
	if math.Abs(q.High-62.4/87.3) > 0.01 {
		t.Errorf("at 112,673 tokens %v, published is %v", q.High, 62.4/87.3)
	}
	if q.BudgetLow != 18_000 || q.BudgetHigh != 70_000 || at(q.BudgetLow).Low < Enough || at(q.BudgetHigh).High < Enough {
		t.Errorf("budgets %+v", q)
	}
}

func TestAdvise(t *testing.T) {
	list := Advise(count(session...))
	if len(list) != 3 || list[0].Name != "stale_reads" || list[0].Chars != 100 || list[1].Name != "failed_attempts" {
		t.Errorf("%+v", list)
	}
	if got := Advise(Figures{}); got == nil || len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// noPrice knows no price.
func noPrice(string, string, Usage) *float64 { return nil }
