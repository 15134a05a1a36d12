package acp

import "kedge/internal/agents"

// Profile is what Kedge knows of programs that it drives this way.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "acp", Title: "Agent Client Protocol", About: "version 1 of the protocol, with any program that speaks it", Generic: true,
		New: func(argv []string) (agents.Adapter, error) {
			a, err := New(argv)
			if err != nil {
				return nil, err
			}
			return a, nil
		},
		Hears: []agents.WordKind{agents.Interrupt},
	}
}
