package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

const questionsHead = "Questions"

var (
	phaseLine    = lazyre.New(`^Phase ([0-9]{1,4}): *(.*?)(?: *\{([^{}]*)\})?$`)
	itemLine     = lazyre.New(`^- \[([ xX])\] +(\S+)(?: +(.*))?$`)
	keyLine      = lazyre.New(`^[ \t]+([a-z]+):(.*)$`)
	strayKey     = lazyre.New(`(?:^|[\s(,;])(check|paths|after):(?:\s|$)`)
	questionLine = lazyre.New(`^([0-9]{1,4})[.)] +(.*)$`)
)

// section is a level-two heading with the lines below it.
type section struct {
	head string
	line int // of the heading, 1-based in the file
	from int // index of the first line below it
	to   int
}

func (d *Doc) lineNo(index int) int { return d.front.BodyLine + index }

func (d *Doc) bad(level kedge.Level, line int, fix, format string, args ...any) {
	d.problems = append(d.problems, kedge.Finding{
		Level: level, What: fmt.Sprintf(format, args...), Where: fmt.Sprintf("%s:%d", d.file, line), Fix: fix,
	})
}

// bare is a line without its end; a line of a comment says nothing.
func (d *Doc) bare(index int) string {
	if d.comments[index] {
		return ""
	}
	return strings.TrimRight(d.lines[index], " \t\r\n")
}

// findComments marks the lines from one that starts with "<!--" to the one that
// has "-->", as Markdown does. A fenced block is not looked into.
func (d *Doc) findComments() {
	d.comments = make([]bool, len(d.lines))
	fence, opened := "", 0 // opened: the line of the comment we are in
	for i := range d.lines {
		line := strings.TrimSpace(d.lines[i])
		if opened == 0 {
			if fence = fenceAfter(fence, strings.TrimRight(d.lines[i], " \t\r\n")); fence != "" || !strings.HasPrefix(line, "<!--") {
				continue
			}
			opened = d.lineNo(i)
		}
		d.comments[i] = true
		if strings.Contains(line, "-->") {
			opened = 0
		}
	}
	if opened > 0 {
		d.bad(kedge.LevelError, opened, `end it with "-->"`, "a comment has no end")
	}
}

func (d *Doc) readBody() {
	for _, s := range d.sections() {
		switch phase := phaseLine.FindStringSubmatch(s.head); {
		case phase != nil:
			d.readPhase(s, phase)
		case s.head == questionsHead:
			d.readQuestions(s)
		case slices.Contains(allFields, s.head):
			d.readField(s)
		default:
			d.bad(kedge.LevelError, s.line, "use the headings of docs/reference/plan-format.md of Kedge, in their order", "Kedge does not know the heading %q", s.head)
		}
	}
	d.checkOrder()
}

// sections cuts the body at its level-two headings, those in fenced blocks left
// alone, and reports text before the first.
func (d *Doc) sections() []section {
	var out []section
	var fence string
	for i := range d.lines {
		line := d.bare(i)
		if fence = fenceAfter(fence, line); fence != "" {
			continue
		}
		if head, ok := strings.CutPrefix(line, "## "); ok {
			if n := len(out); n > 0 {
				out[n-1].to = i
			}
			out = append(out, section{head: strings.TrimSpace(head), line: d.lineNo(i), from: i + 1, to: len(d.lines)})
			continue
		}
		if len(out) == 0 && line != "" {
			d.bad(kedge.LevelWarning, d.lineNo(i), "move the text below a heading", "there is text before the first heading")
		}
	}
	return out
}

// checkOrder compares the headings that are known with the order they must have.
func (d *Doc) checkOrder() {
	at := -1
	for _, f := range d.Plan.Fields {
		n := slices.Index(allFields, f.Name)
		if n < at {
			d.bad(kedge.LevelError, f.Line, "put the headings in this order: "+strings.Join(allFields, ", "),
				"field %q stands after %q", f.Name, allFields[at])
		}
		at = max(at, n)
	}
}

