package audit

import (
	"math"
	"testing"
)

func TestGroupedByDay(t *testing.T) {
	a, b := reads("/w/a", "/w/a", "/w/a", "/w/b"), reads("/w/a")
	a.ID, b.ID = "a", "b"
	b.Replies[0].Model = "free"
	days := Grouped("day", []Figures{a, b}, pricedOnly("m"), byPath)
	if len(days) != 3 || days[0].Key != "2026-01-01" || days[0].Sessions != 2 || *days[0].Replies != 3 || days[2].Sessions != 1 {
		t.Fatalf("%+v", days)
	}
	if *days[0].Tokens != (GroupSpent{Input: 30, CacheRead: 90, Output: 30}) || days[0].Tokens.Sum() != 150 {
		t.Errorf("tokens %+v", *days[0].Tokens)
	}
	// Two of three replies of the first day have a price: the cost is partial, not unknown.
	if *days[0].USD != 10 || days[0].UnknownUSD != 1 || !days[0].Estimated || days[1].UnknownUSD != 0 || days[0].Share != 0.5 {
		t.Errorf("%+v", days[0])
	}
}

func pricedOnly(model string) Price {
	return func(m, at string, u Usage) *float64 {
		if m != model {
			return nil
		}
		return dime(m, at, u)
	}
}

func TestGroupedByModelAndAgent(t *testing.T) {
	a, b := reads("/w/a", "/w/a"), reads("/w/a")
	b.Agent, b.ID = "codex", "b"
	b.Replies[0].Model = "free"
	models := Grouped("model", []Figures{a, b}, pricedOnly("m"), byPath)
	if len(models) != 2 || models[0].Key != "m" || models[0].Share != 1 || models[1].USD != nil || models[1].UnknownUSD != 1 || models[1].Share != 0 {
		t.Errorf("%+v", models)
	}
	agents := Grouped("agent", []Figures{a, b}, noPrice, byPath) // no cost is known: shares are of tokens
	if len(agents) != 2 || agents[0].Key != "claude" || math.Abs(agents[0].Share-2.0/3) > 1e-9 || agents[1].Sessions != 1 {
		t.Errorf("%+v", agents)
	}
	if none := Grouped("day", nil, noPrice, byPath); none == nil || len(none) != 0 {
		t.Errorf("of nothing %+v", none)
	}
}

// TestRow111WhatToolsCost: what tools were offered, with what their schemas take, what they
// were asked and gave, and what it cost that later replies were given that again.
func TestRow111WhatToolsCost(t *testing.T) {
	f := reads("/w/a", "/w/b", "edit:/w/a")
	f.Offered = []Offer{{Name: "Read", SchemaChars: ptr(int64(400))}, {Name: "Mail"}}
	list := []Figures{f}
	Divide(list, dime)
	tools := Grouped("tool", list, dime, byPath)
	if len(tools) != 3 || tools[0].Key != "Read" || tools[1].Key != "Edit" || tools[2].Key != "Mail" {
		t.Fatalf("%+v", tools)
	}
	want := ToolCost{Offered: 1, SchemaChars: tools[0].Tool.SchemaChars, Calls: 2, InputChars: 6, ResultChars: 200, CarriedChars: 300}
	if *tools[0].Tool != want || *tools[0].Tool.SchemaChars != 400 || tools[2].Tool.SchemaChars != nil || tools[2].Tool.Calls != 0 {
		t.Errorf("%+v", *tools[0].Tool)
	}
	// 300 characters are 75 tokens of the 120 that replies were given for 12 USD.
	if usd := tools[0].USD; usd == nil || math.Abs(*usd-12*75.0/120) > 1e-9 {
		t.Errorf("usd %v", usd)
	}
	if math.Abs(tools[0].Share-206.0/311) > 1e-9 {
		t.Errorf("share %v", tools[0].Share)
	}
}

// What a cost is made of has the same sum, whatever a price depends on; it is unknown where
// an agent said the cost itself.
func TestDivide(t *testing.T) {
	long := func(_, _ string, u Usage) *float64 { // dearer for long requests
		usd := float64(u.Context()+10*u.Output) / 10
		if u.Context() > 35 {
			usd *= 2
		}
		return &usd
	}
	f := reads("/w/a", "/w/a")
	f.Reckon(long)
	list := []Figures{f}
	Divide(list, long)
	k := list[0].Kinds
	if k == nil || math.Abs(k.Input+k.CacheRead+k.CacheWrite+k.Output-*f.USD) > 1e-9 || k.CacheRead <= k.Input || k.CacheWrite != 0 {
		t.Errorf("%+v of %v", k, *f.USD)
	}
	if total := Total(list); total.Kinds == nil || math.Abs(total.Kinds.Output-k.Output) > 1e-9 || total.Sessions != 1 {
		t.Errorf("total %+v", total.Kinds)
	}
	if none := Total([]Figures{count(session...)}); none.Kinds != nil {
		t.Errorf("of no cost %+v", none.Kinds)
	}
	told := reads("/w/a")
	told.Replies[0].USD = ptr(1.0)
	told.Reckon(long)
	both := []Figures{f, told}
	Divide(both, long)
	if both[1].Kinds != nil || Total(both).Kinds != nil {
		t.Errorf("told %+v", both[1].Kinds)
	}
}

// TestGroupsOfASessionNotKnownInFull: a session that used more than is known makes the group
// partial in which it was last, and no other.
func TestGroupsOfASessionNotKnownInFull(t *testing.T) {
	a := reads("/w/a", "/w/a", "/w/b")
	a.LacksUsage()
	days := Grouped("day", []Figures{a, reads("/w/a")}, dime, byPath)
	if len(days) < 2 || days[0].UnknownUSD != 0 || days[len(days)-1].UnknownUSD != 1 {
		t.Errorf("%+v", days)
	}
}
