package frame

import (
	"bytes"
	"strings"
	"testing"
)

func sample() *Table {
	t := &Table{Columns: []Column{{Title: "NAME", Least: 8}, {Title: "N", Right: true}, {Title: "EMPTY"}, {Title: "AGE", Drop: 1}, {Title: "WHAT", Drop: 2}}}
	t.Add(Cell{"tax-rules", Waits}, Cell{Text: "7"}, Cell{}, Cell{Text: "3m"}, Cell{Text: "日本"})
	t.Row("a-name-that-is-long", "1234", "", "", "x")
	return t
}

func TestTable(t *testing.T) {
	for name, c := range map[string]struct {
		cols int
		want string
	}{
		"any length":         {0, "NAME                    N  AGE  WHAT\ntax-rules               7  3m   日本\na-name-that-is-long  1234       x\n"},
		"a column goes":      {35, "NAME                    N  AGE\ntax-rules               7  3m\na-name-that-is-long  1234\n"},
		"then texts are cut": {20, "NAME               N\ntax-rules          7\na-name-that-i…  1234\n"},
		"never below least":  {4, "NAME         N\ntax-rul…     7\na-name-…  1234\n"},
	} {
		p := &Page{cols: c.cols}
		p.filter.W = &p.text
		sample().Print(p)
		if got := p.text.String(); got != c.want {
			t.Errorf("%s:\n%swant:\n%s", name, got, c.want)
		}
	}
	var b bytes.Buffer
	sample().Print(&b)
	if !strings.Contains(b.String(), "tax-rules") || strings.Contains(b.String(), "\x1b") {
		t.Errorf("into a file: %q", b.String())
	}
}

// A text of a repository cannot write an escape sequence, and colours stand around texts
// only, so that columns stay where they are.
func TestPageColours(t *testing.T) {
	p := &Page{colours: true}
	p.filter.W = &p.text
	Put(p, Failed, "re\x1b[0md")
	Put(p, Plain, " \x1b]0;title\x07plain")
	table := Table{Columns: []Column{{}, {}}}
	table.Add(Cell{"ok", Verified}, Cell{Text: "\x1b[31mx\ny"})
	table.Print(p)
	want := "\x1b[31mre[0md\x1b[0m ]0;titleplain\x1b[32mok\x1b[0m  [31mx y\n"
	if got := p.text.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
