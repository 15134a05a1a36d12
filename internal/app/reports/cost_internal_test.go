package reports

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge"
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
	var row CostRow
	row.add(kedge.Session{StartedAt: at, Model: "big", Tokens: &tokens, Kinds: &kedge.TokenKinds{Input: 1e6, Output: 1e5}}, prices)
	if row.USD == nil || math.Abs(*row.USD-3) > 1e-9 || !row.Estimated || *row.Tokens != tokens {
		t.Errorf("from prices: %+v", row)
	}
	row.add(kedge.Session{StartedAt: at, Model: "big", Tokens: &tokens, USD: &usd}, prices)
	if math.Abs(*row.USD-10) > 1e-9 || *row.Tokens != 2*tokens || row.UnknownUSD != 0 {
		t.Errorf("and told: %+v", row)
	}
	row.add(kedge.Session{StartedAt: at}, prices)
	if row.Sessions != 3 || row.UnknownTokens != 1 || row.UnknownUSD != 1 || math.Abs(*row.USD-10) > 1e-9 {
		t.Errorf("and unknown: %+v", row)
	}
	var silent CostRow
	silent.add(kedge.Session{StartedAt: at, Model: "other", Tokens: &tokens, Kinds: &kedge.TokenKinds{Input: 1}}, prices)
	if silent.USD != nil || silent.Estimated || silent.UnknownUSD != 1 {
		t.Errorf("a model without a price: %+v", silent)
	}
	ses := kedge.Session{ID: "ses-1", Name: "n", Agent: "bot", Model: "big", Feature: "f", StartedAt: at, Route: &kedge.Routed{Row: "route.repair", Agent: "bot"}}
	for by, want := range map[string]string{"session": "ses-1", "feature": "f", "phase": "p2", "model": "big", "agent": "bot", "route": "route.repair", "day": "2026-02-03"} {
		if key, _ := costKey(by, ses, map[kedge.FeatureID]string{"f": "p2"}); key != want {
			t.Errorf("by %s: %q", by, key)
		}
	}
}
