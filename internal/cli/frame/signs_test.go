package frame

import "testing"

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		figures []int64
		most    int64
		utf8    bool
		want    string
	}{
		{[]int64{0, 1, 50, 100, 250}, 100, true, "▁▁▄██"},
		{[]int64{0, 1, 50, 100}, 100, false, "__-#"},
		{[]int64{5}, 0, true, "█"},
		{nil, 9, true, ""},
	} {
		if got := Spark(c.figures, c.most, c.utf8); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.figures, c.most, got, c.want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		utf8        bool
		want        string
	}{
		{50, 100, true, "█████"}, {51, 100, true, "█████▏"}, {1, 1000, true, "▏"}, {0, 100, true, ""}, {200, 100, true, "██████████"}, {1, 0, true, ""}, {50, 100, false, "#####"}, {1, 1000, false, "#"},
	} {
		if got := Bar(c.part, c.whole, 10, c.utf8); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.part, c.whole, got, c.want)
		}
	}
}

func TestUTF8(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    bool
	}{
		{nil, true}, {[]string{"LANG=C"}, false}, {[]string{"LANG=de_DE.UTF-8"}, true}, {[]string{"LANG=de_DE.utf8", "LC_ALL=POSIX"}, false}, {[]string{"LC_ALL=", "LC_CTYPE=C.UTF-8", "LANG=C"}, true},
	} {
		if got := (&Env{Environ: c.environ}).UTF8(); got != c.want {
			t.Errorf("%q: %v", c.environ, got)
		}
	}
}

// Of a path that is cut the end stays, and wide characters count as the cells they take.
func TestCutFrom(t *testing.T) {
	for text, want := range map[string]string{"a/long/path.go": "…/path.go", "short": "short", "日本語の長い名前": "…長い名前"} {
		if got := CutFrom(text, 9); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Texts of a spare column are cut before a whole column goes.
func TestSpareColumn(t *testing.T) {
	for cols, want := range map[int]string{
		40: "some-long-name-of-it  7  the note\n", 22: "some-lon…  7  the note\n", 20: "some-long-name-o…  7\n", 12: "some-lon…  7\n",
	} {
		table := Table{Columns: []Column{{Least: 8, Spare: true}, {}, {Drop: 1}}}
		table.Row("some-long-name-of-it", "7", "the note")
		p := NewPage(cols, false)
		table.Print(p)
		if p.String() != want {
			t.Errorf("%d: %q, want %q", cols, p.String(), want)
		}
	}
}

func TestLabelled(t *testing.T) {
	p := NewPage(20, true)
	Labelled(p, 8, "cost", "twelve words and more")
	if want := "\x1b[2mcost\x1b[0m    twelve words\n        and more\n"; p.String() != want {
		t.Errorf("%q, want %q", p.String(), want)
	}
}
