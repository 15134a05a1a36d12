package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// MaxName is how many characters the name of a feature may have: it stands in
// one line of a table.
const MaxName = 200

// shortName is a name that is not too long; whole is false when something of it
// had to be left out.
func shortName(name string) (short string, whole bool) {
	short = words.Clip(name, MaxName)
	return short, short == name
}

// Problem is one reason why a feature list cannot be worked with.
type Problem struct {
	Feature kedge.FeatureID
	What    string
	Fix     string
}

// Validate gives the first of Problems as an error, with how many more there
// are; nil when there is none.
func Validate(features []kedge.Feature) error { return firstOf(Problems(features)) }

// ValidateChange is Validate after some features were added or changed. What was wrong
// with the others before does not count: an older Kedge may have let it in, and the
// list must stay open to work.
func ValidateChange(before, after []kedge.Feature, changed ...kedge.FeatureID) error {
	old := map[Problem]bool{}
	for _, p := range Problems(before) {
		old[p] = !slices.Contains(changed, p.Feature)
	}
	return firstOf(slices.DeleteFunc(Problems(after), func(p Problem) bool { return old[p] }))
}

func firstOf(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	p, more := problems[0], ""
	if n := len(problems) - 1; n > 0 {
		more = " (and " + words.Count(n, "more problem") + ")"
	}
	return kedge.Errorf(kedge.Invalid, "%s%s", p.What, more).WithHint("%s", p.Fix)
}

// Problems lists everything that is wrong: each feature's own fields, ids that
// are taken twice or unknown, cycles, in the order of
// the list.
func Problems(features []kedge.Feature) []Problem {
	g := newGraph(features)
	var out []Problem
	seen := map[kedge.FeatureID]bool{}
	for _, f := range features {
		if seen[f.ID] {
			out = append(out, Problem{f.ID, fmt.Sprintf("two features have the id %q", f.ID), "give one of them another id"})
			continue
		}
		seen[f.ID] = true
		out = append(out, fieldProblems(f.Definition)...)
		out = append(out, g.unknownIn(f)...)
	}
	for _, cycle := range g.cycles() {
		out = append(out, Problem{
			cycle[0], "features depend on each other in a circle: " + pathText(cycle),
			fmt.Sprintf("remove one of these dependencies, for example that of feature %q", cycle[0]),
		})
	}
	return out
}

func fieldProblems(d kedge.Definition) []Problem {
	var out []Problem
	bad := func(fix, format string, args ...any) {
		out = append(out, Problem{d.ID, fmt.Sprintf("feature %q ", d.ID) + fmt.Sprintf(format, args...), fix})
	}
	if !kedge.ValidName(string(d.ID)) {
		out = append(out, Problem{
			d.ID, fmt.Sprintf("%q is not a valid feature id", d.ID),
			"use 1 to 64 characters of a-z, 0-9, dot, dash and underscore, for example order-entity",
		})
	}
	if strings.TrimSpace(d.Name) == "" || strings.ContainsAny(d.Name, "\n\r") {
		bad("give it a name with --name NAME", "needs a name of one line")
	}
	if n := utf8.RuneCountInString(d.Name); n > MaxName {
		bad("shorten the name; the description may be long", "has a name of %d characters, more than %d", n, MaxName)
	}
	for _, p := range slices.Concat(d.Paths, d.ChangesTests) {
		if err := glob.Valid(p); err != nil {
			bad("use patterns such as src/**", "has the path %q: %v", p, err)
		}
	}
	if d.Budget.Tokens < 0 || d.Budget.USD < 0 || d.Budget.Attempts < 0 {
		bad("use 0 for no limit", "has a negative budget")
	}
	for _, f := range check.Faults(d.Checks) {
		out = append(out, Problem{d.ID, fmt.Sprintf("feature %q: %s", d.ID, f.What), f.Fix})
	}
	return out
}
