package plan

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/text/glob"
	"kedge/internal/text/lazyre"
)

// Check lists what keeps a plan from being approved (errors) and what a person
// should know before (warnings), by line. onPath tells whether a program can be
// run in the project.
func (d *Doc) Check(onPath func(program string) bool) []kedge.Finding {
	kept := len(d.problems)
	defer func() { d.problems = d.problems[:kept] }()
	if d.Plan.Title == "" {
		d.bad(kedge.LevelError, 1, "add a line \"title: \" with what the plan achieves", "the plan has no title")
	}
	d.checkFields(onPath)
	d.checkFounding()
	d.checkQuestions()
	d.checkPhases(onPath)
	out := slices.Clone(d.problems)
	slices.SortStableFunc(out, func(a, b kedge.Finding) int { return lineOf(a) - lineOf(b) })
	return out
}

func lineOf(f kedge.Finding) int {
	n, _ := strconv.Atoi(f.Where[strings.LastIndexByte(f.Where, ':')+1:])
	return n
}

// Failed tells whether a finding is an error.
func Failed(findings []kedge.Finding) bool {
	return slices.ContainsFunc(findings, func(f kedge.Finding) bool { return f.Level == kedge.LevelError })
}

// lastLine is where something that is missing is reported.
func (d *Doc) lastLine() int {
	last := len(d.lines) - 1
	if last > 0 && d.lines[last] == "" { // what follows the last newline
		last--
	}
	return d.lineNo(max(last, 0))
}

func (d *Doc) checkFields(onPath func(string) bool) {
	for _, name := range planFields {
		i := slices.IndexFunc(d.Plan.Fields, func(f kedge.PlanField) bool { return f.Name == name })
		switch {
		case i < 0:
			d.bad(kedge.LevelError, d.lastLine(), "add the heading \"## "+name+"\" and what belongs there", "field %q is missing", name)
		case d.Plan.Fields[i].Text == "":
			d.bad(kedge.LevelError, d.Plan.Fields[i].Line, "write the text below the heading", "field %q is empty", name)
		case name == "Validation":
			d.checkValidation(d.Plan.Fields[i], onPath)
		}
	}
	d.checkStatements(onPath)
}

func (d *Doc) checkValidation(f kedge.PlanField, onPath func(string) bool) {
	commands := Commands(f.Text)
	if len(commands) == 0 {
		d.bad(kedge.LevelError, f.Line, "list exact commands, one per line", "field %q names no command", f.Name)
	}
	for _, c := range commands {
		for _, p := range check.Programs(c) {
			if !onPath(p) {
				d.bad(kedge.LevelError, d.lineWith(f.Line, c), "correct the command, or install the program",
					"field %q: the program %q of the command %q does not exist", f.Name, p, c)
			}
		}
	}
}

// lineWith finds a text at or below a line.
func (d *Doc) lineWith(from int, text string) int {
	for i := max(from-d.front.BodyLine, 0); i < len(d.lines); i++ {
		if strings.Contains(d.lines[i], text) {
			return d.lineNo(i)
		}
	}
	return from
}

func (d *Doc) checkQuestions() {
	if !d.asked {
		d.bad(kedge.LevelError, d.front.BodyLine, `add the heading "## Questions", with "none" below it if there are none`, "the heading %q is missing", questionsHead)
	}
	for _, q := range d.Plan.Questions {
		if q.Text == "" {
			d.bad(kedge.LevelError, q.Line, "", "question %d is empty", q.N)
		}
		switch {
		case q.Answer == "" && q.Blocking:
			d.bad(kedge.LevelWarning, q.Line, "write an \"answer:\" line below it", "question %d is not answered and blocks the approval", q.N)
		case q.Answer == "":
			d.bad(kedge.LevelWarning, q.Line, "write an \"answer:\" line below it", "question %d is not answered", q.N)
		}
	}
}

// OpenQuestions gives the blocking questions that nobody has answered: a plan
// with one cannot be approved.
func OpenQuestions(p kedge.Plan) []kedge.Question {
	var out []kedge.Question
	for _, q := range p.Questions {
		if q.Blocking && q.Answer == "" {
			out = append(out, q)
		}
	}
	return out
}

