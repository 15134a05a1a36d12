package resume

import (
	"slices"
	"strconv"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/text/words"
)

// leads may stand before what a sentence announces: "Now let me", "Next, run".
var leads = []string{"now,", "now", "so", "okay,", "ok,", "then", "next,", "next", "first,", "but first,", "but first", "great,", "good,", "alright,", "finally,", "also,"}

// plans are how a sentence begins that says what the model does next.
var plans = []string{
	"let me ", "let's ", "i'll ", "i will ", "i'm going to ", "i am going to ", "i need to ", "i should ", "i want to ", "i can now ", "we need to ",
	"starting with ", "the next step", "next step",
}

// telling are sentences that begin like a plan and are none: they close, explain or
// tell what is so.
var telling = []string{
	"let me know", "let me summar", "let me provide", "let me explain", "let me recap", "let me give you", "let me walk you", "let me show you", "let me clarify", "let me describe",
	"let me answer", "let me present", "let me outline", "let me report", "let's say", "i'll wait", "i will wait", "i'll explain", "i'll summar", "i'll let you", "i'll be ", "i'll leave",
	"i should note", "i should mention", "i should point", "i should be clear", "i need to know", "i need your", "i need you ",
}

// doing are verbs with which a step begins that has no "let me" before it, between
// spaces.
const doing = " add address adjust apply build call change check clean clear commit compare compile confirm continue convert copy create debug define delete deploy document draft drop" +
	" edit ensure examine execute extend extract fetch find finish fix format generate get handle implement inspect install investigate link lint look make merge migrate modify move open" +
	" pass port push put read rebase rebuild refactor register remove rename replace rerun re-run resolve restart restore revert review rewrite run save search set simplify split stage start" +
	" switch test track trace try turn update upgrade use validate verify wire wrap write "

// announces tells whether a sentence says what the model does next.
func announces(s string) bool {
	low := strings.ToLower(s)
	core, led := low, false
	for again := true; again; {
		again = false
		for _, lead := range leads {
			if rest, ok := strings.CutPrefix(core, lead+" "); ok {
				core, led, again = rest, true, true
				break
			}
		}
	}
	switch {
	case beginsAny(core, telling):
		return false
	case beginsAny(core, plans):
		return true
	}
	verb, _, _ := strings.Cut(core, " ")
	return led && (strings.HasSuffix(s, ":") || strings.Contains(doing, " "+verb+" "))
}

const (
	// leastPlan is how many bytes a sentence has at least that says enough: "Let me
	// re-think this." does not.
	leastPlan = 24
	// mostAfter is how many bytes of sentences may stand behind one that announces:
	// behind it is then what is to be done. Behind more it is a part of a report.
	mostAfter = 500
)

// intention gives the last sentence of a text that says what comes next.
func intention(text string) string {
	behind := 0
	for _, s := range slices.Backward(words.Sentences(text)) {
		if len(s) >= leastPlan && announces(s) {
			return cut(strings.TrimRight(s, ":"), maxRemark)
		}
		if behind += len(s); behind > mostAfter {
			break
		}
	}
	return ""
}

// next is the exact next step, as far as the transcript has it.
func (p *Picker) next() string {
	s := &p.step
	if s.told.kind == saidStop {
		return "The user stopped the work here: ask how to go on before doing anything."
	}
	if s.after != "" {
		return cut(s.after, 2*maxRemark)
	}
	if said := intention(s.text.text); said != "" && (!s.acted || s.done) {
		return said
	}
	switch {
	case s.call != nil && s.acted && !s.done && !keepsList(s.call.tool):
		return "Finish what was cut off: " + s.call.describe()
	case s.refused != nil && s.acted:
		return afterRefusal(s)
	case s.failed && s.acted:
		return "Get past what failed: " + s.call.describe() + ": " + firstLines(cut(untagged(s.result), 240), 3)
	case s.spoke && s.text.text != "":
		return p.afterReport()
	}
	if said := intention(s.thought.text); said != "" {
		return said
	}
	return p.goOn()
}

// untagged takes the tag off an error that Claude Code itself gives.
func untagged(s string) string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "<tool_use_error>")
	return strings.TrimSpace(strings.TrimSuffix(s, "</tool_use_error>"))
}

// afterRefusal is what comes after the user refused a call.
func afterRefusal(s *step) string {
	if *s.refused == "" {
		return "The user refused this call, ask how to go on: " + s.call.describe()
	}
	return "The user refused this call: " + s.call.describe() + ". Do as they said: " + cut(*s.refused, maxRemark)
}

