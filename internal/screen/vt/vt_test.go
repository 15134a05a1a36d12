package vt

import (
	"fmt"
	"strings"
	"testing"
)

// fed is a terminal that was given a text.
func fed(cols, rows int, s string) *Terminal {
	t := New(cols, rows)
	_, _ = t.Write([]byte(s))
	return t
}

// TestScreens: what sequences do to the screen and the cursor. | ends a line.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		x, y           int
	}{
		{"wrap", "abcdefgh12", "abcdefgh|12||", 2, 1},
		{"wrap waits", "abcdefgh", "abcdefgh|||", 8, 0},
		{"no wrap", "\x1b[?7labcdefgh12", "abcdefg2|||", 7, 0},
		{"erasing leaves what the cursor waits behind", "abcdefgh\x1b[K", "abcdefgh|||", 8, 0},
		{"wide at the edge", "abcdefg世", "abcdefg|世||", 2, 1},
		{"half of a wide one", "世界\r\x1b[Cx", " x界|||", 2, 0},
		{"marks", "e\u0301x", "e\u0301x|||", 2, 0},
		{"emoji", "👩🏽\u200d🚀x", "👩🏽\u200d🚀x|||", 3, 0},
		{"emoji in pieces of their own", "\x1b[?2027l👩🏽x", "👩🏽x|||", 5, 0},
		{"emoji selector", "❤\ufe0fx", "❤\ufe0fx|||", 3, 0},
		{"flags", "🇨🇭🇯🇵", "🇨🇭🇯🇵|||", 4, 0},
		{"keycap", "1\ufe0f\u20e3x", "1\ufe0f\u20e3x|||", 3, 0},
		{"emoji without room", "abcdefg❤\ufe0fx", "abcdefg❤\ufe0f|x||", 1, 1},
		{"graphics", "\x1b(0lqk\x1b(B q", "┌─┐ q|||", 5, 0},
		{"shifts", "\x1b)0q\x0eq\x0fq", "q─q|||", 3, 0},
		{"title does not end at 9c", "\x1b]0;✳ title\x07x", "x|||", 1, 0},
		{"title with ST", "\x1b]0;t\x1b\\x", "x|||", 1, 0},
		{"cancelled title", "\x1b]0;t\x18x", "x|||", 1, 0},
		{"a text that another sequence cuts off", "\x1b]0;t\x1b[2Cx", "  x|||", 3, 0},
		{"strings", "\x1bPq#0\x1b\\a\x1b_G\x1b\\b\x1b^x\x1b\\c\x1bXy\x1b\\d", "abcd|||", 4, 0},
		{"C1", "a\u009b2Cb\u0085c", "a  b|c||", 1, 1},
		{"malformed", "a\xffb\xe4\xb8c", "a\uFFFDb\uFFFDc|||", 5, 0},
		{"control inside", "\x1b[2\nCx", "|  x||", 3, 1},
		{"scroll", "1\r\n2\r\n3\r\n4", "2|3|4|", 1, 2},
		{"margins", "1\r\n2\r\n3\x1b[1;2r\x1b[2;1H\nx", "2|x|3|", 1, 1},
		{"reverse index", "1\r\n2\x1b[H\x1bMx", "x|1|2|", 1, 0},
		{"origin", "\x1b[2;3r\x1b[?6h\x1b[Hx\x1b[9;9Hy", "|x|       y|", 8, 2},
		{"side margins", "abcdefgh\x1b[?69h\x1b[3;5s\x1b[2;3Hxyz1", "abcdefgh|  xyz|  1|", 3, 2},
		{"insert lines", "1\r\n2\r\n3\x1b[2;2H\x1b[Lx", "1|x|2|", 1, 1},
		{"delete lines", "1\r\n2\r\n3\x1b[1;2H\x1b[M", "2|3||", 0, 0},
		{"insert and delete", "abcd\x1b[1;2H\x1b[2@\x1b[1;5H\x1b[P", "a  bd|||", 4, 0},
		{"insert mode", "abc\r\x1b[4hx", "xabc|||", 1, 0},
		{"erase characters", "abcd\r\x1b[2X", "  cd|||", 0, 0},
		{"repeat", "a\x1b[3bc", "aaaac|||", 5, 0},
		{"repeat nothing", "a\x1b[m\x1b[3bc", "ac|||", 2, 0},
		{"tabs", "\x1b[3g\x1b[4G\x1bH\ra\tb", "a  b|||", 4, 0},
		{"save and restore", "ab\x1b7\x1b[3;3Hx\x1b8c", "abc||  x|", 3, 0},
		{"alternate", "main\x1b[?1049hx\x1b[?1049l!", "main!|||", 5, 0},
		{"selective", "\x1b[1\"qa\x1b[0\"qb\x1b[?2K", "a|||", 2, 0},
		{"align", "\x1b#8", "EEEEEEEE|EEEEEEEE|EEEEEEEE|", 0, 0},
		{"reset", "a\x1b[2;3r\x1bcb", "b|||", 1, 0},
		{"soft reset", "\x1b[2;3r\x1b[4h\x1b[!pa", "a|||", 1, 0},
		{"back over the edge", "\x1b[?45habcdefghi\b\bx", "abcdefgx|i||", 8, 0},
		{"columns", "abcd\r\n1234\x1b[1;2H\x1b['}", "a bcd|1 234||", 1, 0},
		{"long parameters", "\x1b[99999999999Cx\x1b[0;;;m", "       x|||", 8, 0},
	} {
		term := fed(8, 3, c.in)
		if got := strings.ReplaceAll(term.Text(), "\n", "|"); got != c.want {
			t.Errorf("%s: %q shows\n%s, want\n%s", c.name, c.in, got, c.want)
		}
		if x, y := term.Cursor(); x != c.x || y != c.y {
			t.Errorf("%s: the cursor is at %d %d, want %d %d", c.name, x, y, c.x, c.y)
		}
	}
}

