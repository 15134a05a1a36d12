package replay

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Line is a history in figures.
type Line struct {
	Project       string
	Features      int
	Honest        int // verified as they are
	Caught        int // plants that were not completed
	FalsePasses   int
	Untold        int // of the plants that passed, those that the feature's check is green on
	FalseRefusals int
	Waits         int // honest, and for a person without need
	Needed        int // honest, and for a person who is needed
	Unseen        int
	DeadEnds      int
	Wrong         int
	Minutes       float64
	Same          bool // the end is the real one
}

// Line counts a result.
func (r Result) Line() Line {
	l := Line{Project: r.Project, Minutes: r.Minutes, Same: len(r.Different) == 0 && r.Broken == ""}
	for _, t := range r.Tries {
		if !t.asks() {
			l.Features++
		}
		switch {
		case t.Verdict == FalsePass:
			l.FalsePasses++
		case t.Verdict == Untold:
			l.Untold++
		case t.Verdict == FalseRefusal:
			l.FalseRefusals++
		case t.Verdict == WaitsForNone:
			l.Waits++
		case t.Verdict == WaitsRightly:
			l.Needed++
		case t.Verdict == Unseen:
			l.Unseen++
		case t.Verdict == DeadEnd:
			l.DeadEnds++
		case t.Verdict == Wrong:
			l.Wrong++
		case t.asks():
			l.Caught++
		default:
			l.Honest++
		}
	}
	return l
}

// asks tells whether a try is one that must not be completed.
func (t Try) asks() bool {
	pl, planted := plantNamed(t.Plant)
	return planted && !pl.whole
}

// Table shows results, a line for each, and then every try that is not right.
func Table(results []Result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "repository\tfeatures\thonest passed\tlies caught\tunseen\tfalse passes\tcheck cannot tell\tfalse refusals\twaits\twith need\tdead ends\twrong\tend\tminutes")
	for _, r := range results {
		l := r.Line()
		end := "the real one"
		switch {
		case r.Broken != "":
			end = "not reached"
		case !l.Same:
			end = fmt.Sprintf("%d files differ", len(r.Different))
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%.1f\n", l.Project, l.Features, l.Honest, l.Caught, l.Unseen, l.FalsePasses, l.Untold, l.FalseRefusals, l.Waits, l.Needed, l.DeadEnds, l.Wrong, end, l.Minutes)
	}
	_ = w.Flush() // into memory
	for _, r := range results {
		if r.Broken != "" {
			fmt.Fprintf(&b, "%s was not replayed to its end: %s\n", r.Project, r.Broken)
		}
		for _, t := range r.Tries {
			if t.Verdict != Right && t.Verdict != WaitsRightly {
				fmt.Fprintf(&b, "%s %.12s %s, %s: %s (%s; exit code %d). %s%s\n  check: %s\n  %s\n", r.Project, t.Commit, or(t.Plant, "honest"), t.Verdict, t.Outcome, t.Run, t.Code, t.Note, different(t), t.Check, t.Reason)
			}
		}
	}
	return b.String()
}

func different(t Try) string {
	if len(t.Different) == 0 {
		return ""
	}
	return fmt.Sprintf(" different: %s", strings.Join(t.Different[:min(3, len(t.Different))], ", "))
}