// afterReport is what comes after the model reported and stopped.
func (p *Picker) afterReport() string {
	if q := questions(p.step.text.text); len(q) > 0 {
		return "Wait for the user's answer to: " + q[len(q)-1]
	}
	const ended = "The last turn ended with a report"
	report := p.report()
	switch left := p.todo.in("in_progress", "pending"); {
	case len(left) > 0:
		return ended + ", and its list has more to do. Go on with: " + cut(left[0], maxRemark)
	case p.step.command.stillRed():
		return ended + ", and this was still red: " + cut(p.step.command.call.command, 160) + saidLead + report
	case p.asks.main.text == "": // there is nobody to ask
		return ended + "; nothing is in flight. It said: " + report
	case len(p.notDone()) > 0:
		return ended + ", and not all of it is done: see what is open." + reportLead + report
	default:
		return "The ask looks done: check that it is, then ask the user what comes next." + reportLead + report
	}
}

// What stands before a report in the next step.
const (
	reportLead = " The report began: "
	saidLead   = "\nIt said: "
)

// report is how the model's last words begin, in one line.
func (p *Picker) report() string {
	const enough, most = 60, 240
	text := ""
	list := words.Sentences(p.step.text.text)
	for i, s := range list {
		low := strings.ToLower(s)
		if strings.HasSuffix(s, ":") && beginsAny(low, telling) { // "Let me summarize:"
			continue
		}
		if strings.HasSuffix(s, ":") { // "The changes:", and what they are
			if !beginsAny(low, listing) && len(text) < leastPlan {
				text = strings.TrimSpace(text + " " + completed(list, i))
			}
			if text != "" {
				break
			}
			continue
		}
		if text = strings.TrimSpace(text + " " + s); len(text) >= enough {
			break
		}
	}
	if text == "" { // it has no sentence outside of code and tables
		text = strings.Join(strings.Fields(p.step.text.text), " ")
	}
	return cut(text, most)
}

// listing are how a line begins that only leads to a list.
var listing = []string{"here's", "here is", "here are", "the changes", "changes", "summary", "what i ", "what changed", "key ", "added", "removed", "updated:", "fixed:", "files"}

// goOn is what comes next where nobody said it.
func (p *Picker) goOn() string {
	if doing := p.todo.in("in_progress"); len(doing) > 0 {
		return "Go on with: " + cut(doing[0], maxRemark)
	}
	if !p.step.acted {
		if p.asks.main.text == "" {
			return "Nothing was asked yet."
		}
		return "Begin with the ask: nothing was done about it yet."
	}
	if open := p.todo.in("pending"); len(open) > 0 {
		return "Go on with: " + cut(open[0], maxRemark)
	}
	if p.step.command != nil && p.step.command.failed {
		return "Make this work: " + cut(p.step.command.call.command, 160)
	}
	if p.step.same >= circle {
		return "The last " + strconv.Itoa(p.step.same) + " calls were the same, so try something else: " + p.step.call.describe()
	}
	if p.asks.main.text == "" {
		return "Go on with the task after: " + p.step.call.describe()
	}
	return "Go on with the ask after: " + p.step.call.describe()
}

// circle is from how many equal calls in a row on a session goes in a circle.
const circle = 3

// inFlight is what was begun and not finished.
func (p *Picker) inFlight() string {
	var list []string
	for _, text := range p.todo.in("in_progress") {
		list = append(list, "step: "+cut(text, 200))
	}
	if p.step.recorded != "" {
		list = append(list, "the last step that it told of: "+cut(p.step.recorded, 200))
	}
	if done := len(p.todo.in("completed")); done > 0 && done < len(p.todo.items) {
		list = append(list, strconv.Itoa(done)+" of "+strconv.Itoa(len(p.todo.items))+" steps of the model's list are done")
	}
	for _, c := range p.waiting() {
		list = append(list, "without a result: "+c.describe())
	}
	if text := p.step.text.text; text != "" && intention(text) == "" && len(questions(text)) == 0 && p.final().text == "" {
		list = append(list, "said last: "+cut(strings.Join(strings.Fields(text), " "), maxRemark))
	}
	if since := p.editedSince(p.askedAt, "edited for the ask so far: "); since != "" && p.final().text == "" {
		list = append(list, since)
	}
	if n := p.uncommitted(); n > 0 {
		list = append(list, words.Count(n, "file")+" edited since the last commit that is seen here")
	}
	if p.step.commit != "" {
		last := "last commit: " + p.step.commit
		if p.step.pushed {
			last += " (pushed)"
		}
		list = append(list, last)
	}
	if p.asks.plan != "" {
		list = append(list, "plan shown: "+p.asks.plan)
	}
	return strings.Join(list, "\n")
}