// TestLooks: each way to write a style comes to the same, and is written shortly.
func TestLooks(t *testing.T) {
	for in, want := range map[string]string{
		"1;2;3;4;5;7;8;9;53":    "0;1;2;3;5;7;8;9;53;4",
		"1;22;3;23;4;24;31;39":  "",
		"4:3":                   "0;4:3",
		"4:0":                   "",
		"21":                    "0;4:2",
		"31;42":                 "0;31;42",
		"91;102":                "0;91;102",
		"38;5;200":              "0;38;5;200",
		"38:5:200":              "0;38;5;200",
		"38;5;3":                "0;33",
		"38;2;1;2;3":            "0;38;2;1;2;3",
		"38:2:1:2:3":            "0;38;2;1;2;3",
		"38:2::1:2:3":           "0;38;2;1;2;3",
		"48;2;1;2;3;1":          "0;1;48;2;1;2;3",
		"58:2::9:8:7":           "0;58:2:9:8:7",
		"58;5;9":                "0;58:5:9",
		"38;5":                  "",
		"38;5;256;1":            "0;1",
		"38:2:1":                "",
		"1;0":                   "",
		"1;;3":                  "0;3",
		"999;1":                 "0;1",
		"4:3;1":                 "0;1;4:3",
		"58:2::1:2:3;4:5;59;38": "0;4:5",
	} {
		term := fed(8, 2, "\x1b["+in+"mx")
		want := "\x1b[" + want + "mx\x1b[m"
		if want == "\x1b[mx\x1b[m" {
			want = "x"
		}
		if got := string(term.Line(0).Append(nil)); got != want {
			t.Errorf("%s becomes %q, want %q", in, got, want)
		}
	}
}

