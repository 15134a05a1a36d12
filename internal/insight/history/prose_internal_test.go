package history

import (
	"strings"
	"testing"

	"kedge/internal/text/page"
)

// TestProse: what models write is shown as they mean it, tables too, and what is no table
// stays as it stands; nothing in it is markup of the page.
func TestProse(t *testing.T) {
	for _, c := range []struct {
		text      string
		want, not []string
	}{
		{"see:\n| Way | Effort |\n|---|:--:|\n| **pools** | `a \\| b` |\n| <b>x</b> | 2 |\nand so on", []string{"<th scope=\"col\">Way</th>", "<strong>pools</strong>", "<code>a | b</code>", "&lt;b&gt;x&lt;/b&gt;", "<p class=\"say\">and so on</p>"}, []string{"---", "<b>x"}},
		{"| a | b |\n| c | d |\n| e | f |", []string{"| a | b |"}, []string{"<table"}},
		{"| a | b |\n|---|---|\n| c | d | e |", []string{"| c | d | e |"}, []string{"<table"}},
		{"1. **`Pool` struct** is new", []string{"<strong><code>Pool</code> struct</strong>"}, []string{"`"}},
		{"**not closed `either", []string{"**not closed `either"}, nil},
		{"```\na  b\nc  d\n```", []string{"<pre class=\"rows\">a  b\nc  d</pre>"}, nil},
		{"```\n" + strings.Repeat("long ", 60) + "\nb\n```", []string{"<pre>long"}, nil},
	} {
		got := string(page.Document("t", "s", prose(c.text)))
		got = got[strings.Index(got, "<main"):]
		for _, s := range c.want {
			if !strings.Contains(got, s) {
				t.Errorf("%q: no %q in %s", c.text, s, got)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got, s) {
				t.Errorf("%q: %q in %s", c.text, s, got)
			}
		}
	}
}
