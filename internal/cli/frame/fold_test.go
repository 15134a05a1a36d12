package frame

import "testing"

// TestFold: no line is cut within a word, and what goes on stands under its column.
func TestFold(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"short\n", "short\n"},
		{"no end", "no end"},
		{"name  one two three four\n", "name  one two three\n      four\n"},
		{"name  one two threeteen four\n", "name  one two\n      threeteen four\n"},
		{"name  exactlytwentych\n", "name  exactlytwentych\n"},
		{"name  averylongwordthatfitsnowhere then\n", "name  averylongwordthatfitsnowhere\n      then\n"},
		{"name  a averylongwordthatfitsnowhere\n", "name  a\n      averylongwordthatfitsnowhere\n"},
		{"name  ünë twö thrëë fouré\n", "name  ünë twö thrëë\n      fouré\n"},
		{"name  one two           \n", "name  one two           \n"},
		{"\n\na b\n", "\n\na b\n"},
	} {
		if got := fold(c.text, 20, 6); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// Of a word that is wider than the terminal, such as a path, the end stays; each part has the
// colour of its role, the blanks before it have none.
func TestRow(t *testing.T) {
	p := NewPage(24, true)
	Row(p, 8, Verified, "check", "unit: green, log /a/very/long/path/of/it.log")
	want := "\x1b[2mcheck   \x1b[0m\x1b[32munit: green, log\x1b[0m\n        \x1b[32m…/path/of/it.log\x1b[0m\n"
	if got := p.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
