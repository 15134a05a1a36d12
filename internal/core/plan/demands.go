package plan

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/glob"
)

// Applies tells whether an entry of the plan applies to a feature: it names neither
// paths nor phases, or the feature's phase, or paths that the feature may change. A
// feature that may change everything meets every path.
func Applies(s kedge.Statement, phases []kedge.Phase, f kedge.Definition) bool {
	return inPhase(s.Phases, phases, f.Phase) && meetsPaths(s.Paths, f.Paths)
}

// inPhase: a phase that the plan does not have limits nothing. What cannot be understood
// is told once too often rather than not at all.
func inPhase(names []string, phases []kedge.Phase, id string) bool {
	known := false
	for _, name := range names {
		i, err := FindPhase(phases, name)
		if err != nil {
			continue
		}
		if known = true; phases[i].ID == id {
			return true
		}
	}
	return !known
}

func meetsPaths(named, may []string) bool {
	if len(named) == 0 || len(may) == 0 {
		return true
	}
	return slices.ContainsFunc(named, func(a string) bool {
		return slices.ContainsFunc(may, func(b string) bool {
			return glob.Overlap(a, b) || glob.Overlap(a+"/**", b) || glob.Overlap(a, b+"/**")
		})
	})
}

// ChecksFor are the checks that the plan adds to the gate of one of its features: the
// exact Validation commands, then those of the invariants that apply to it. A command
// that one of the others runs already is left out.
func ChecksFor(p kedge.Plan, f kedge.Definition, others []kedge.Check) []kedge.Check {
	var out []kedge.Check
	add := func(what string, n int, line string) {
		c := kedge.Check{Name: freeName("plan-"+what+"-"+strconv.Itoa(n), others), Run: line}
		if check.Validate(c) == nil && !runs(others, line) && !runs(out, line) {
			out = append(out, c)
		}
	}
	for i, line := range p.Validation {
		add("validation", i+1, line)
	}
	for i, s := range p.Invariants {
		if s.Check != "" && Applies(s, p.Phases, f) {
			add("invariant", i+1, s.Check)
		}
	}
	return out
}

// runs tells whether one of the checks runs the line.
func runs(list []kedge.Check, line string) bool {
	return slices.ContainsFunc(list, func(c kedge.Check) bool {
		return slices.Equal(strings.Fields(check.ShellLine(c)), strings.Fields(line))
	})
}

// freeName is the name, with a dash behind it for each check that has it already.
func freeName(name string, others []kedge.Check) string {
	for slices.ContainsFunc(others, func(c kedge.Check) bool { return c.Name == name }) {
		name += "-"
	}
	return name
}

// checkStatements finds programs of the invariants' checks that do not exist, paths and
// phases that nothing has.
func (d *Doc) checkStatements(onPath func(string) bool) {
	for _, list := range []struct {
		field string
		all   []kedge.Statement
	}{{"Assumptions", d.Plan.Assumptions}, {"Invariants", d.Plan.Invariants}, {"Risks", d.Plan.Risks}} {
		for _, s := range list.all {
			d.checkStatement(list.field, s, onPath)
		}
	}
}

func (d *Doc) checkStatement(field string, s kedge.Statement, onPath func(string) bool) {
	line := d.lineWith(d.fieldLine(field), firstWords(s.Text))
	for _, name := range s.Phases {
		if _, err := FindPhase(d.Plan.Phases, name); err != nil {
			d.bad(kedge.LevelWarning, line, "name a phase by its number: phase: 2", "field %q names the phase %q, which the plan does not have; the entry applies to every phase", field, name)
		}
	}
	if len(s.Text) > maxStatement-utf8.UTFMax {
		level := kedge.LevelWarning
		if field == "Invariants" {
			level = kedge.LevelError
		}
		d.bad(level, line, "shorten it, or put the rest into a file of the repository and name that file", "field %q has an entry of more than %d bytes: agents would read only its beginning", field, maxStatement)
	}
	if field != "Invariants" {
		return
	}
	for _, p := range check.Programs(s.Check) {
		if !onPath(p) {
			d.bad(kedge.LevelError, line, "write the exact command, or say without backticks what verifies it",
				"field %q: the program %q of the check %q does not exist", field, p, s.Check)
		}
	}
}

// fieldLine is the line of a field's heading.
func (d *Doc) fieldLine(name string) int {
	for _, f := range d.Plan.Fields {
		if f.Name == name {
			return f.Line
		}
	}
	return d.front.BodyLine
}

// firstWords are what an entry begins with in the file, where its lines are not joined.
func firstWords(text string) string {
	list := strings.Fields(text)
	return strings.Join(list[:min(len(list), 3)], " ")
}
