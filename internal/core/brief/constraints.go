package brief

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// Constraints are what an approved plan demands of the work on one feature, as far as it
// applies to that: see ConstraintsOn.
type Constraints struct {
	Invariants  []kedge.Statement
	Assumptions []kedge.Statement
}

// ConstraintsOn are the entries of a plan that apply to a feature, by its phase and by the
// paths that it may change.
func ConstraintsOn(p kedge.Plan, f kedge.Definition) Constraints {
	applying := func(list []kedge.Statement) []kedge.Statement {
		return slices.DeleteFunc(slices.Clone(list), func(s kedge.Statement) bool { return !plan.Applies(s, p.Phases, f) })
	}
	return Constraints{Invariants: applying(p.Invariants), Assumptions: applying(p.Assumptions)}
}

// DecisionsOn are the decisions that apply to a feature: those that name nothing, its
// phase, a path that it may change, or a topic, of which nobody can tell.
func DecisionsOn(all []kedge.Decision, phases []kedge.Phase, f kedge.Definition) []kedge.Decision {
	return slices.DeleteFunc(slices.Clone(all), func(d kedge.Decision) bool {
		return len(d.AppliesTo) > 0 && !slices.ContainsFunc(d.AppliesTo, func(entry string) bool {
			return plan.Applies(entryScope(entry), phases, f)
		})
	})
}

var phaseEntry = lazyre.New(`(?i)^(?:phase[ :]*(.+)|(p[0-9]{1,4}))$`)

// entryScope is what one entry of applies_to limits a decision to: a phase, a path, or
// nothing where it may as well be a topic.
func entryScope(entry string) kedge.Statement {
	if m := phaseEntry.FindStringSubmatch(entry); m != nil {
		return kedge.Statement{Phases: []string{m[1] + m[2]}}
	}
	if !strings.ContainsAny(entry, "/*.?[") {
		return kedge.Statement{}
	}
	return kedge.Statement{Paths: []string{entry}}
}

// RisksOn are the open risks that apply to a feature. A risk says in its text what it is
// limited to.
func RisksOn(all []kedge.Risk, phases []kedge.Phase, f kedge.Definition) []kedge.Risk {
	return slices.DeleteFunc(slices.Clone(all), func(r kedge.Risk) bool {
		return !plan.Applies(plan.StatementOf(r.Text), phases, f)
	})
}

// constraintParts are what binds the work, behind the rules and the handoff, and dropped last:
// the invariants of the plan, then the locked decisions.
func constraintParts(in RunInput) []part {
	var out []part
	if text := invariantsText(in.Constraints.Invariants); text != "" {
		out = append(out, part{"invariants", "kedge plan show", keepInvariants, text})
	}
	if text := decisionsText(in.Decisions); text != "" {
		out = append(out, part{"decisions", "kedge decide ls", keepConstraints, text})
	}
	return out
}

// constraintsText is the same for a session that has read its brief already.
func constraintsText(in RunInput) string {
	var b strings.Builder
	for _, p := range constraintParts(in) {
		b.WriteString(p.text)
	}
	return b.String()
}

// invariantsText lists every invariant: one that is left out is not kept.
func invariantsText(list []kedge.Statement) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(heading("Invariants of the plan") + "Your work must keep every one of them. Where one names a check, Kedge runs it.\n")
	for _, s := range list {
		text := s.Text
		if s.Check != "" && !strings.Contains(text, s.Check) {
			text += " (check: " + s.Check + ")"
		}
		b.WriteString("> - " + bindingLine(text, "kedge plan show --json") + "\n")
	}
	return b.String()
}

// maxBinding is how many bytes an invariant or a decision may have: more than an entry
// that binds nobody.
const maxBinding = 1200

// bindingLine is one line of what binds the work. Where it is cut, it says where all of it is.
func bindingLine(text, see string) string {
	text = line(text)
	if len(text) <= maxBinding {
		return text
	}
	return words.ClipBytes(text, maxBinding) + " (all of it: " + see + ")"
}

func assumptionsText(list []kedge.Statement) string {
	if len(list) == 0 {
		return ""
	}
	texts := make([]string, 0, len(list))
	for _, s := range list {
		texts = append(texts, s.Text)
	}
	return heading("Assumptions of the plan") + "If one turns out to be wrong, say so and end your turn.\n" + entries(texts, "kedge plan show")
}
