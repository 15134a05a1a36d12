package plan

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/glob"
	"kedge/internal/text/lazyre"
)

// The limits of what one field lists.
const (
	maxStatements = 200
	maxStatement  = 1000 // bytes of one entry
)

var (
	statementKey = lazyre.New(`^(check|paths?|phases?): *(.+)$`)
	inlineCheck  = lazyre.New(`(?:^|[(;,.–—] ?)check: *(.+)$`)
	verifiedBy   = lazyre.New("(?i)\\b(?:verified|checked) (?:by|with)(?: running)?:? `([^`]+)`")
	inlinePaths  = lazyre.New(`(?i)\(paths?: *([^()]+)\)`)
	inlinePhase  = lazyre.New(`(?i)^phase ([0-9]{1,4}): |\((?:only |in )?phases?:? ([^()]+)\)`)
	subheading   = lazyre.New(`^#{1,6} `)
)

// Statements reads the entries of Assumptions, Invariants or Risks: the list items, and
// each paragraph beside them. "check:", "paths:" and "phase:", in an entry or on indented
// lines below it, say how it is verified and what it applies to. A field that says that
// there are none has none.
func Statements(field string) []kedge.Statement {
	r := statements{out: []kedge.Statement{}}
	for line := range strings.Lines(field) {
		r.read(strings.TrimRight(line, " \t\r\n"))
	}
	r.end()
	return r.out
}

// StatementOf reads one entry that stands in one text.
func StatementOf(text string) kedge.Statement {
	s := kedge.Statement{Text: flat(text, maxStatement)}
	inline(&s)
	return s
}

// statements reads a field line by line.
type statements struct {
	out    []kedge.Statement
	now    kedge.Statement // the entry that is being read
	open   bool            // there is one
	listed bool            // it is a list item
	indent int             // of its mark
	blank  bool            // the line before was empty
	fence  string
}

func (r *statements) read(line string) {
	before := fenceBefore(r.fence, line)
	r.fence = fenceAfter(r.fence, line)
	text, mark := strings.TrimSpace(line), markOf(line)
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	inside := r.open && r.listed && indent > r.indent
	switch {
	case before != r.fence || text == "": // the marks of a block, or nothing
	case before != "":
		r.more(text)
	case subheading.MatchString(line):
		r.end()
	case mark != "" && !inside:
		r.leadIn()
		r.begin(line[len(mark):], indent)
		r.listed = true
	case inside || r.open && !r.blank:
		r.more(strings.TrimSpace(line[len(mark):]))
	default:
		r.end()
		r.begin(text, indent)
	}
	r.blank = text == ""
}

// markOf is the mark that a list item begins with, with the space around it.
func markOf(line string) string {
	if m := listMark.FindStringSubmatch(line); m != nil {
		return m[0]
	}
	return ""
}

// begin starts an entry; the one before it ends.
func (r *statements) begin(text string, indent int) {
	r.end()
	r.open, r.listed, r.indent = true, false, indent
	r.more(strings.TrimSpace(text))
}

// more adds a line to the entry: what it says, or a key.
func (r *statements) more(text string) {
	m := statementKey.FindStringSubmatch(text)
	switch {
	case m == nil:
		r.open = true
		r.now.Text = strings.TrimSpace(r.now.Text + " " + text)
	case m[1] == "check":
		r.now.Check = command(m[2])
	case strings.HasPrefix(m[1], "path"):
		r.now.Paths = addPaths(r.now.Paths, m[2])
	default:
		r.now.Phases = append(r.now.Phases, phaseNames(m[2])...)
	}
}

// leadIn drops a paragraph that only introduces the list below it.
func (r *statements) leadIn() {
	if r.open && !r.listed && strings.HasSuffix(r.now.Text, ":") {
		r.open, r.now = false, kedge.Statement{}
	}
}

// end takes the entry that was read.
func (r *statements) end() {
	s := r.now
	r.open, r.listed, r.now = false, false, kedge.Statement{}
	s.Text = flat(s.Text, maxStatement)
	if s.Text == "" && s.Check != "" {
		s.Text = "`" + s.Check + "` is green"
	}
	if s.Text == "" || saysNothing(s.Text) || len(r.out) >= maxStatements {
		return
	}
	inline(&s)
	r.out = append(r.out, s)
}

// inline reads what the text of an entry says about itself. What stood on lines of its
// own counts before it.
func inline(s *kedge.Statement) {
	if m := verifiedBy.FindStringSubmatch(s.Text); m != nil && s.Check == "" {
		s.Check = command(m[1])
	}
	if m := inlineCheck.FindStringSubmatch(s.Text); m != nil && s.Check == "" {
		s.Check = command(m[1])
	}
	for _, m := range inlinePaths.FindAllStringSubmatch(s.Text, -1) {
		s.Paths = addPaths(s.Paths, m[1])
	}
	for _, m := range inlinePhase.FindAllStringSubmatch(s.Text, -1) {
		s.Phases = append(s.Phases, phaseNames(m[1]+m[2])...)
	}
}

// command is a check as it is run: without the quotes and the bracket around it.
func command(text string) string {
	text = strings.TrimSpace(text)
	if m := codeSpan.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, "`") {
		text = m[1]
	}
	if strings.HasSuffix(text, ")") && strings.Count(text, ")") > strings.Count(text, "(") {
		text = strings.TrimSuffix(text, ")")
	}
	return strings.TrimSpace(text)
}

// addPaths adds the patterns of a list; what is no pattern would match nothing, and is
// left out.
func addPaths(to []string, list string) []string {
	for _, p := range commaList(list) {
		p = strings.Trim(p, "`\"' ")
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if p != "" && glob.Valid(p) == nil && !slices.Contains(to, p) {
			to = append(to, p)
		}
	}
	return to
}

// phaseNames are the phases that a list names.
func phaseNames(list string) []string {
	var out []string
	for _, name := range commaList(strings.ReplaceAll(list, " and ", ",")) {
		out = append(out, strings.Trim(name, "`\"' "))
	}
	return out
}

// nothing is an entry that says that there is none.
var nothing = lazyre.New(`^(?:there (?:are|is) )?(?:none|nothing|no|n/a|na|not applicable)` +
	`(?: (?:that|we|i|are|is|known|know|so|far|yet|of|identified|found|at|this|time|the|moment|special|new|risks?|assumptions?|invariants?))*$`)

func saysNothing(text string) bool {
	s := strings.ToLower(strings.Trim(text, " \t-*_().!"))
	return s == "" || nothing.MatchString(s)
}

// FindPhase is the phase that a number, an id or a title names, or the beginning of one
// title; Invalid where several begin so, NotFound where none does.
func FindPhase(phases []kedge.Phase, name string) (int, error) {
	name = strings.TrimSpace(name)
	word := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(name), "phase "))
	var begin []int
	for i, ph := range phases {
		title := strings.ToLower(strings.TrimSpace(ph.Title))
		switch {
		case strings.EqualFold(ph.ID, word) || "p"+word == strings.ToLower(ph.ID) || title != "" && title == strings.ToLower(name):
			return i, nil
		case word != "" && strings.HasPrefix(title, word):
			begin = append(begin, i)
		}
	}
	switch len(begin) {
	case 1:
		return begin[0], nil
	case 0:
		return -1, kedge.Errorf(kedge.NotFound, "the plan has no phase %q", name).WithHint("see the phases: kedge plan show")
	}
	return -1, kedge.Errorf(kedge.Invalid, "the titles of %d phases begin with %q", len(begin), name).
		WithHint("repeat your command with the number of the phase, for example %s", strings.TrimPrefix(phases[begin[0]].ID, "p"))
}
