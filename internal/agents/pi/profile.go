package pi

import "kedge/internal/agents"

// Profile is what Kedge knows of Pi.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "pi", Title: "Pi", About: "its rpc mode",
		New:      func(argv []string) (agents.Adapter, error) { return New(argv), nil },
		Hears:    []agents.WordKind{agents.Tell, agents.Interrupt, agents.Shorten},
		Versions: agents.Versions{Tried: []string{"0.73.1"}},
		Writes:   []string{"~/.pi"},
	}
}
