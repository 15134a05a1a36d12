package command

import "kedge/internal/agents"

// Profile is what Kedge knows of programs that it drives this way.
func Profile() agents.Profile {
	return agents.Profile{
		Name: "command", Title: "any command", About: "the brief on its input; it may answer with lines of the form KEDGE {json}", Generic: true,
		Limits: []agents.Limit{agents.LimitOnly, agents.LimitWithout, agents.LimitServers},
		New: func(argv []string) (agents.Adapter, error) {
			a, err := New(argv)
			if err != nil {
				return nil, err
			}
			return a, nil
		},
	}
}
