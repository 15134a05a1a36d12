package brief

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/memory"
	"kedge/internal/text/words"
)

// How many entries of a list a brief shows.
const (
	maxEntries = 40
	maxNotes   = 20
	maxEntry   = 400  // bytes of one entry
	maxProse   = 3000 // bytes of a description
)

// entries writes stored texts one per line as data, and how many more there are.
func entries(list []string, see string) string {
	short := make([]string, len(list))
	for i, s := range list {
		short[i] = words.ClipBytes(line(s), maxEntry)
	}
	return listed(short, see)
}

// listed is entries for lines that are short enough.
func listed(list []string, see string) string {
	var b strings.Builder
	for _, s := range list[:min(len(list), maxEntries)] {
		b.WriteString("> - " + s + "\n")
	}
	if n := len(list) - maxEntries; n > 0 {
		b.WriteString("(" + strconv.Itoa(n) + " more: " + see + ")\n")
	}
	return b.String()
}

func heading(name string) string { return "\n## " + name + "\n" }

func handoffText(h *kedge.Handoff) string {
	if h == nil {
		return ""
	}
	blocked := h.BlockedOn
	if blocked == "" {
		blocked = nothing
	}
	list := []string{"State: " + strconv.Itoa(h.Percent) + "%: " + h.State}
	if len(h.Files) > 0 {
		list = append(list, "Files modified: "+strings.Join(h.Files, ", "))
	}
	list = append(list, "Approach: "+h.Approach)
	for _, c := range h.Constraints {
		list = append(list, "Constraint: "+c)
	}
	list = append(list, "Next step: "+h.Next, "Blocked on: "+blocked)
	return heading("Handoff of "+h.At.UTC().Format("2006-01-02 15:04")+" UTC") + entries(list, "kedge handoff show")
}

// nextText is the task. Its ids are names that Kedge checked; everything else is
// quoted.
func nextText(n *kedge.Next) string {
	h := heading("Where we are")
	switch {
	case n == nil:
		return h + "Kedge does not know what comes next.\n"
	case n.Feature == nil:
		return h + "No feature is ready to be worked on.\n" + quoted(n.Why)
	}
	var b strings.Builder
	b.WriteString(h + "Next: feature " + line(string(n.Feature.ID)))
	for _, f := range []struct{ name, text string }{{"phase", n.Phase}, {"item", n.Item}, {"branch", n.Branch}, {"commit", n.Commit}} {
		if f.text != "" {
			b.WriteString(", " + f.name + " " + line(f.text))
		}
	}
	b.WriteString(" (" + line(string(n.Feature.Status)) + ").\n" + quoted(n.Why))
	if n.Command != "" {
		b.WriteString("First command:\n> " + line(n.Command) + "\n")
	}
	return b.String() + featureText(*n.Feature)
}

func quoted(s string) string {
	if clean(s) == "" {
		return ""
	}
	return quote(words.ClipBytes(clean(s), maxProse)) + "\n"
}

func featureText(f kedge.Feature) string {
	var b strings.Builder
	b.WriteString("Its definition, which only the user may change:\n")
	b.WriteString(quoted(f.Name + "\n" + f.Description))
	checks := make([]string, 0, len(f.Checks))
	for _, c := range f.Checks {
		checks = append(checks, c.Name+": "+check.Text(c))
	}
	deps := make([]string, 0, len(f.Dependencies))
	for _, d := range f.Dependencies {
		deps = append(deps, string(d))
	}
	for _, l := range []struct {
		title string
		list  []string
	}{
		{"Accepted when", f.Acceptance},
		{"Steps", f.Steps},
		{"Paths it may change", f.Paths},
		{"Checks that Kedge will run", checks},
		{"Builds on", deps},
		{"Files that earlier work changed", f.Files},
	} {
		if len(l.list) > 0 {
			b.WriteString(l.title + ":\n" + entries(l.list, "kedge feature show "+line(string(f.ID))))
		}
	}
	if f.Notes != "" {
		b.WriteString("Notes:\n" + quoted(f.Notes))
	}
	return b.String()
}

