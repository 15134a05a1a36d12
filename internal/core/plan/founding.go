package plan

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/lazyre"
)

// The fields of a plan that founds a repository. They are optional, and stand behind the
// others.
const (
	structureField = "Structure"
	setupField     = "Set-up"
	checksField    = "Checks"
)

// foundingFields are these fields, in their order.
var foundingFields = []string{structureField, setupField, checksField}

// allFields are the fields that a plan may have, in their order.
var allFields = slices.Concat(planFields, foundingFields)

// Founding is what a plan gives a repository beside its features: the shell line that
// makes a fresh worktree usable, and the checks that hold from now on.
type Founding struct {
	Setup  string
	Checks []kedge.Check
}

var (
	checkEntry = lazyre.New(`^(?:[-*] +)?([a-z0-9][a-z0-9._-]*): +(.+)$`)
	onceEntry  = lazyre.New(`^(.*\S) +\(once ([^()]+)\)$`)
	oncePath   = lazyre.New(`^[A-Za-z0-9_.][A-Za-z0-9_./-]*$`)
)

// FoundingOf reads the fields; faults are lines that cannot be read, by field.
func FoundingOf(p kedge.Plan) (f Founding, faults map[string]string) {
	faults = map[string]string{}
	fault := func(field, what string) {
		if faults[field] == "" {
			faults[field] = what
		}
	}
	var lines []string
	for _, line := range entriesOf(p, setupField) {
		run, once, ok := splitOnce(strings.TrimLeft(line, "-* "))
		if !ok {
			fault(setupField, line)
		}
		if once != "" {
			run = "if [ -e " + once + " ]; then " + run + "; fi"
		}
		lines = append(lines, run)
	}
	f.Setup = strings.Join(lines, " && ")
	for _, line := range entriesOf(p, checksField) {
		m := checkEntry.FindStringSubmatch(line)
		if m == nil {
			fault(checksField, line)
			continue
		}
		run, once, ok := splitOnce(m[2])
		if !ok {
			fault(checksField, line)
		}
		f.Checks = append(f.Checks, foundingCheck(m[1], run, once))
	}
	for _, wrong := range check.Faults(f.Checks) {
		fault(checksField, wrong.What)
	}
	return f, faults
}

// foundingCheck is a check of a plan. One that can only hold once a file is there counts
// from the tree on that has the file.
func foundingCheck(name, run, once string) kedge.Check {
	c := kedge.Check{Name: name, Kind: kedge.CheckTest, Run: run}
	for _, kind := range check.KindNames() {
		if first, _, _ := strings.Cut(name, "-"); string(kind) == first && kind != kedge.CheckHTTP && kind != kedge.CheckTCP {
			c.Kind = kind
		}
	}
	if name == "lint" {
		c.Kind = kedge.CheckBuild
	}
	if once != "" {
		c.Run = check.Once(run, once)
	}
	return c
}

// splitOnce reads "COMMAND (once FILE)".
func splitOnce(text string) (run, once string, ok bool) {
	if m := onceEntry.FindStringSubmatch(text); m != nil {
		text, once = m[1], m[2]
	}
	run = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "`"))
	return run, once, run != "" && (once == "" || oncePath.MatchString(once) && !slices.Contains(strings.Split(once, "/"), ".."))
}

// entriesOf are the lines of a field; none where it says that there are none.
func entriesOf(p kedge.Plan, field string) []string {
	var out []string
	for line := range strings.Lines(fieldText(p, field)) {
		line = strings.TrimSpace(line)
		if line != "" && !saysNone(line) && fenceAfter("", line) == "" {
			out = append(out, line)
		}
	}
	return out
}

func fieldText(p kedge.Plan, field string) string {
	for _, f := range p.Fields {
		if f.Name == field {
			return f.Text
		}
	}
	return ""
}

// checkFounding reports what is wrong with the fields.
func (d *Doc) checkFounding() {
	_, faults := FoundingOf(d.Plan)
	for _, f := range d.Plan.Fields {
		if slices.Contains(foundingFields, f.Name) && f.Text == "" {
			d.bad(kedge.LevelError, f.Line, `say what belongs there, or "none"`, "field %q is empty", f.Name)
		}
		if line := faults[f.Name]; line != "" {
			d.bad(kedge.LevelError, d.lineWith(f.Line, line), `write a check as "- NAME: COMMAND", and the set-up as a command; both may end in "(once FILE)"`, "field %q: %s", f.Name, line)
		}
	}
}

// MissingFounding names the fields that a plan for an empty repository lacks.
func (d *Doc) MissingFounding() string {
	var out []string
	for _, name := range foundingFields {
		if fieldText(d.Plan, name) == "" {
			out = append(out, `the repository is empty, so the plan needs the field "`+name+`" (add the heading "## `+name+`" after Validation)`)
		}
	}
	return strings.Join(out, "\n")
}

// FoundingForm is Form for a repository that the plan founds.
func FoundingForm() string {
	before, phases, _ := strings.Cut(Form(), "## Phase 1")
	for _, name := range foundingFields {
		before += "## " + name + "\n\n"
	}
	return before + "## Phase 1" + phases
}

// mostStructure bounds what the features of the first phase are told of the structure.
const mostStructure = 2000

// structureOf is the structure of the repository, for the sessions that build it; empty:
// the plan founds nothing.
func structureOf(p kedge.Plan) string {
	text := fieldText(p, structureField)
	if text == "" || saysNone(text) {
		return ""
	}
	if len(text) > mostStructure {
		text = strings.ToValidUTF8(text[:mostStructure], "") + " …"
	}
	return "\nStructure of the repository:\n" + text
}
