package run

import (
	"cmp"
	"slices"
	"strings"
)

// Doubt is what becomes of the tests of a job's work, where they are for you to decide about.
type Doubt string

// The doubts; empty is none.
const (
	DoubtAsked  Doubt = "asked"  // the work waits for you because of them
	DoubtLifted Doubt = "lifted" // you approved what the work does to tests, and what its own show
)

// doubted deals with green work whose tests are for you to decide about: it weakens tests that
// were there before, or changes what they expect; or its own tests show nothing. That they show
// nothing a session may mend, once. It tells whether there is such a doubt.
func (t *stepper) doubted(j *Job) bool {
	beyond := j.Beyond != "" && (t.ev.Outcome == Green || t.ev.Outcome == Empty)
	switch altered := t.ev.Outcome == Green && t.ev.Altered != ""; {
	case altered && j.Kind == Fix: // it has no feature that could wait: the run does
		j.Doubt = DoubtAsked
		t.giveUp(j, t.ev.Altered)
		return true
	case !beyond && (t.ev.Outcome != Green || j.Kind != Build || j.Doubt == DoubtLifted):
		return false
	}
	unshown := t.unshown(j)
	if t.ev.Altered == "" && unshown != "" && j.Repairs == 0 && !beyond {
		t.repairOnNewBase(j, unshown+". Add tests that fail without your change and pass with it")
		return true
	}
	if t.ev.Altered != "" || unshown != "" {
		j.Doubt = DoubtAsked
	}
	why := strings.Join(slices.DeleteFunc([]string{j.Beyond, t.ev.Altered, unshown}, func(s string) bool { return s == "" }), "; ")
	if why != "" {
		t.hold(j, why)
	}
	return why != ""
}

// beyond holds work that has more than its feature may change. If it touches existing tests as
// well, those are judged first: you decide about all of it at once.
func (t *stepper) beyond(j *Job, why string) {
	if t.ev.Altered == "" || j.Kind != Build {
		t.hold(j, why)
		return
	}
	j.Beyond = why
	t.enter(j, Integrating)
}

// unshown says why nothing shows that the work does anything; empty: something does. Checks that
// were red before it show it by being green, unless its tests alone made them so. Checks that were
// green before show nothing: then its own tests have to. What you missed in work that was green
// need not show in a test.
func (t *stepper) unshown(j *Job) string {
	f := t.feature(j)
	switch {
	case t.ev.Shown == Red || t.ev.Shown == Clean:
		return ""
	case j.Proof == Tests && (!f.Wanted || f.Denied):
		return "its checks were green before the work, and " + cmp.Or(t.ev.Untested, "no test shows what the work does")
	case j.Proof == Fails && t.ev.Shown == Green:
		return cmp.Or(t.ev.Untested, "its new tests do not test the work")
	default:
		return ""
	}
}
