package planning

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
)

// withoutService warns of items whose check asks the project's service when gate.toml
// has none: nothing would answer.
func withoutService(ctx context.Context, p *projects.Project, pl kedge.Plan) []kedge.Finding {
	g, err := projects.Source{Project: p}.Gate(ctx)
	if err != nil || len(g.Services) > 0 {
		return nil // the gate itself says what is wrong with the file
	}
	var out []kedge.Finding
	for _, ph := range pl.Phases {
		for _, it := range ph.Items {
			if slices.ContainsFunc(check.Lines(it.Checks), asksService) {
				out = append(out, kedge.Finding{
					Level: kedge.LevelWarning, Where: fmt.Sprintf("%s:%d", ledger.PlanFile, it.Line),
					What: fmt.Sprintf("a check of item %q needs a service of the project, but %s defines no service", it.ID, kedge.GateFile),
					Fix:  "add [[service]] with name, run and ready to " + kedge.GateFile,
				})
			}
		}
	}
	return out
}

func asksService(c kedge.Check) bool {
	return c.HTTP != nil && strings.Contains(check.Address(*c.HTTP), check.PortPlace)
}
