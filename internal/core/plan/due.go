package plan

import (
	"fmt"

	"kedge"
	"kedge/internal/core/check"
)

// Demands are the checks that a plan adds to the gate of one of its features. Later has
// those that another open feature could still make green, by name, and why. Such a check
// may be red only where it is red without the work, too: Due takes the others out.
type Demands struct {
	Checks []kedge.Check
	Later  map[string]string
}

// DemandsOn are the demands of a plan on a feature, beside checks that run there anyway.
// features are those of the plan.
//
// A check of the plan that is green stays green: work that makes it red is refused. One
// that is red without the work is due when no other feature of the plan is open that could
// make it green. So a plan can demand what only its last feature brings. A command whose
// result no work can change is due at once.
func DemandsOn(p kedge.Plan, f kedge.Definition, features []kedge.Feature, others []kedge.Check) Demands {
	out := Demands{Checks: ChecksFor(p, f, others), Later: map[string]string{}}
	for _, c := range out.Checks {
		line := check.ShellLine(c)
		if check.Fixed(line) {
			continue
		}
		if open := stillOpen(p, f.ID, features, line); len(open) > 0 {
			out.Later[c.Name] = laterText(open)
		}
	}
	return out
}

// Due are the same demands, where the commands for which now is true cannot wait.
func (d Demands) Due(now func(line string) bool) Demands {
	out := Demands{Checks: d.Checks, Later: map[string]string{}}
	for _, c := range d.Checks {
		if why := d.Later[c.Name]; why != "" && !now(check.ShellLine(c)) {
			out.Later[c.Name] = why
		}
	}
	return out
}

// stillOpen are the other features of the plan of which the command is demanded and that
// are not done.
func stillOpen(p kedge.Plan, but kedge.FeatureID, features []kedge.Feature, line string) []kedge.FeatureID {
	var out []kedge.FeatureID
	for _, f := range features {
		if f.ID != but && !f.Status.Over() && runs(ChecksFor(p, f.Definition, nil), line) {
			out = append(out, f.ID)
		}
	}
	return out
}

func laterText(open []kedge.FeatureID) string {
	if len(open) == 1 {
		return fmt.Sprintf("must be green only when the plan's last feature is done (feature %q is still open)", open[0])
	}
	return fmt.Sprintf("must be green only when the plan's last feature is done (feature %q and %d more are still open)", open[0], len(open)-1)
}

// DueText says when a command of the plan that is red before the work has to be green.
func DueText(p kedge.Plan, line string) string {
	switch {
	case check.Fixed(line):
		return "it cannot become green: no feature of the plan can be completed"
	case len(Items(p)) == 1:
		return "must be green when the plan's only feature is done"
	}
	return "must be green when the last feature of the plan is done; once green, it must stay green"
}
