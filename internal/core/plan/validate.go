package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kedge"
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
func Validate(features []kedge.Feature) error {
	problems := Problems(features)
	if len(problems) == 0 {
		return nil
	}
	p, more := problems[0], ""
	if n := len(problems) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
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
			fmt.Sprintf("take one dependency out, e.g. of %q", cycle[0]),
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
			d.ID, fmt.Sprintf("%q is not an id for a feature", d.ID),
			"1 to 64 of a-z, 0-9, dot, dash and underscore, e.g. order-entity",
		})
	}
	if strings.TrimSpace(d.Name) == "" || strings.ContainsAny(d.Name, "\n\r") {
		bad("a name is one line of text", "has no name of one line")
	}
	if n := utf8.RuneCountInString(d.Name); n > MaxName {
		bad("say it at length in the description", "has a name of %d characters, more than %d", n, MaxName)
	}
	for _, p := range d.Paths {
		if err := glob.Valid(p); err != nil {
			bad("paths are globs such as src/**", "has the path %q: %v", p, err)
		}
	}
	if d.Budget.Tokens < 0 || d.Budget.USD < 0 || d.Budget.Attempts < 0 {
		bad("0 is no limit", "has a negative budget")
	}
	for i, c := range d.Checks {
		if what, fix := checkProblem(c); what != "" {
			bad(fix, "has a check %q that %s", c.Name, what)
		}
		if slices.ContainsFunc(d.Checks[:i], func(o kedge.Check) bool { return o.Name == c.Name }) {
			bad("give one of them another name", "has two checks named %q", c.Name)
		}
	}
	return out
}

// checkProblem says what a check lacks and what to do, or nothing.
func checkProblem(c kedge.Check) (what, fix string) {
	switch {
	case !kedge.ValidName(c.Name):
		return "needs a name", "1 to 64 of a-z, 0-9, dot, dash and underscore, e.g. unit"
	case c.Kind != "" && !slices.Contains(kedge.CheckKinds, c.Kind):
		return fmt.Sprintf("has the unknown kind %q", c.Kind), "one of: test, integration, build, e2e, http"
	case ways(c) != 1:
		return "must have exactly one of run, touched and http", `e.g. "run": "go test ./..."`
	case c.Prove != "" && c.Prove != "fails" && c.Prove != "holds":
		return fmt.Sprintf("has prove = %q", c.Prove), "fails (red before the work) or holds (green before and after)"
	case !validTimeout(c.Timeout):
		return fmt.Sprintf("has the timeout %q", c.Timeout), "a duration such as 5m or 90s"
	case c.HTTP != nil:
		return httpProblem(*c.HTTP)
	}
	return "", ""
}

func ways(c kedge.Check) int {
	n := 0
	for _, set := range []bool{strings.TrimSpace(c.Run) != "", strings.TrimSpace(c.Touched) != "", c.HTTP != nil} {
		if set {
			n++
		}
	}
	return n
}

func validTimeout(s string) bool {
	if s == "" {
		return true
	}
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

func httpProblem(h kedge.HTTPCheck) (what, fix string) {
	if !strings.HasPrefix(h.URL, "http://") && !strings.HasPrefix(h.URL, "https://") {
		return fmt.Sprintf("has the url %q", h.URL), "an address that starts with http:// or https://"
	}
	if h.Status != 0 && (h.Status < 100 || h.Status > 599) {
		return fmt.Sprintf("expects the status %d", h.Status), "an HTTP status, 100 to 599"
	}
	if _, err := json.Marshal(h.JSON); err != nil {
		return "expects what JSON cannot say", "give the answer's body, or a part of it, as JSON"
	}
	return "", ""
}
