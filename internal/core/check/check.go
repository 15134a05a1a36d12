// Package check owns what a valid check is, wherever it was written: in gate.toml, in
// features.json, in a plan or on the command line. It validates, normalises and compares
// checks, and makes the text in which they are shown. A check has a form (run, http: what
// Kedge does) and a kind (test, build, …: when it runs and which marker it gives);
// forms.go has the table of both. It promises that the same fault gives the same message
// everywhere. It never runs a check: package gate of the engine has one runner per form.
package check

import (
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/words"
)

// Prove is what a feature's check must be before the work. A check that says nothing
// must fail.
const (
	ProveFails = "fails" // red before the work
	ProveHolds = "holds" // green before the work and after it
)

// Of gives the form of a check; the zero Form when the check says nothing that
// Kedge could do. Of several the first counts: Validate refuses such a check.
func Of(c kedge.Check) Form {
	for _, f := range forms {
		if f.has(c) {
			return f
		}
	}
	return Form{}
}

// KindOf gives the kind that a check runs as: the one that it names, else the one of
// its form that it is named after, else the first of its form.
func KindOf(c kedge.Check) Kind {
	f := Of(c)
	switch k, ok := f.kind(c.Kind); {
	case ok:
		return k
	case c.Kind != "":
		return Named(c.Kind)
	}
	if k, ok := f.kind(kedge.CheckKind(c.Name)); ok {
		return k
	}
	if len(f.Kinds) == 0 {
		return Named(kedge.CheckTest)
	}
	return f.Kinds[0]
}

// Text is how a check is shown: what Kedge does, in one line.
func Text(c kedge.Check) string {
	if f := Of(c); f.text != nil {
		return f.text(c)
	}
	return ""
}

// ShellLine is what you can paste into a shell to do what the check does; empty when
// there is no such line.
func ShellLine(c kedge.Check) string {
	if Of(c).Shell {
		return c.Run
	}
	return ""
}

// Same tells whether two checks do the same, so that one run answers for both. Checks
// that keep evidence never do: each keeps its own.
func Same(a, b kedge.Check) bool {
	f := Of(a)
	return f.same != nil && f.Name == Of(b).Name && f.same(a, b) && KindOf(a).Name == KindOf(b).Name &&
		a.Timeout == b.Timeout && a.Exclusive == b.Exclusive && len(a.Evidence)+len(b.Evidence) == 0
}

// Timeout is the time that a check gets: its own, or the default of its form.
func Timeout(c kedge.Check) time.Duration {
	if d, err := words.ParseDuration(c.Timeout); err == nil && d > 0 {
		return d
	}
	if f := Of(c); f.Timeout > 0 {
		return f.Timeout
	}
	return commandTimeout
}

// Normalize gives the one form of a check that is written, hashed and compared: valid
// UTF-8, and values of the types that JSON has. The kind stays as it was written.
func Normalize(c kedge.Check) kedge.Check {
	c.Name, c.Kind = text(c.Name), kedge.CheckKind(text(string(c.Kind)))
	c.Timeout, c.Prove, c.Exclusive = text(c.Timeout), text(c.Prove), text(c.Exclusive)
	for _, f := range forms {
		f.normalize(&c)
	}
	return c
}

// text replaces what is not UTF-8, as JSON would, so that a text is the same before and
// after it was written.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Comma lists names: "test, build, e2e".
func Comma[S ~string](names []S) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return strings.Join(out, ", ")
}

// list is Comma with a word before the last name: "test, build or e2e".
func list[S ~string](names []S, last string) string {
	if len(names) < 2 {
		return Comma(names)
	}
	n := len(names) - 1
	return Comma(names[:n]) + " " + last + " " + string(names[n])
}
