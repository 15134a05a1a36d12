package stats_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"kedge"
	"kedge/internal/insight/stats"
)

func num(v float64) *float64 { return &v }

func TestRow119ForecastIsMedianAndQuartiles(t *testing.T) {
	past := []stats.Spent{
		{Tokens: num(400), USD: num(4), Hours: 0.4, Agent: "a"},
		{Tokens: num(100), USD: num(1), Hours: 0.1, Agent: "a"},
		{Tokens: num(300), USD: nil, Hours: 0.3, Agent: "a", Repair: true},
		{Tokens: num(200), USD: num(2), Hours: 0.2, Agent: "a"},
		{Tokens: num(500), USD: num(5), Hours: 0.5, Agent: "a"},
	}
	f := stats.Foresee(past, 10, 2, "a")
	if want := (stats.Basis{Features: 5, Repaired: 1, Agent: "a", Tokens: 5, USD: 4}); f.Basis != want {
		t.Errorf("basis %+v, want %+v", f.Basis, want)
	}
	for _, c := range []struct {
		what              string
		got               *stats.Range
		low, likely, high float64
	}{
		{"tokens", f.Tokens, 2000, 3000, 4000},
		{"usd", f.USD, 17.5, 30, 42.5},
		{"hours", f.Hours, 1, 1.5, 2}, // two at once
	} {
		if c.got == nil || !close9(*c.got.Low, c.low) || !close9(c.got.Likely, c.likely) || !close9(*c.got.High, c.high) {
			t.Errorf("%s: %+v, want %v %v %v", c.what, c.got, c.low, c.likely, c.high)
		}
	}
}

func close9(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestRow119WhatIsUnknownIsNotInvented(t *testing.T) {
	if f := stats.Foresee(nil, 4, 1, "a"); f.Tokens != nil || f.USD != nil || f.Hours != nil {
		t.Errorf("without a past: %+v", f)
	}
	f := stats.Foresee([]stats.Spent{{Hours: 1}}, 4, 1, "")
	if f.Tokens != nil || f.USD != nil || f.Hours == nil || f.Hours.Likely != 4 || f.Hours.Low != nil || f.Hours.High != nil {
		t.Errorf("of one silent feature: %+v", f)
	}
	if c := stats.Compare(f, []stats.Spent{{Tokens: num(7), Hours: 2}}); c.Off.Tokens != nil || c.Off.USD != nil || c.Off.Hours == nil || *c.Off.Hours != 1 {
		t.Errorf("off: %+v", c.Off)
	}
	if c := stats.Compare(f, nil); c.Off != (stats.Sums{}) || c.Spent != (stats.Sums{}) {
		t.Errorf("nothing done: %+v", c)
	}
}

func TestRow119AnotherAgentCountsOnlyWithoutEnoughOfTheSame(t *testing.T) {
	past := []stats.Spent{{Agent: "a", Tokens: num(1)}, {Agent: "b", Tokens: num(9)}, {Agent: "a", Tokens: num(1)}}
	if f := stats.Foresee(past, 1, 1, "a"); f.Basis.Agent != "" || f.Basis.Features != 3 {
		t.Errorf("two of the same: %+v", f.Basis)
	}
	past = append(past, stats.Spent{Agent: "a", Tokens: num(1)})
	if f := stats.Foresee(past, 1, 1, "a"); f.Basis.Agent != "a" || f.Basis.Features != 3 || f.Tokens.Likely != 1 {
		t.Errorf("three of the same: %+v", f)
	}
}

// doneFeatures is a journal of a feature with a repair, one with a session that told nothing, and
// one that was done by hand.
func doneFeatures(t *testing.T) *stats.Journal {
	t.Helper()
	start := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	at := func(m int) time.Time { return start.Add(time.Duration(m) * time.Minute) }
	j := stats.NewJournal()
	take := func(m int, typ kedge.EventType, data any) {
		b, err := json.Marshal(data)
		if err == nil {
			err = j.Take(kedge.Event{Type: typ, At: at(m), Data: b})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	session := func(id kedge.SessionID, f kedge.FeatureID, run kedge.RunID, from, to int, tokens int64) {
		take(from, kedge.SessionStarted, kedge.Session{ID: id, Feature: f, Run: run, Agent: "bot", StartedAt: at(from)})
		if tokens > 0 {
			take(to, kedge.SessionUsed, kedge.SessionUsedData{ID: id, Tokens: &tokens, Model: "m", Kinds: &kedge.TokenKinds{Output: tokens}})
		}
		take(to, kedge.SessionEnded, kedge.SessionEndedData{ID: id, State: kedge.SessionExited})
	}
	session("ses-1", "one", "run-1", 0, 10, 100)
	take(12, kedge.GateFinished, kedge.Evidence{Feature: "one", Verdict: kedge.Verdict{Checks: []kedge.CheckResult{{MS: 120_000}}}})
	session("ses-2", "one", "run-1", 12, 17, 50)
	take(18, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "one", Status: kedge.Completed})
	session("ses-3", "two", "run-1", 20, 26, 0)
	take(600, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "two", Status: kedge.Completed}) // a review took the night
	take(601, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "hand", Status: kedge.Completed})
	session("ses-4", "open", "run-2", 700, 705, 5)
	session("ses-5", "three", "run-2", 710, 730, 300)
	take(731, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "three", Status: kedge.Completed})
	return j
}

func TestRow119PastSessionsOfFeatures(t *testing.T) {
	price := func(_ string, _ time.Time, k kedge.TokenKinds) *float64 { return num(float64(k.Output) / 100) }
	got := doneFeatures(t).DoneBefore(time.Date(2026, 1, 1, 21, 40, 0, 0, time.UTC), price)
	if len(got) != 2 {
		t.Fatalf("%d features, want those of run-1: %+v", len(got), got)
	}
	one, two := got[0], got[1]
	if *one.Tokens != 150 || *one.USD != 1.5 || !close9(one.Hours, 17.0/60) || !one.Repair || one.Agent != "bot" {
		t.Errorf("one: %v tokens %v usd %v hours %+v", *one.Tokens, *one.USD, one.Hours, one)
	}
	if two.Tokens != nil || two.USD != nil || !close9(two.Hours, 0.1) || two.Repair {
		t.Errorf("two, whose session told nothing: %+v", two)
	}
	by := doneFeatures(t).DoneBy("run-2", price)
	if len(by) != 1 || *by[0].Tokens != 300 {
		t.Errorf("of run-2: %+v", by)
	}
	if on := doneFeatures(t).WorkedOn("run-2"); len(on) != 2 || !on["open"] || !on["three"] {
		t.Errorf("worked on: %v", on)
	}
}
