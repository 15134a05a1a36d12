package gate

import (
	"slices"
	"strings"

	"kedge"
)

// notDue begins the reason of a check that ran, was red, and need not be green yet.
const notDue = "red, and not due yet: "

// excused is the result of a red check that is not due: it proves nothing and breaks
// nothing.
func excused(r kedge.CheckResult, why string) kedge.CheckResult {
	r.Skipped, r.Exit, r.FirstFailure = notDue+why, -1, nil
	return r
}

// NotDue tells whether a check was red and left out of the verdict for that.
func NotDue(r kedge.CheckResult) bool { return strings.HasPrefix(r.Skipped, notDue) }

// Nothing tells whether a verdict rests on no check: all that ran were not due.
func Nothing(v kedge.Verdict) bool {
	return len(v.Checks) > 0 && !slices.ContainsFunc(v.Checks, func(r kedge.CheckResult) bool { return !NotDue(r) })
}

// Deferred are those of some checks that were red in a verdict and not due.
func Deferred(checks []kedge.Check, v kedge.Verdict) []kedge.Check {
	var out []kedge.Check
	for _, c := range checks {
		if slices.ContainsFunc(v.Checks, func(r kedge.CheckResult) bool { return r.Name == c.Name && NotDue(r) }) {
			out = append(out, c)
		}
	}
	return out
}
