package demo

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kedge/internal/app/demo/scripted"
	"kedge/internal/core/plan"
)

// TestThePlayIsSound: the feature list imports, the script parses, and however
// few features are asked for, the three that do not behave are among them.
func TestThePlayIsSound(t *testing.T) {
	for _, n := range []int{0, 1, 4, 12, 30, 99} {
		names := pick(n)
		if want := min(max(n, 4), len(entities)); n > 0 && len(names) != want {
			t.Errorf("%d features asked for: %d", n, len(names))
		}
		for _, bad := range []string{liar, cheat, hanger} {
			if !slices.Contains(names, bad) {
				t.Errorf("%d features: %q is not among them", n, bad)
			}
		}
		if slices.Sort(names); len(slices.Compact(names)) != len(names) {
			t.Errorf("%d features: some are there twice", n)
		}
		list, err := featureList(names)
		if err != nil {
			t.Fatal(err)
		}
		im, err := plan.Import("features.json", "", list)
		if err != nil || len(im.Features) != len(names) || len(im.Findings) > 0 {
			t.Errorf("%d features: %d imported, findings %v, %v", n, len(im.Features), im.Findings, err)
		}
		for _, s := range []scripted.Script{script(names), honest(names)} {
			b, err := json.Marshal(s)
			if err == nil {
				_, err = scripted.Parse("script.json", b)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	if len(entities) != 30 {
		t.Errorf("%d entities", len(entities))
	}
}

// TestUsageOfASession: the first report is the context at the first turn, and
// what comes from a cache is counted apart.
func TestUsageOfASession(t *testing.T) {
	u := readUsage([]byte(`noise
KEDGE {"type":"usage","input_tokens":100,"output_tokens":5,"context_tokens":105}
KEDGE {"type":"say","text":"hello"}
KEDGE {"type":"usage","input_tokens":10,"cache_read_tokens":105,"output_tokens":5,"context_tokens":120}`))
	if want := (usage{reports: 2, first: 105, most: 120, tokens: 120, read: 225}); u != want {
		t.Errorf("%+v, want %+v", u, want)
	}
}

// TestDemoText: what a person is told, unknown figures included.
func TestDemoText(t *testing.T) {
	var b strings.Builder
	Report{
		Features: 30, Verified: 30, Sessions: 33, DaemonKills: 1, AgentKills: 1, Window: 100, FirstTurn: Range{Min: 7, Max: 9}, MaxContext: 20,
		Tokens: 1000, PerMTok: 30000, Caught: []Caught{{Feature: "a", Tried: "lied", Found: strings.Repeat("long ", 50)}},
		OneShot: OneShot{Verified: 3, MaxContext: 101, Said: "too long"},
	}.Text(&b)
	for _, want := range []string{"30/30                    3/30\n", "2 (daemon 1, agent 1)", "7 to 9", "ended with: too long", `the agent of feature "a" lied: long`, "…\n", "\n30/30 verified\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestPlainly: what was caught is told without commands and paths.
func TestPlainly(t *testing.T) {
	for found, want := range map[string]string{
		`checked: red; check "unit" (go test ./a) is red: stat /long/path: no such directory`:       `check "unit" is red`,
		`checked: red; test "TestAdd" is now skipped: money/money_test.go:5 (let it run as before)`: `test "TestAdd" is now skipped: money/money_test.go:5`,
		"it changed nothing": "it changed nothing",
	} {
		if got := plainly(found); got != want {
			t.Errorf("%q is told as %q", found, got)
		}
	}
}
