package catalog_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
)

func TestNewRefuses(t *testing.T) {
	if _, err := catalog.New("c", config.Agent{Kind: "command"}); !kedge.Invalid.Is(err) {
		t.Errorf("without a command: %v", err)
	}
	if _, err := catalog.New("c", config.Agent{Kind: "unheard of"}); !kedge.NotFound.Is(err) || kedge.HintOf(err) == "" {
		t.Errorf("of a kind that has no adapter: %v", err)
	}
}

// TestOfferedAgentsAreDriven: what a hint or a file offers for a run, a run can
// drive; and none that it can drive is kept from people.
func TestOfferedAgentsAreDriven(t *testing.T) {
	var driven []string
	for _, name := range catalog.Kinds().Names {
		if name == "command" { // no agent by its name alone
			continue
		}
		a, err := config.Default(catalog.Kinds()).Agent(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := catalog.New(name, a); err == nil {
			driven = append(driven, name)
		}
	}
	slices.Sort(driven)
	if got := config.Default(catalog.Kinds()).AgentNames(); !slices.Equal(got, driven) {
		t.Errorf("offered are %q, driven %q", got, driven)
	}
}
