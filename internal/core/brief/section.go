package brief

import (
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// row is one line of a section with its number in the file.
type row struct {
	n    int
	text string
}

// writeSections writes headings and their lines.
func writeSections(b *strings.Builder, names []string, lines [][]string) {
	for i, name := range names {
		b.WriteString("## " + name + "\n")
		for _, l := range lines[i] {
			b.WriteString(l + "\n")
		}
	}
}

// readSections takes a body apart: its first line, which is the marker, and the
// lines under each heading. The headings must be exactly names, in order.
func readSections(file, body string, names []string) (first string, out [][]row, err error) {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	out = make([][]row, 0, len(names))
	for i, l := range lines[1:] {
		n := i + 2
		if name, ok := strings.CutPrefix(l, "## "); ok {
			if len(out) == len(names) || name != names[len(out)] {
				return "", nil, bad(file, n, "heading %q is in the wrong place", words.ClipBytes(name, 60)).
					WithHint("the headings are, in this order: %s", strings.Join(names, ", "))
			}
			out = append(out, nil)
			continue
		}
		if len(out) == 0 {
			return "", nil, bad(file, n, "text before the first heading")
		}
		out[len(out)-1] = append(out[len(out)-1], row{n, l})
	}
	if len(out) < len(names) {
		return "", nil, bad(file, len(lines), "heading %q is missing", names[len(out)])
	}
	return lines[0], out, nil
}

// item takes the mark off a list line and unescapes the rest.
func (r row) item(file, mark string) (string, error) {
	text, ok := strings.CutPrefix(r.text, mark)
	if !ok {
		return "", bad(file, r.n, "the line must start with %q", mark)
	}
	return r.plain(file, text)
}

func (r row) plain(file, text string) (string, error) {
	s, err := unescape(text)
	if err != nil {
		return "", bad(file, r.n, "%v", err)
	}
	return s, nil
}

// texts reads a section that is a list of texts.
func texts(file string, rows []row) ([]string, error) {
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		s, err := r.item(file, "- ")
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// single reads a section that is one line of text.
func single(file, name string, rows []row) (string, error) {
	if len(rows) != 1 {
		n := 1
		if len(rows) > 0 {
			n = rows[0].n
		}
		return "", bad(file, n, "section %q must have one line, not %d", name, len(rows))
	}
	return rows[0].plain(file, rows[0].text)
}

func writeTexts(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, "- "+escape(clean(s)))
	}
	return out
}

// writeRejected keeps what and reason apart by ": ", which is why a colon in the
// first is escaped.
func writeRejected(list []kedge.Rejected) []string {
	out := make([]string, 0, len(list))
	for _, r := range list {
		what := strings.ReplaceAll(escape(clean(r.What)), ":", `\:`)
		out = append(out, strings.TrimRight("- "+what+": "+escape(clean(r.Reason)), " "))
	}
	return out
}

func readRejected(file string, rows []row) ([]kedge.Rejected, error) {
	out := make([]kedge.Rejected, 0, len(rows))
	for _, r := range rows {
		text, ok := strings.CutPrefix(r.text, "- ")
		i := unescapedColon(text)
		if !ok || i < 0 {
			return nil, bad(file, r.n, "the line must have the form %q", "- what: reason")
		}
		what, err := r.plain(file, text[:i])
		if err != nil {
			return nil, err
		}
		reason, err := r.plain(file, strings.TrimPrefix(text[i+1:], " "))
		if err != nil {
			return nil, err
		}
		out = append(out, kedge.Rejected{What: what, Reason: reason})
	}
	return out, nil
}

// unescapedColon finds the colon between what and reason.
func unescapedColon(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ':':
			return i
		}
	}
	return -1
}