func (d *Doc) readField(s section) {
	if slices.ContainsFunc(d.Plan.Fields, func(f kedge.PlanField) bool { return f.Name == s.head }) {
		d.bad(kedge.LevelError, s.line, "keep one of them", "field %q appears twice", s.head)
		return
	}
	if len(d.Plan.Phases) > 0 {
		d.bad(kedge.LevelError, s.line, "move the field before the first phase", "field %q comes after a phase", s.head)
	}
	text := d.textOf(s.from, s.to)
	d.Plan.Fields = append(d.Plan.Fields, kedge.PlanField{Name: s.head, Text: text, Line: s.line})
	d.readList(s.head, text)
}

// readList takes over what a field lists.
func (d *Doc) readList(name, text string) {
	switch name {
	case "Assumptions":
		d.Plan.Assumptions = Statements(text)
	case "Invariants":
		d.Plan.Invariants = Statements(text)
	case "Risks":
		d.Plan.Risks = Statements(text)
	case "Validation":
		d.Plan.Validation = append([]string{}, Commands(text)...)
	}
}

func (d *Doc) textOf(from, to int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		if !d.comments[i] {
			text.WriteString(d.lines[i])
		}
	}
	return strings.Trim(strings.ReplaceAll(text.String(), "\r\n", "\n"), " \t\n")
}

func (d *Doc) readQuestions(s section) {
	if len(d.Plan.Fields) > 0 || len(d.Plan.Phases) > 0 || d.asked {
		d.bad(kedge.LevelError, s.line, "keep one such heading, before all others", "the heading %q must come first, and only once", questionsHead)
	}
	d.asked = true
	answering := false
	for i := s.from; i < s.to; i++ {
		line := d.bare(i)
		if line == "" {
			continue
		}
		if m := questionLine.FindStringSubmatch(line); m != nil {
			answering = false
			d.addQuestion(m, d.lineNo(i))
			continue
		}
		if indented := line != strings.TrimLeft(line, " \t"); indented && len(d.Plan.Questions) > 0 {
			answering = d.continueQuestion(strings.TrimSpace(line), answering)
			continue
		}
		if !saysNone(line) {
			d.bad(kedge.LevelError, d.lineNo(i), `number the questions ("1. …"), or write "none"`, "%q is not a numbered question", line)
		}
	}
}

func (d *Doc) addQuestion(m []string, line int) {
	n, _ := strconv.Atoi(m[1])
	if slices.ContainsFunc(d.Plan.Questions, func(q kedge.Question) bool { return q.N == n }) {
		d.bad(kedge.LevelError, line, "give one of them another number", "two questions have the number %d", n)
	}
	txt, blocking := strings.CutSuffix(m[2], "(blocking)")
	d.Plan.Questions = append(d.Plan.Questions, kedge.Question{N: n, Text: strings.TrimSpace(txt), Blocking: blocking, Line: line})
}

// continueQuestion adds an indented line to the last question: to its answer
// from the line "answer:" on.
func (d *Doc) continueQuestion(line string, answering bool) bool {
	q := &d.Plan.Questions[len(d.Plan.Questions)-1]
	if answer, ok := strings.CutPrefix(line, "answer:"); ok && !answering {
		q.Answer = strings.TrimSpace(answer)
		return true
	}
	into := &q.Text
	if answering {
		into = &q.Answer
	}
	*into = strings.TrimSpace(*into + "\n" + line)
	return answering
}

func saysNone(line string) bool {
	s := strings.ToLower(strings.Trim(line, " \t-*_().!"))
	return slices.Contains([]string{"", "none", "no questions", "no open questions", "there are none"}, s)
}

