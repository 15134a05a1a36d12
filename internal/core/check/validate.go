package check

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// Fault is what is wrong with a check.
type Fault struct {
	Index int    // the check's place in its list
	Key   string // the key that it is about ("http.url")
	What  string
	Fix   string
}

// nameRule is what kedge.ValidName accepts, in words.
const nameRule = "1 to 64 of a-z, 0-9, dot, dash and underscore"

// Faults gives the first fault of each check, and names that are taken twice, in the
// order of the list.
func Faults(checks []kedge.Check) []Fault {
	return faultsOf(checks, Validate, func(c kedge.Check) string { return c.Name }, "check")
}

// ServiceFaults is Faults for services.
func ServiceFaults(services []kedge.Service) []Fault {
	return faultsOf(services, serviceFault, func(v kedge.Service) string { return v.Name }, "service")
}

func faultsOf[T any](list []T, validate func(T) *Fault, name func(T) string, what string) []Fault {
	var out []Fault
	seen := map[string]bool{}
	for i, v := range list {
		f := validate(v)
		if n := name(v); f == nil && seen[n] {
			f = &Fault{Key: "name", What: fmt.Sprintf("two %ss are called %q", what, n), Fix: "give one of them another name"}
		}
		if f != nil {
			f.Index = i
			out = append(out, *f)
		}
		seen[name(v)] = true
	}
	return out
}

// Validate gives the first fault of a check; nil when it is valid. Old journals may
// hold checks that are not: reading never validates, running does.
func Validate(c kedge.Check) *Fault {
	for _, rule := range []func(kedge.Check) *Fault{nameFault, kindFault, formFault, commonFault} {
		if f := rule(c); f != nil {
			return f
		}
	}
	if key, fix, what := Of(c).fault(c); what != "" {
		return fault(c, key, fix, "%s", what)
	}
	return nil
}

func fault(c kedge.Check, key, fix, format string, args ...any) *Fault {
	return &Fault{Key: key, What: fmt.Sprintf("check %q: ", c.Name) + fmt.Sprintf(format, args...), Fix: fix}
}

func nameFault(c kedge.Check) *Fault {
	if kedge.ValidName(c.Name) {
		return nil
	}
	return fault(c, "name", "use a name such as unit", "its name must be %s", nameRule)
}

func kindFault(c kedge.Check) *Fault {
	if c.Kind == "" || Named(c.Kind).Marker != "" {
		return nil
	}
	return fault(c, "kind", "use "+list(KindNames(), "or"), "there is no kind %q", c.Kind)
}

// formFault looks whether a check says one thing to do, and is of a kind that fits.
func formFault(c kedge.Check) *Fault {
	var has []string
	for _, f := range forms {
		if f.has(c) {
			has = append(has, f.Name)
		}
	}
	const example = `add a line such as run = "go test ./..."`
	switch {
	case len(has) == 0:
		return fault(c, "name", example, "it needs %s", list(formKeys(), "or"))
	case len(has) > 1:
		return fault(c, "name", "make separate checks of them", "one check cannot have %s", list(has, "and"))
	}
	f := Of(c)
	if _, ok := f.kind(c.Kind); c.Kind != "" && !ok {
		return fault(c, "kind", "remove kind, or use one that fits", "kind %q does not go with %s; %[2]s goes with kind %[3]s", c.Kind, f.Name, list(f.kindNames(), "or"))
	}
	return nil
}

// commonFault looks at the keys that checks of every form have.
func commonFault(c kedge.Check) *Fault {
	if c.Exclusive != "" && !kedge.ValidName(c.Exclusive) {
		return fault(c, "exclusive", "use a name such as db", "exclusive %q is not a name; a name has %s", c.Exclusive, nameRule)
	}
	if c.Prove != "" && c.Prove != ProveFails && c.Prove != ProveHolds {
		return fault(c, "prove", "use fails (red before the work) or holds (green before and after)", "prove %q is neither %s nor %s", c.Prove, ProveFails, ProveHolds)
	}
	if err := timeoutError(c.Timeout); err != nil {
		return fault(c, "timeout", "use a duration such as 90s or 5m, at most 168h", "timeout %v", err)
	}
	for _, l := range []struct {
		key      string
		patterns []string
	}{{"paths", c.Paths}, {"evidence", c.Evidence}} {
		for _, p := range l.patterns {
			if err := glob.Valid(p); err != nil {
				return fault(c, l.key, "use patterns such as src/**", "%s: %v", l.key, err)
			}
		}
	}
	return nil
}

func serviceFault(v kedge.Service) *Fault {
	bad := func(key, fix, format string, args ...any) *Fault {
		return &Fault{Key: key, What: fmt.Sprintf("service %q: ", v.Name) + fmt.Sprintf(format, args...), Fix: fix}
	}
	switch {
	case !kedge.ValidName(v.Name):
		return bad("name", "use a name such as web", "its name must be %s", nameRule)
	case strings.TrimSpace(v.Run) == "" || strings.ContainsRune(v.Run, 0):
		return bad("run", `add a line such as run = "npm start"`, "it has no command")
	case v.Ready != "" && !validURL(v.Ready, "http", "https", "tcp"):
		return bad("ready", "use an address such as http://127.0.0.1:{port}/health", "ready %q is not an http or tcp address", v.Ready)
	}
	if err := timeoutError(v.Timeout); err != nil {
		return bad("timeout", "use a duration such as 90s or 5m, at most 168h", "timeout %v", err)
	}
	return nil
}

// validURL takes {port} for a number.
func validURL(s string, schemes ...string) bool {
	u, err := url.Parse(strings.ReplaceAll(s, PortPlace, "1"))
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != "" && (u.Scheme != "tcp" || u.Port() != "")
}

func timeoutError(s string) error {
	if s == "" {
		return nil
	}
	d, err := words.ParseDuration(s)
	if err == nil && d == 0 {
		return fmt.Errorf("%q must be more than 0", s)
	}
	return err
}
