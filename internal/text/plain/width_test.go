package plain_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"kedge/internal/text/plain"
)

// lines gives the lines of a file of Unicode data that are no comments.
func lines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); {
		if line := s.Text(); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// TestWidthOfEmoji: every emoji of Unicode takes two cells, however many code points
// it has: with joiners, skin tones, selectors, as a flag and as a keycap.
func TestWidthOfEmoji(t *testing.T) {
	n := 0
	for _, line := range lines(t, "emoji.txt.gz") {
		var s strings.Builder
		for _, hex := range strings.Fields(line) {
			r, err := strconv.ParseUint(hex, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			s.WriteRune(rune(r))
		}
		if got := plain.Cells(s.String()); got != 2 {
			t.Errorf("%s %s takes %d cells", s.String(), line, got)
		}
		if got := plain.Head(s.String()+"x", 2); got != s.String() {
			t.Errorf("%s %s is cut to %q", s.String(), line, got)
		}
		n++
	}
	if n < 3900 {
		t.Errorf("only %d emoji were read", n)
	}
}

// TestWidthOfWideCharacters: what Unicode calls wide or fullwidth takes two cells,
// marks take none, and everything else one.
func TestWidthOfWideCharacters(t *testing.T) {
	wide := map[rune]bool{}
	for _, line := range lines(t, "wide.txt") {
		var first, last rune
		if _, err := fmt.Sscanf(line, "%X..%X", &first, &last); err != nil {
			t.Fatal(err)
		}
		for r := first; r <= last; r++ {
			wide[r] = true
		}
	}
	// The same, without a cell: vowels and final consonants of Hangul.
	jamo := func(r rune) bool { return r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7fb }
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		switch got := plain.Width(r); {
		case r == 0x1171e: // a mark with a width since Unicode 16, which package unicode does not know
		case unicode.In(r, unicode.Mn, unicode.Me) || r == 0x302e || r == 0x302f:
			if got != 0 {
				t.Errorf("%U is a mark and takes %d cells", r, got)
			}
		case unicode.In(r, unicode.Cf), jamo(r), r >= 0xe0000 && r <= 0xe0fff: // some of them are seen
		case r >= 0x20000 && r <= 0x3ffff && !utf8.ValidRune(r):
		case wide[r] && got != 2:
			t.Errorf("%U is wide and takes %d cells", r, got)
		case !wide[r] && got == 2:
			t.Errorf("%U is not wide and takes two cells", r)
		case got == 0 && unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs):
			t.Errorf("%U takes no cell", r)
		}
	}
}

func TestCells(t *testing.T) {
	for s, want := range map[string]int{
		"":                   0,
		"plain":              5,
		"grüße":              5,
		"e\u0301 a\u0308":    3,
		"世界":                 4,
		"한국어":                6,
		"ﾊﾝｶｸ":               4,
		"\u1112\u1161\u11ab": 2, // one syllable of three letters
		"❤":                  1,
		"❤\ufe0f":            2,
		"✈\ufe0e":            1,
		"1\ufe0f\u20e3":      2,
		"👍🏽":                 2,
		"a🏽":                 3, // a skin tone colours emoji only
		"👩🏽\u200d🚀":          2,
		"🇨🇭🇯🇵":               4,
		"🇨🇭🇯":                3,
		"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f": 2,
		"a\u200db":       2, // a joiner between letters joins nothing
		"soft\u00adhyph": 9,
		"zero\u200bwide": 8,
		"กำ":             2,
		"क्ष":            2,
		"⠋ ─│ █":         6,
	} {
		if got := plain.Cells(s); got != want {
			t.Errorf("%q takes %d cells, want %d", s, got, want)
		}
	}
}

func TestHead(t *testing.T) {
	for _, c := range []struct {
		s     string
		cells int
		want  string
	}{
		{"plain", 3, "pla"},
		{"plain", 9, "plain"},
		{"世界", 3, "世"},
		{"e\u0301x", 1, "e\u0301"},
		{"👩🏽\u200d🚀x", 1, ""},
		{"👩🏽\u200d🚀x", 2, "👩🏽\u200d🚀"},
		{"x", 0, ""},
	} {
		if got := plain.Head(c.s, c.cells); got != c.want {
			t.Errorf("%q cut to %d cells is %q", c.s, c.cells, got)
		}
	}
}

// FuzzHead: a text is cut where it says, and the rest takes the other cells.
func FuzzHead(f *testing.F) {
	f.Add("a世👩🏽\u200d🚀e\u0301\xff🇨🇭", 3)
	f.Fuzz(func(t *testing.T, s string, cells int) {
		head := plain.Head(s, cells)
		if !strings.HasPrefix(s, head) || plain.Cells(head) > max(cells, 0) {
			t.Fatalf("%q cut to %d is %q", s, cells, head)
		}
		if plain.Cells(head)+plain.Cells(s[len(head):]) != plain.Cells(s) {
			t.Fatalf("a grapheme of %q was cut after %q", s, head)
		}
	})
}
