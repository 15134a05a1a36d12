package runs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// summaryText is what a run came to, below where it stands. A run that started no session
// or has no feature yet, because it plans, has nothing to sum up.
func summaryText(env *frame.Env, v runs.RunView, sum *reports.RunSummary) {
	if sum == nil || v.Sessions == 0 || v.Features.Total == 0 {
		return
	}
	fit := func(line string) string { return line }
	if env.Redraws() { // a terminal, where nothing wraps
		cols, _ := env.ScreenSize()
		fit = func(line string) string { return frame.CutTo(line, max(cols-1, 1)) }
	}
	fmt.Fprintf(env.Out, "\n  %s   %s\n\n", verifiedText(v, sum), strings.Join(costParts(v, sum), ", "))
	for _, r := range summaryRows(sum) {
		fmt.Fprintln(env.Out, fit(strings.TrimRight(fmt.Sprintf("  %-24s %3d   %s", r.name, r.n, plain.Line(r.what)), " ")))
	}
}

// verifiedText counts the features of the run and says where their work is.
func verifiedText(v runs.RunView, sum *reports.RunSummary) string {
	s := fmt.Sprintf("%d of %s verified", v.Features.Completed, words.Count(v.Features.Total, "feature"))
	if sum.Landed != "" && v.Features.Completed > 0 { // else only Kedge's own files landed
		s += " and landed on " + plain.Line(sum.Landed)
	}
	return s
}

// costParts are the time, the sessions and what they used, as far as it is known.
func costParts(v runs.RunView, sum *reports.RunSummary) []string {
	out := []string{frame.Span(time.Duration(sum.Seconds) * time.Second), words.Count(v.Sessions, "session")}
	if v.Usage.Tokens != nil {
		out = append(out, frame.ShortNumber(*v.Usage.Tokens)+" tokens")
	}
	if v.Usage.USD != nil {
		out = append(out, "$"+frame.USD(*v.Usage.USD))
	}
	return out
}

// summaryRow is one line: what, how often, and which.
type summaryRow struct {
	name string
	n    int
	what string
}

func summaryRows(sum *reports.RunSummary) []summaryRow {
	var claims, causes, aside []string
	survived := 0
	for _, c := range sum.FalseClaims {
		claims = append(claims, cmp.Or(string(c.Feature), "the baseline fix")+", caught by "+c.By+": "+c.Why)
	}
	for _, i := range sum.Interruptions {
		survived += i.Count
		text := i.Cause
		if i.Count > 1 {
			text += " " + strconv.Itoa(i.Count) + " times"
		}
		causes = append(causes, text)
	}
	for _, id := range sum.SetAside {
		aside = append(aside, string(id))
	}
	checks := summaryRow{name: "full checks run", n: sum.FullChecks}
	if s := sum.Slowest; s != nil {
		checks.what = "slowest: " + string(s.Feature) + " " + frame.Seconds(s.MS)
	}
	return slices.Concat(
		[]summaryRow{{"false claims", len(claims), strings.Join(slices.Compact(claims), "; ")}}, // a repair often fails as the work did
		[]summaryRow{{"interruptions survived", survived, strings.Join(causes, ", ")}},
		[]summaryRow{checks},
		[]summaryRow{{"set aside", len(aside), strings.Join(aside, ", ")}},
	)
}