// TestAnswers: queries are answered to whoever wants the answers, and only then.
func TestAnswers(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[c":                      "\x1b[?62;22c",
		"\x1bZ":                       "\x1b[?62;22c",
		"\x1b[>c":                     "\x1b[>0;276;0c",
		"\x1b[=c":                     "\x1bP!|00000000\x1b\\",
		"\x1b[>q":                     "\x1bP>|kedge\x1b\\",
		"\x1b[5n":                     "\x1b[0n",
		"ab\x1b[6n":                   "\x1b[1;3R",
		"\x1b[2;3r\x1b[?6h\x1b[6n":    "\x1b[1;1R",
		"\x1b[?6n":                    "\x1b[?1;1;1R",
		"\x1b[?996n":                  "\x1b[?997;1n",
		"\x1b]11;#fff\a\x1b[?996n":    "\x1b[?997;2n",
		"\x1b[?2026$p":                "\x1b[?2026;2$y",
		"\x1b[?2026h\x1b[?2026$p":     "\x1b[?2026;1$y",
		"\x1b[?25$p":                  "\x1b[?25;1$y",
		"\x1b[?1049h\x1b[?1049$p":     "\x1b[?1049;1$y",
		"\x1b[?1003h\x1b[?1003$p":     "\x1b[?1003;1$y",
		"\x1b[?9999$p":                "\x1b[?9999;0$y",
		"\x1b[4$p":                    "\x1b[4;2$y",
		"\x1b[>5u\x1b[?u":             "\x1b[?5u",
		"\x1b[>5u\x1b[<u\x1b[?u":      "\x1b[?0u",
		"\x1b[>4;2m\x1b[?4m":          "\x1b[>4;2m",
		"\x1b]10;?\x1b\\":             "\x1b]10;rgb:e0e0/e0e0/e0e0\x1b\\",
		"\x1b]11;?\a":                 "\x1b]11;rgb:1010/1010/1414\x1b\\",
		"\x1b]10;?;?\a":               "\x1b]10;rgb:e0e0/e0e0/e0e0\x1b\\\x1b]11;rgb:1010/1010/1414\x1b\\",
		"\x1b]4;1;?\a":                "\x1b]4;1;rgb:cdcd/0000/0000\x1b\\",
		"\x1b]4;232;?\a":              "\x1b]4;232;rgb:0808/0808/0808\x1b\\",
		"\x1b]4;5;#123\a\x1b]4;5;?\a": "\x1b]4;5;rgb:1111/2222/3333\x1b\\",
		"\x1b[31m\x1bP$qm\x1b\\":      "\x1bP1$r0;31m\x1b\\",
		"\x1bP$qr\x1b\\":              "\x1bP1$r1;3r\x1b\\",
		"\x1b[3 q\x1bP$q q\x1b\\":     "\x1bP1$r3 q\x1b\\",
		"\x1bP$qz\x1b\\":              "\x1bP0$r\x1b\\",
		"\x1bP+q544E\x1b\\":           "\x1bP1+r544E=787465726D2D323536636F6C6F72\x1b\\",
		"\x1bP+q585858\x1b\\":         "\x1bP0+r585858\x1b\\",
		"\x1b[18t":                    "\x1b[8;3;8t",
		"\x1b[x":                      "\x1b[2;1;1;128;128;1;0x",
		"\x1b[?2048h":                 "\x1b[48;3;8;0;0t",
	} {
		term := New(8, 3)
		var got strings.Builder
		term.Reply = func(b []byte) { got.Write(b) }
		_, _ = term.Write([]byte(in))
		if got.String() != want {
			t.Errorf("%q is answered %q, want %q", in, got.String(), want)
		}
		quiet := fed(8, 3, in)
		compare(t, in, quiet, term)
	}
}

// TestLeft: every line that leaves the main screen is told once, in order, and none of
// the alternate screen or of a region below the top is.
func TestLeft(t *testing.T) {
	term := New(6, 3)
	var left []string
	term.Left = func(l Line) {
		left = append(left, fmt.Sprintf("%s%v%v", l.Text(), map[bool]string{true: "+"}[l.Continues()], map[bool]string{true: "!"}[l.Erased()]))
	}
	for i, c := range []struct{ in, want string }{
		{"1\r\n2\r\n3", ""},
		{"\r\n4", "1"},
		{"\r\nabcdefghi\r\n", "2 3 4"},
		{"x\r\n", "abcdef+"},
		{"\x1b[?1049h1\r\n2\r\n3\r\n4\r\n\x1b[?1049l", ""},
		{"\x1b[2;3r\x1b[3;1H\n\n\n\x1b[r", ""},
		{"\x1b[H\x1b[M", ""},
		{"\x1b[1;2r\x1b[2;1Hp\nq\x1b[r", ""},
		{"\x1b[Ha\x1b[2J", "a!  q!"},
		{"\x1b[1;1Ha\x1b[2S", "a "},
	} {
		left = nil
		_, _ = term.Write([]byte(c.in))
		if got := strings.Join(left, " "); got != c.want {
			t.Errorf("%d: after %q there left %q, want %q", i, c.in, got, c.want)
		}
	}
}

// TestResize: lines of the main screen are broken anew, and come together again. As with
// tmux, each line that this makes more moves one out at the top, even if there is room.
func TestResize(t *testing.T) {
	for _, c := range []struct {
		name, in   string
		cols, rows int
		want, left string
		x, y       int
	}{
		{"narrower", "abcdefgh\r\n12", 4, 5, "efgh|12||||", "abcd", 2, 1},
		{"wider", "abcdefghijkl\r\n12", 12, 5, "abcdefghijkl|12||||", "", 2, 1},
		{"lower", "1\r\n2\r\n3\r\n4", 8, 2, "3|4|", "1 2", 1, 1},
		{"lower, cursor above", "1\r\n2\r\n3\r\n4\x1b[2;1H", 8, 2, "1|2|", "", 0, 1},
		{"higher", "1\r\n2", 8, 7, "1|2||||||", "", 1, 1},
		{"higher, with lines above", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", 8, 6, "2|3|4|5|6|7|", "1 2 -1", 1, 5},
		{"higher, erased", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\x1b[H\x1b[2Jx", 8, 6, "x||||||", "1 2 3 4 5 6 7", 1, 0},
		{"wider, with lines above", "abcdefgh1234\r\nabcdefgh\r\nxyz\r\n1\r\n2\r\n3", 12, 5, "abcdefgh|xyz|1|2|3|", "abcdefgh 1234", 1, 4},
		{"wider, and it comes back", "abcdefgh1234\r\n1\r\n2\r\n3\r\n4", 12, 5, "abcdefgh1234|1|2|3|4|", "abcdefgh -1", 1, 4},
		{"wide ones", "世界世界", 3, 5, "界|||||", "世 界 世", 2, 0},
		{"waits at the end", "abcdefgh", 4, 5, "efgh|||||", "abcd", 4, 0},
		{"alternate is cut", "\x1b[?1049habcdefgh\r\n12", 4, 5, "abcd|12||||", "", 2, 1},
	} {
		term := New(8, 5)
		var left []string
		term.Left = func(l Line) { left = append(left, l.Text()) }
		term.Returned = func(n int) { left = append(left, fmt.Sprint(-n)) }
		_, _ = term.Write([]byte(c.in))
		term.Resize(c.cols, c.rows)
		if got := strings.ReplaceAll(term.Text(), "\n", "|"); got != c.want || strings.Join(left, " ") != c.left {
			t.Errorf("%s: it shows\n%s, want\n%s; left are %q", c.name, got, c.want, left)
		}
		if x, y := term.Cursor(); x != c.x || y != c.y {
			t.Errorf("%s: the cursor is at %d %d, want %d %d", c.name, x, y, c.x, c.y)
		}
	}
}

// TestManyStyles: styles, clusters and links that nothing shows any more are forgotten,
// and those that are shown keep their looks.
func TestManyStyles(t *testing.T) {
	term := New(20, 4)
	for i := range 100_000 {
		fmt.Fprintf(term, "\x1b[38;2;%d;%d;%dm\x1b]8;;http://x/%d\x1b\\e%c%c\x1b]8;;\x1b\\", i>>16, i>>8&255, i&255, i, 0x300+i%100, 0x300+i/100%100)
	}
	if most := 2*(20*4+pastCells) + leastStyles; len(term.styles) > most || len(term.links) > most || len(term.clusters) > most {
		t.Errorf("%d styles, %d links, %d clusters", len(term.styles), len(term.links), len(term.clusters))
	}
	last := 99_999
	c := term.screen.rows[term.atY].cells[term.atX]
	s := term.styles[c.style()]
	if s.fg != direct|colour(last) || term.links[s.link].url != fmt.Sprintf("http://x/%d", last) {
		t.Errorf("the last one looks like %+v, %v", s, term.links[s.link])
	}
	fresh, _ := again(term)
	compare(t, "many styles", fresh, term)
}

func TestTitles(t *testing.T) {
	term := fed(8, 2, "\x1b]2;one\a\x1b]1;icon\a\x1b[22t\x1b]0;two\n\u0085\a")
	if term.Title() != "two" || term.Icon() != "two" {
		t.Errorf("titles %q %q", term.Title(), term.Icon())
	}
	_, _ = term.Write([]byte("\x1b[23t"))
	if term.Title() != "one" || term.Icon() != "icon" {
		t.Errorf("titles %q %q", term.Title(), term.Icon())
	}
}

// TestModes: what a program switched on is known.
func TestModes(t *testing.T) {
	term := fed(30, 4, "\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?2026h\x1b[>3u\x1b[?1049h\x1b[>5u")
	for number, want := range map[int]bool{2004: true, 1002: true, 1000: false, 1006: true, 2026: true, 1049: true, 25: true, 1: false, 7: true} {
		if term.Mode(number) != want {
			t.Errorf("mode %d is set: %v", number, !want)
		}
	}
	if !term.Alternate() || term.KeyFlags() != 5 {
		t.Errorf("alternate %v, flags %d", term.Alternate(), term.KeyFlags())
	}
	_, _ = term.Write([]byte("\x1b[?2026l\x1b[?1049l\x1b[?25l"))
	if term.Mode(2026) || term.Mode(25) || term.Alternate() || term.KeyFlags() != 3 {
		t.Error("modes stay set")
	}
	if cols, rows := term.Size(); cols != 30 || rows != 4 {
		t.Errorf("the size is %d %d", cols, rows)
	}
}

// TestViewFollows: where the screen has no room, the part with the cursor is in sight.
func TestViewFollows(t *testing.T) {
	term, v := New(100, 30), NewView(45, 17)
	for _, c := range []struct{ row, col, x, y int }{{1, 1, 0, 0}, {30, 1, 0, 13}, {20, 1, 0, 13}, {5, 90, 45, 4}, {5, 50, 45, 4}, {1, 1, 0, 0}} {
		fmt.Fprintf(term, "\x1b[%d;%dH", c.row, c.col)
		v.Render(term)
		if x, y := v.Origin(); x != c.x || y != c.y {
			t.Errorf("with the cursor in row %d, column %d the view is at %d %d, want %d %d", c.row, c.col, x, y, c.x, c.y)
		}
	}
}
