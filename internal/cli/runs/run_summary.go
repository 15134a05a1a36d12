package runs

import (
	"cmp"
	"fmt"
	"io"
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
func summaryText(w io.Writer, v runs.RunView, sum *reports.RunSummary) {
	if sum == nil || v.Sessions == 0 || v.Features.Total == 0 {
		return
	}
	sign := map[frame.Role]string{frame.Verified: frame.SignVerified, frame.Waits: frame.SignWaits, frame.Failed: frame.SignFailed}[stateRole(v)]
	head := []frame.Cell{{Text: sign + " ", Role: stateRole(v)}, {Text: verifiedText(v, sum), Role: frame.Name}}
	cost := frame.Cell{Text: strings.Join(costParts(v, sum), ", "), Role: frame.Quiet}
	whole := append(slices.Clone(head), frame.Cell{Text: "   "}, cost)
	if p, ok := w.(*frame.Page); ok && p.Cols() > 0 && lengthOf(whole) > p.Cols() {
		frame.PutLine(w, head...)
		frame.PutLine(w, frame.Cell{Text: "  "}, cost)
	} else {
		frame.PutLine(w, whole...)
	}
	fmt.Fprintln(w)
	t := frame.Table{Indent: 2, Columns: []frame.Column{{}, {Right: true}, {Least: 10, Spare: true}}}
	for _, r := range summaryRows(sum) {
		t.Add(frame.Cell{Text: r.name}, frame.Cell{Text: strconv.Itoa(r.n), Role: frame.Name}, frame.Cell{Text: r.what, Role: frame.Quiet})
	}
	t.Print(w)
	fmt.Fprintln(w)
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

// counted are the texts, each once, with how often it was there.
func counted(texts []string) []string {
	var out []string
	times := map[string]int{}
	for _, t := range texts {
		if times[t]++; times[t] == 1 {
			out = append(out, t)
		}
	}
	for i, t := range out {
		if times[t] > 1 {
			out[i] = t + " (" + strconv.Itoa(times[t]) + " times)"
		}
	}
	return out
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
	checks := summaryRow{name: "full check runs", n: sum.FullChecks}
	if s := sum.Slowest; s != nil {
		checks.what = "slowest: " + frame.Seconds(s.MS) + " for feature " + string(s.Feature)
	}
	return slices.Concat(
		[]summaryRow{{"claims that were false", len(claims), strings.Join(counted(claims), "; ")}}, // a repair often fails as the work did
		[]summaryRow{{"interruptions survived", survived, strings.Join(causes, ", ")}},
		[]summaryRow{checks},
		[]summaryRow{{"work set aside", len(aside), strings.Join(aside, ", ")}},
	)
}