func (d *Doc) checkPhases(onPath func(string) bool) {
	if len(d.Plan.Phases) == 0 {
		d.bad(kedge.LevelError, d.lastLine(), `add "## Phase 1: title {#p1}" with its items`, "the plan has no phase")
	}
	d.checkReplaced()
	places := map[string]int{} // item → its phase
	for n, ph := range d.Plan.Phases {
		if len(ph.Items) == 0 {
			d.bad(kedge.LevelError, ph.Line, "add items: \"- [ ] "+ph.ID+".1 text\"", "phase %q has no items", ph.ID)
		}
		if _, ok := parseBudget(ph.Budget); !ok {
			d.bad(kedge.LevelError, ph.Line, "write tokens (200000, 200k, 2m) or dollars ($5, 5usd)", "phase %q has the budget %q, which Kedge does not understand", ph.ID, ph.Budget)
		}
		for _, it := range ph.Items {
			if _, twice := places[it.ID]; twice {
				d.bad(kedge.LevelError, it.Line, "give it another number", "two items have the id %q", it.ID)
			}
			places[it.ID] = n
			d.checkItem(ph, it, onPath)
		}
	}
	for n, ph := range d.Plan.Phases {
		for _, it := range ph.Items {
			d.checkAfter(it, n, places)
		}
	}
	d.checkCycles()
}

// unreplaced is what the draft of Template has where people write something else.
var unreplaced = lazyre.New(`^<[^<>]*>$`)

// checkReplaced finds what still stands as the draft has it.
func (d *Doc) checkReplaced() {
	const fix = "replace the example, with its angle brackets, or remove the line"
	for _, ph := range d.Plan.Phases {
		if unreplaced.MatchString(ph.Prompt) {
			d.bad(kedge.LevelError, d.lineWith(ph.Line, ph.Prompt), fix, "the prompt of phase %q is still the example of the draft: %s", ph.ID, ph.Prompt)
		}
		for _, it := range ph.Items {
			for _, text := range slices.Concat([]string{it.Text}, it.Checks, it.Paths) {
				if unreplaced.MatchString(text) {
					d.bad(kedge.LevelError, d.lineWith(it.Line, text), fix, "item %q is still the example of the draft: %s", it.ID, text)
				}
			}
		}
	}
}

func (d *Doc) checkItem(ph kedge.Phase, it kedge.Item, onPath func(string) bool) {
	number, ok := strings.CutPrefix(it.ID, ph.ID+".")
	if n, err := strconv.Atoi(number); !ok || err != nil || n < 1 || strconv.Itoa(n) != number || len(number) > 6 {
		d.bad(kedge.LevelError, it.Line, "number the items "+ph.ID+".1, "+ph.ID+".2, …", "item %q needs an id such as %s.1", it.ID, ph.ID)
	}
	if it.Text == "" {
		d.bad(kedge.LevelError, it.Line, "say what is to be done", "item %q has no text", it.ID)
	}
	if len(it.Checks) == 0 && !d.unproven[it.ID] {
		d.bad(kedge.LevelWarning, it.Line, `add "check: COMMAND", or "check: none"`, "item %q has no check: you will have to accept it", it.ID)
	}
	for _, c := range check.Lines(it.Checks) {
		for _, p := range check.Programs(check.ShellLine(c)) {
			if !onPath(p) {
				d.bad(kedge.LevelWarning, it.Line, "nothing to do if this item creates the program; otherwise correct the check", "item %q: the program %q of its check does not exist yet", it.ID, p)
			}
		}
		if f := check.Validate(c); f != nil {
			d.bad(kedge.LevelError, it.Line, f.Fix, "item %q: %s", it.ID, f.What)
		}
	}
	for _, p := range it.Paths {
		if err := glob.Valid(p); err != nil {
			d.bad(kedge.LevelError, it.Line, "use patterns such as src/**", "item %q has the path %q: %v", it.ID, p, err)
		}
	}
}

func (d *Doc) checkAfter(it kedge.Item, phase int, places map[string]int) {
	for _, a := range it.After {
		switch at, ok := places[a]; {
		case !ok:
			d.bad(kedge.LevelError, it.Line, "correct the id behind after:", "item %q comes after %q, which does not exist", it.ID, a)
		case at > phase:
			d.bad(kedge.LevelError, it.Line, "move one of the two: an earlier phase cannot wait for a later one", "item %q comes after %q of a later phase", it.ID, a)
		}
	}
}

// checkCycles finds items that wait for each other; only "after" can do that.
func (d *Doc) checkCycles() {
	var features []kedge.Feature
	lines := map[kedge.FeatureID]int{}
	for _, ph := range d.Plan.Phases {
		for _, it := range ph.Items {
			f := kedge.Feature{Definition: kedge.Definition{ID: kedge.FeatureID(it.ID)}}
			for _, a := range it.After {
				f.Dependencies = append(f.Dependencies, kedge.FeatureID(a))
			}
			features, lines[f.ID] = append(features, f), it.Line
		}
	}
	for _, cycle := range newGraph(features).cycles() {
		d.bad(kedge.LevelError, lines[cycle[0]], "remove one \"after:\"", "items wait for each other: %s", pathText(cycle))
	}
}
