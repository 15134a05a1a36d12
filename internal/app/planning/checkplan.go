package planning

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
)

// checkPlan gives what is wrong with a plan: as its text stands, and as the shell reads
// its commands.
func checkPlan(p *projects.Project, d *plan.Doc, path string) []kedge.Finding {
	found := d.Check(runnable(p, path))
	add := func(where string, c kedge.Check, said string) {
		found = append(found, kedge.Finding{
			Level: kedge.LevelError, Where: where, What: fmt.Sprintf("the command %q is not valid for the shell: %s", c.Run, said),
			Fix: "correct the command",
		})
	}
	lines := map[kedge.FeatureID]int{}
	for _, phase := range d.Plan.Phases {
		for _, item := range phase.Items {
			lines[kedge.FeatureID(item.ID)] = item.Line
		}
	}
	for _, f := range plan.Features(d.Plan, func(kedge.FeatureID) bool { return false }) {
		if c, said := projects.NotShell(f.Checks); said != "" {
			add(fmt.Sprintf("%s:%d", ledger.PlanFile, max(lines[f.ID], 1)), c, said)
		}
	}
	for _, line := range d.Plan.Validation {
		if c, said := projects.NotShell([]kedge.Check{{Run: line}}); said != "" {
			add(ledger.PlanFile+", Validation", c, said)
		}
	}
	return found
}

// runnable looks programs up on a PATH, and paths from the project's folder.
func runnable(p *projects.Project, path string) func(program string) bool {
	return func(program string) bool {
		if strings.ContainsRune(program, '/') {
			if !filepath.IsAbs(program) {
				program = p.Path(program)
			}
			return isProgram(program)
		}
		for _, dir := range filepath.SplitList(path) {
			if filepath.IsAbs(dir) && isProgram(filepath.Join(dir, program)) {
				return true
			}
		}
		return false
	}
}

func isProgram(file string) bool {
	fi, err := os.Stat(file)
	return err == nil && fi.Mode().IsRegular() && fi.Mode().Perm()&0o111 != 0
}