// waiting gives the calls of the last moment that have no result, in their
// order. Older ones never got any.
func (p *Picker) waiting() []*call {
	var list []*call
	for _, c := range p.calls {
		if p.step.call != nil && c.n > p.n-8 && !p.step.done && !keepsList(c.tool) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *call) int { return a.n - b.n })
	return list
}

func (p *Picker) uncommitted() int {
	n := 0
	for _, f := range p.files.list {
		if f.dirty && p.files.ofWork(f.key) {
			n++
		}
	}
	return n
}

// planTitle is the first line of a plan.
func planTitle(plan string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(plan), "\n")
	return cut(strings.Trim(first, "# "), 160)
}

// notDone gives what speaks against it that the ask is done: checks that were red when they
// last ran, what the last report says is not as it should be, and what the one before it
// said so where nothing was edited since.
func (p *Picker) notDone() []string {
	var list []string
	for _, r := range p.reds {
		list = append(list, r.command)
	}
	list = append(list, p.faults(p.step.text, p.n)...)
	worked := func(f *file) bool { // and not only noted it down
		return f.lastAt[actEdit] > p.step.report.acts && p.files.ofWork(f.key) && !strings.HasSuffix(f.key, ".md")
	}
	if !slices.ContainsFunc(p.files.list, worked) {
		list = append(list, p.faults(p.step.report, p.step.report.acts)...)
	}
	return list
}

// unfinished are the words of a report that the matter itself is not done.
var unfinished = []string{"not working", "doesn't work", "does not work", "isn't working", "still fail", "still red", "still broken", "in progress", "not finished", "unfinished", "couldn't get", "could not get"}

// faults gives the sentences of a report that say so.
func (p *Picker) faults(r remark, n int) []string {
	var list []string
	for _, u := range words.Units(cut(r.text, keptOfReport)) {
		if low := strings.ToLower(u.Text); hasAny(low, unfinished) && !strings.HasSuffix(u.Text, "?") && !p.settled(u, n) {
			list = append(list, "the agent said: "+cut(u.Text, maxRemark)+atLine(r.line))
		}
	}
	return list
}

// open is what nobody answered yet.
func (p *Picker) open() []string {
	list := []string{}
	for _, c := range p.waiting() {
		if c.tool == "AskUserQuestion" {
			list = append(list, "asked and not answered: "+c.about)
		}
	}
	if p.step.spoke {
		for _, q := range questions(p.step.text.text) {
			list = append(list, q+atLine(p.step.text.line))
		}
	}
	list = append(list, p.notDone()[min(len(p.reds), len(p.notDone())):]...)
	last := p.step.command
	if last.stillRed() {
		list = append(list, "still red: "+cut(strings.Join(strings.Fields(last.call.command), " "), 160))
	}
	for i, r := range slices.Backward(p.reds) {
		if i < len(p.reds)-mostReds {
			break
		}
		if !last.stillRed() || r.command != last.call.command {
			list = append(list, "red when it last ran, "+ago(p.n-r.n)+": "+cut(strings.Join(strings.Fields(r.command), " "), 160))
		}
	}
	for _, text := range p.todo.in("pending") {
		list = append(list, "to do: "+cut(strings.Join(strings.Fields(text), " "), 200))
	}
	return list
}

// mostReds is how many checks are named that were red.
const mostReds = 2

// questions gives the sentences of a text that ask something.
func questions(text string) []string {
	var list []string
	for _, s := range words.Sentences(text) {
		if strings.HasSuffix(s, "?") {
			list = append(list, cut(s, maxRemark))
		}
	}
	return list
}

// ranByHand takes a command that the user ran themselves, or its output.
func (s *step) ranByHand(text string) {
	if in := between(text, "bash-input"); in != "" {
		s.command = &command{call: &call{tool: "the user", act: audit.Shell, command: in}}
		return
	}
	if s.command != nil && s.command.call.tool == "the user" && !s.command.done {
		out := strings.TrimSpace(between(text, "bash-stdout") + "\n" + between(text, "bash-stderr"))
		s.command.done, s.command.output, s.command.failed = true, bothEnds(out, maxOutput), red(s.command.call.command, out)
	}
}