func (d *Doc) readPhase(s section, m []string) {
	n := len(d.Plan.Phases) + 1
	ph := kedge.Phase{ID: "p" + strconv.Itoa(n), Title: strings.TrimSpace(m[2]), Line: s.line, Items: []kedge.Item{}}
	if m[1] != strconv.Itoa(n) {
		d.bad(kedge.LevelError, s.line, "number the phases 1, 2, 3, …", "phase %s should be phase %d", m[1], n)
	}
	if ph.Title == "" {
		d.bad(kedge.LevelError, s.line, "", "phase %d has no title", n)
	}
	d.readAttributes(&ph, m[3])
	fence := ""
	for i := s.from; i < s.to; i++ {
		line := d.bare(i)
		before := fenceBefore(fence, line)
		if fence = fenceAfter(fence, line); before != "" || fence != "" {
			continue
		}
		if line != "" {
			d.readPhaseLine(&ph, i, line)
		}
	}
	d.Plan.Phases = append(d.Plan.Phases, ph)
}

// readAttributes reads "#p1 budget=… model=…".
func (d *Doc) readAttributes(ph *kedge.Phase, attributes string) {
	for _, word := range strings.Fields(attributes) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "#"):
			if word != "#"+ph.ID {
				d.bad(kedge.LevelError, ph.Line, "write {#"+ph.ID+"}", "the phase's id is %q and should be %q", word[1:], ph.ID)
			}
		case key == "budget":
			ph.Budget = value
		case key == "model":
			ph.Model = value
		default:
			d.bad(kedge.LevelError, ph.Line, "use only budget=… and model=…", "phase %q has the unknown attribute %q", ph.ID, key)
		}
	}
}

func (d *Doc) readPhaseLine(ph *kedge.Phase, index int, line string) {
	prompt, isPrompt := strings.CutPrefix(line, "prompt:")
	item, key := itemLine.FindStringSubmatch(line), keyLine.FindStringSubmatch(line)
	switch {
	case isPrompt && len(ph.Items) == 0:
		ph.Prompt = strings.TrimSpace(prompt)
	case item != nil:
		ph.Items = append(ph.Items, kedge.Item{
			ID: item[2], Text: strings.TrimSpace(item[3]), Done: item[1] != " ", Line: d.lineNo(index),
			Checks: []string{}, Paths: []string{}, After: []string{},
		})
		d.boxes = append(d.boxes, box{item[2], index})
		d.refuseStrayKey(item[3], index)
	case key != nil && len(ph.Items) > 0 && !strings.HasPrefix(key[2], "//"): // else it is an address in prose
		d.readItemKey(&ph.Items[len(ph.Items)-1], d.lineNo(index), key[1], strings.TrimSpace(key[2]))
	case d.refuseStrayKey(line, index):
	default:
		d.bad(kedge.LevelWarning, d.lineNo(index), "write an item as \"- [ ] "+ph.ID+".1 text\"", "Kedge does not understand this line: %s", line)
	}
}

// refuseStrayKey reports a key in the middle of a text, or at the start of a
// line: it would be lost.
func (d *Doc) refuseStrayKey(text string, index int) bool {
	m := strayKey.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	d.bad(kedge.LevelError, d.lineNo(index), "put it on a line of its own, indented, below the item", "Kedge does not read %q inside a text: put it on a line of its own, indented", m[1]+":")
	return true
}

func (d *Doc) readItemKey(it *kedge.Item, line int, key, value string) {
	if value == "" {
		d.bad(kedge.LevelError, line, "", "%q of item %q is empty", key, it.ID)
		return
	}
	switch {
	case key == "check" && value == "none":
		d.unproven[it.ID] = true
	case key == "check":
		it.Checks = append(it.Checks, value)
	case key == "paths":
		d.limited[it.ID] = cmp.Or(d.limited[it.ID], line)
		it.Paths = append(it.Paths, commaList(value)...)
	case key == "after":
		it.After = append(it.After, commaList(value)...)
	default:
		d.bad(kedge.LevelError, line, "use only check:, paths: and after:", "item %q has the unknown key %q", it.ID, key)
	}
}

func commaList(s string) []string {
	var out []string
	for _, part := range strings.Split(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
