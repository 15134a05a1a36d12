package memory

import (
	"slices"
	"strings"

	"kedge/internal/text/strict"
)

// section is one "## Name" part of a document: its text without the blank lines
// around it, and where things stand, for error messages.
type section struct {
	name string
	line int // of the heading
	text string
	at   int // line of the first line of text
}

// document is the common form of a decision and a note: front matter, a title,
// sections in a fixed order.
type document struct {
	file     string
	head     strict.Doc
	title    string
	line     int // of the title
	intro    string
	sections []section
}

// form is what a kind of document must look like.
type form struct {
	keys     []string // of the front matter, all required
	lists    []string // those of them that are lists
	sections []string // in their order
	optional []string // those of them that may be missing
}

// problem is what is wrong with one part (a key, a section) of a document.
type problem struct {
	part string
	err  error
}

// firstProblem gives the first part that has an error.
func firstProblem(ps []problem) problem {
	for _, p := range ps {
		if p.err != nil {
			return p
		}
	}
	return problem{}
}

// parseDocument reads a document of the given form.
func parseDocument(file string, b []byte, f form) (document, error) {
	head, err := strict.ParseDoc(file, b, f.keys...)
	if err != nil {
		return document{}, err
	}
	d := document{file: file, head: head}
	return d, firstError(d.checkHead(f), d.parseBody(), d.checkSections(f.sections, f.optional))
}

func (d *document) checkHead(f form) error {
	for _, k := range f.keys {
		if _, ok := d.head.Get(k); !ok {
			return invalid(d.file, d.head.BodyLine-1, "the lines at the top of the file lack the key %q", k)
		}
	}
	if v, _ := d.head.Get("version"); v.Text != version {
		return invalid(d.file, v.Line, "Kedge does not know version %q; it reads version %q", v.Text, version).
			WithHint("the file may come from a newer Kedge: update Kedge")
	}
	return d.checkLists(f.lists...)
}

// parseBody cuts the body at its headings. Text that starts a line with "# " or
// "## " was written with a backslash before it, so a heading is always one.
func (d *document) parseBody() error {
	cur, n := section{}, d.head.BodyLine
	var lines []string
	flush := func() {
		cur.text, cur.at = unescape(lines, cur.line+1)
		if cur.name != "" {
			d.sections = append(d.sections, cur)
		} else {
			d.intro = cur.text
		}
		lines = nil
	}
	for raw := range strings.Lines(d.head.Body) {
		line := strings.TrimRight(raw, " \t\r\n")
		title, isTitle := strings.CutPrefix(line, "# ")
		name, isSection := strings.CutPrefix(line, "## ")
		switch {
		case isTitle && d.title == "":
			if strings.TrimSpace(strings.Join(lines, "")) != "" {
				return invalid(d.file, n, "there is text before the title")
			}
			d.title, d.line, lines, cur.line = strings.TrimSpace(title), n, nil, n
		case isTitle:
			return invalid(d.file, n, "a second title %q", title)
		case isSection:
			flush()
			cur = section{name: strings.TrimSpace(name), line: n}
		default:
			lines = append(lines, line)
		}
		n++
	}
	flush()
	if d.title == "" {
		return invalid(d.file, d.head.BodyLine, "no title: there must be a line %q", "# Title")
	}
	return nil
}

func (d *document) checkSections(names, optional []string) error {
	at := 0
	for _, s := range d.sections {
		i := slices.Index(names, s.name)
		if i < 0 {
			return invalid(d.file, s.line, "unknown section %q", s.name).
				WithHint("the sections are %s", strings.Join(names, ", "))
		}
		if i < at {
			return invalid(d.file, s.line, "section %q is there twice, or comes after %q", s.name, names[at-1])
		}
		if missing := firstRequired(names[at:i], optional); missing != "" {
			return invalid(d.file, s.line, "section %q is missing before %q", missing, s.name)
		}
		at = i + 1
	}
	if missing := firstRequired(names[at:], optional); missing != "" {
		return invalid(d.file, d.head.BodyLine+strings.Count(d.head.Body, "\n"), "section %q is missing", missing)
	}
	return nil
}

func firstRequired(names, optional []string) string {
	for _, n := range names {
		if !slices.Contains(optional, n) {
			return n
		}
	}
	return ""
}

// section gives the section of that name; empty when it is not there.
func (d *document) section(name string) section {
	for _, s := range d.sections {
		if s.name == name {
			return s
		}
	}
	return section{}
}

// lineOf is the line of a key of the front matter, of a section, or else of the
// title: where a complaint about the part of that name belongs.
func (d *document) lineOf(name string) int {
	if f, ok := d.head.Get(name); ok {
		return f.Line
	}
	if s := d.section(name); s.name != "" {
		return s.line
	}
	return d.line
}

// place gives a problem its file and line; nil when there is none.
func (d *document) place(p problem) error {
	if p.err == nil {
		return nil
	}
	return invalid(d.file, d.lineOf(p.part), "%w", p.err)
}

// checkLists refuses a list where one value is wanted, and the other way round.
func (d *document) checkLists(lists ...string) error {
	for _, f := range d.head.Fields {
		if want := slices.Contains(lists, f.Key); want && f.List == nil {
			return invalid(d.file, f.Line, "%q is not a list like [a, b]", f.Key)
		} else if !want && f.List != nil {
			return invalid(d.file, f.Line, "%q must be one value, not a list", f.Key)
		}
	}
	return nil
}

func (d *document) text(key string) string {
	f, _ := d.head.Get(key)
	return f.Text
}

func (d *document) list(key string) []string {
	f, _ := d.head.Get(key)
	return f.List
}

// item is one "- " line of a section.
type item struct {
	line int
	text string
}

// items reads a section as a list of "- " lines.
func (d *document) items(s section) ([]item, error) {
	var out []item
	n := s.at - 1
	for line := range strings.SplitSeq(s.text, "\n") {
		n++
		if line == "" {
			continue
		}
		text, ok := strings.CutPrefix(line, "- ")
		if !ok {
			return nil, invalid(d.file, n, "there must be a line %q in section %q", "- …", s.name)
		}
		out = append(out, item{n, text})
	}
	return out, nil
}

// writeDocument is the opposite of parseDocument.
func writeDocument(fields []strict.Field, title, intro string, sections []section) []byte {
	var b strings.Builder
	b.WriteString("\n# " + title + "\n")
	if intro != "" {
		b.WriteString("\n" + escape(intro) + "\n")
	}
	for _, s := range sections {
		b.WriteString("\n## " + s.name + "\n")
		if s.text != "" {
			b.WriteString("\n" + escape(s.text) + "\n")
		}
	}
	d := strict.NewDoc(b.String(), fields...)
	return d.Bytes()
}

// escape keeps lines of text from being taken for headings: a backslash goes
// before "# " and "## ", and before what looks so already.
func escape(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if headingLike(l) {
			lines[i] = `\` + l
		}
	}
	return strings.Join(lines, "\n")
}

func headingLike(line string) bool {
	rest := strings.TrimLeft(line, `\`)
	return strings.HasPrefix(rest, "# ") || strings.HasPrefix(rest, "## ")
}

// unescape joins the lines of a section, without the blank ones around them,
// and says on which line they start when the first stands on line n.
func unescape(lines []string, n int) (string, int) {
	for len(lines) > 0 && lines[0] == "" {
		lines, n = lines[1:], n+1
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		if strings.HasPrefix(l, `\`) && headingLike(l) {
			l = l[1:]
		}
		out[i] = l
	}
	return strings.Join(out, "\n"), n
}