// readingText lists what changed behind the session's back: drift since Kedge
// last looked, and the checkpoint's files that are no longer what they were.
func readingText(in Input) string {
	var list []string
	for _, d := range in.Drift {
		list = append(list, DriftLine(d)+", since Kedge last looked")
	}
	if in.Checkpoint != nil {
		for _, f := range in.Checkpoint.Files {
			if f.State == kedge.FileChanged || f.State == kedge.FileGone {
				list = append(list, string(f.State)+" "+f.Path+", since the checkpoint")
			}
		}
	}
	h := heading("Required reading")
	if in.DriftUnknown != "" {
		h += "Kedge cannot tell whether files changed since it last looked: " + line(in.DriftUnknown) + "\n"
	}
	if len(list) == 0 {
		if in.DriftUnknown == "" {
			h += "Nothing changed since Kedge last looked.\n"
		}
		return h
	}
	return h + "Any earlier idea of these files is stale: read them before you edit anything.\n" + entries(list, "kedge status")
}

// DriftLine shows one drifted path with the size of the difference.
func DriftLine(d kedge.Drift) string {
	return fmt.Sprintf("%s %s (+%d -%d lines)", d.State, line(d.Path), d.Added, d.Removed)
}

// rejectedText lists every path that was ruled out, once, with the reason: what
// failed at this very feature first, then the newest. What a superseded decision
// rejected does not count: its successor may have chosen exactly that.
func rejectedText(in Input) string {
	var list []string
	seen := map[string]bool{}
	add := func(what, reason string) {
		if clean(reason) == "" {
			reason = "no reason was recorded"
		}
		if s := what + ": " + reason; !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	addAll := func(rs []kedge.Rejected) {
		for _, r := range rs {
			add(r.What, r.Reason)
		}
	}
	for _, e := range slices.Backward(in.Failed) {
		add("the attempt at "+string(e.Feature)+" of "+e.At.UTC().Format("2006-01-02 15:04")+" UTC", FailureText(e.Verdict))
	}
	if in.Handoff != nil {
		addAll(in.Handoff.RuledOut)
	}
	for _, d := range slices.Backward(in.Decisions) {
		switch {
		case d.Withdrawn != "": // a slip that tells nobody anything
		case d.Status == kedge.DecisionSuperseded:
			add(d.Title, supersededBy(d.ID, in.Decisions))
		default:
			addAll(d.Rejected)
		}
	}
	if in.Checkpoint != nil {
		addAll(in.Checkpoint.RuledOut)
	}
	if len(list) == 0 {
		return heading("Decided against") + "Nothing so far.\n"
	}
	return heading("Decided against") + "Do not try these again without a new reason.\n" + entries(list, "kedge decide ls")
}

func supersededBy(id kedge.DecisionID, all []kedge.Decision) string {
	for _, d := range all {
		if d.Supersedes == id {
			reason := d.Reason
			if reason == "" {
				reason = d.Why
			}
			return "superseded by " + string(d.ID) + " " + d.Title + ": " + reason
		}
	}
	return "superseded"
}

// FailureText is a red verdict in one line: its first failure, and nothing else.
func FailureText(v kedge.Verdict) string {
	for _, c := range v.Checks {
		if f := c.FirstFailure; f != nil {
			return string(v.Verdict) + " in check " + c.Name + ": " + strings.Join(strings.Fields(f.Test+" "+placeOf(*f)+" "+f.Message), " ")
		}
	}
	return string(v.Verdict)
}

// placeOf is where a failure is, as far as that is known.
func placeOf(f kedge.Failure) string {
	switch {
	case f.File == "":
		return ""
	case f.Line == 0:
		return f.File
	default:
		return f.File + ":" + strconv.Itoa(f.Line)
	}
}

func decisionsText(all []kedge.Decision) string {
	var list []string
	for _, d := range all {
		if d.Status != kedge.DecisionLocked {
			continue
		}
		s := string(d.ID) + " " + d.Title + ": " + d.Why
		if question, answer, long := memory.LongAnswer(d); long { // its title is how it begins
			s = string(d.ID) + " " + answer + ": " + question
		}
		if len(d.AppliesTo) > 0 {
			s += " (applies to " + strings.Join(d.AppliesTo, ", ") + ")"
		}
		list = append(list, bindingLine(s, "kedge decide show "+string(d.ID)))
	}
	if len(list) == 0 {
		return ""
	}
	return heading("Decisions locked") + "Do not reopen them.\n" + listed(newestFirst(list), "kedge decide ls")
}

// newestFirst keeps what is recent when a list is longer than a brief shows.
func newestFirst(list []string) []string {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

func risksText(risks []kedge.Risk) string {
	list := make([]string, 0, len(risks))
	for _, r := range risks {
		list = append(list, string(r.ID)+" "+r.Text)
	}
	if len(list) == 0 {
		return ""
	}
	return heading("Open risks") + entries(newestFirst(list), "kedge risk ls")
}

func checkpointText(c *kedge.Checkpoint) string {
	if c == nil {
		return ""
	}
	var list []string
	if c.Task != "" {
		list = append(list, "Task: "+c.Task)
	}
	for _, s := range c.Status {
		list = append(list, box(s)+s.Text)
	}
	for _, f := range c.Files {
		list = append(list, "Re-read: "+f.Path+" ("+string(f.State)+")")
	}
	if n := clean(c.HumanNotes); n != "" {
		list = append(list, "Added by the user: "+n)
	}
	return heading("Checkpoint "+string(c.ID)+" of "+c.At.UTC().Format("2006-01-02 15:04")+" UTC") +
		"> " + words.ClipBytes(line(c.Resume), maxResume) + "\n" + entries(list, "kedge checkpoint show")
}

func box(s kedge.StatusLine) string {
	if s.Done {
		return "[x] "
	}
	return "[ ] "
}

// checklistText shows the plan from the last item that is done: what is long
// finished tells nobody anything.
func checklistText(lines []kedge.StatusLine) string {
	if len(lines) == 0 {
		return ""
	}
	open := slices.IndexFunc(lines, func(s kedge.StatusLine) bool { return !s.Done })
	if open < 0 {
		return heading("Plan") + "All " + words.Count(len(lines), "item") + " are done.\n"
	}
	skip := 0
	if len(lines) > maxEntries {
		skip = max(open-1, 0)
	}
	list := make([]string, 0, len(lines))
	for _, s := range lines[skip:] {
		list = append(list, box(s)+s.Text)
	}
	h := heading("Plan")
	if skip > 0 {
		h += "(" + words.Count(skip, "item") + " before these are done)\n"
	}
	return h + entries(list, "kedge plan show")
}

// noteText is one note. The first of them carries the heading.
func noteText(n kedge.Note, first bool, total int) string {
	var b strings.Builder
	if first {
		b.WriteString(heading("Notes"))
		if total > maxNotes {
			fmt.Fprintf(&b, "(the newest %d of %d notes; for the others: kedge notes)\n", maxNotes, total)
		}
	}
	lead, cause := n.Title, n.RootCause
	if strings.HasPrefix(line(cause), strings.TrimSuffix(line(lead), "…")) {
		lead, cause = cause, "" // the title is how the text begins: say it once
	}
	b.WriteString("> " + n.Date.UTC().Format("2006-01-02") + " " + words.ClipBytes(line(lead), maxEntry) + "\n")
	for _, f := range []struct{ name, text string }{
		{"Root cause", cause},
		{"Files", strings.Join(n.Files, ", ")},
		{"Constraints", n.Constraints},
		{"Validation", n.Validation},
		{"Dead ends", n.DeadEnds},
	} {
		if clean(f.text) != "" {
			b.WriteString(">   " + f.name + ": " + words.ClipBytes(line(f.text), maxEntry) + "\n")
		}
	}
	return b.String()
}
