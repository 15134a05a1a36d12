package vt

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// title is what a program calls its window.
type title struct{ window, icon string }

// named are the titles: what holds, and what was put aside.
type named struct {
	title  title
	titles []title
}

// The most that is kept of titles.
const (
	maxTitle  = 1024
	maxTitles = 10
)

// osc does what an operating system command says.
func (t *Terminal) osc(b []byte) {
	number, rest, _ := bytes.Cut(b, []byte(";"))
	n, err := strconv.ParseUint(string(number), 10, 16)
	if err != nil {
		return
	}
	switch n {
	case 0:
		t.title.window, t.title.icon = named1(rest), named1(rest)
	case 1:
		t.title.icon = named1(rest)
	case 2:
		t.title.window = named1(rest)
	case 4:
		t.setPalette(string(rest))
	case 104:
		t.resetPalette(string(rest))
	case 8:
		t.setLink(string(rest))
	case 10, 11, 12:
		for _, spec := range strings.Split(string(rest), ";") {
			t.changeColour(uint16(n)-10+dynamic, spec, strconv.FormatUint(n, 10))
			if n++; n > 12 {
				break
			}
		}
	case 110, 111, 112:
		delete(t.palette, uint16(n)-110+dynamic)
	}
}

// named1 is a title without what is no text.
func named1(b []byte) string {
	s := strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b), "\uFFFD"))
	for len(s) > maxTitle {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}

// pushTitle and popTitle are XTWINOPS 22 and 23.
func (t *Terminal) pushTitle() {
	if len(t.titles) == maxTitles {
		t.titles = t.titles[1:]
	}
	t.titles = append(t.titles, t.title)
}

func (t *Terminal) popTitle(what int) {
	n := len(t.titles)
	if n == 0 {
		return
	}
	old := t.titles[n-1]
	t.titles = t.titles[:n-1]
	if what != 1 {
		t.title.window = old.window
	}
	if what != 2 {
		t.title.icon = old.icon
	}
}

// setLink is OSC 8: parameters with colons between them, then the address.
func (t *Terminal) setLink(s string) {
	params, url, ok := strings.Cut(s, ";")
	url, id := clean(url), ""
	if !ok || len(url) > maxLink {
		url = ""
	}
	for _, p := range strings.Split(params, ":") {
		if v, ok := strings.CutPrefix(p, "id="); ok && len(v) <= maxLink {
			id = clean(v)
		}
	}
	n := t.linkOf(link{id, url})
	t.pen.link = n
	t.penKnown = false
}

// clean leaves out of an address what could not be given to another terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// dynamic is the place in the palette of the colours that text, background and cursor
// have when nothing else is said.
const dynamic = 256

func (t *Terminal) setPalette(s string) {
	parts := strings.Split(s, ";")
	for i := 0; i+1 < len(parts); i += 2 {
		if n, err := strconv.ParseUint(parts[i], 10, 8); err == nil {
			t.changeColour(uint16(n), parts[i+1], "4;"+parts[i])
		}
	}
}

func (t *Terminal) resetPalette(s string) {
	for _, part := range strings.Split(s, ";") {
		if part == "" {
			for n := range t.palette {
				if n < dynamic {
					delete(t.palette, n)
				}
			}
			return
		}
		if n, err := strconv.ParseUint(part, 10, 8); err == nil {
			delete(t.palette, uint16(n))
		}
	}
}

// changeColour sets a colour of the palette, or tells it if spec is a question mark.
func (t *Terminal) changeColour(n uint16, spec, name string) {
	if spec == "?" {
		c := t.colourOf(n)
		r, g, b := c>>16&255, c>>8&255, c&255
		t.answerf("\x1b]%s;rgb:%02x%02x/%02x%02x/%02x%02x\x1b\\", name, r, r, g, g, b, b)
		return
	}
	c, ok := parseColour(spec)
	if !ok {
		return
	}
	if t.palette == nil {
		t.palette = map[uint16]colour{}
	}
	t.palette[n] = c
}

// colourOf is a colour as it holds now.
func (t *Terminal) colourOf(n uint16) colour {
	if c, ok := t.palette[n]; ok {
		return c
	}
	levels := [...]colour{0, 0x5f, 0x87, 0xaf, 0xd7, 0xff}
	switch {
	case n == dynamic || n == dynamic+2:
		return 0xe0e0e0
	case n == dynamic+1:
		return 0x101014
	case n >= 232:
		return (8 + 10*colour(n-232)) * 0x010101
	case n >= 16:
		n -= 16
		return levels[n/36]<<16 | levels[n/6%6]<<8 | levels[n%6]
	}
	return basic[n]
}

// basic are the first colours of the palette, as xterm has them.
var basic = [16]colour{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

// parseColour reads #rgb with one to four digits each, and rgb:r/g/b.
func parseColour(s string) (colour, bool) {
	var parts []string
	if rest, ok := strings.CutPrefix(s, "rgb:"); ok {
		parts = strings.Split(rest, "/")
	} else if rest, ok := strings.CutPrefix(s, "#"); ok && len(rest)%3 == 0 && len(rest) > 0 {
		n := len(rest) / 3
		parts = []string{rest[:n], rest[n : 2*n], rest[2*n:]}
	}
	if len(parts) != 3 {
		return 0, false
	}
	c := direct
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 16, 16)
		if err != nil || len(p) > 4 {
			return 0, false
		}
		v = v * 255 / (1<<(4*len(p)) - 1)
		c |= colour(v) << (16 - 8*i)
	}
	return c, true
}

// dcs answers what device control strings ask.
func (t *Terminal) dcs(b []byte) {
	if t.Reply == nil {
		return
	}
	if asked, ok := bytes.CutPrefix(b, []byte("$q")); ok {
		t.answerSetting(string(asked))
	}
	if asked, ok := bytes.CutPrefix(b, []byte("+q")); ok {
		for _, name := range strings.Split(string(asked), ";") {
			t.answerCapability(name)
		}
	}
}

// capabilities are what XTGETTCAP tells; the name of the terminal is what sessions
// are started with.
var capabilities = map[string]string{"TN": "xterm-256color", "name": "xterm-256color", "Co": "256", "colors": "256", "RGB": "8"}

func (t *Terminal) answerCapability(asked string) {
	name, err := hex.DecodeString(asked)
	value, ok := capabilities[string(name)]
	if err != nil || !ok {
		t.answerf("\x1bP0+r%s\x1b\\", clean(asked))
		return
	}
	t.answerf("\x1bP1+r%s=%X\x1b\\", strings.ToUpper(asked), value)
}

// answerSetting is DECRQSS.
func (t *Terminal) answerSetting(asked string) {
	var is string
	switch asked {
	case "m":
		is = "0" + string(t.pen.sgr(nil)) + "m"
	case "r":
		is = strconv.Itoa(t.top+1) + ";" + strconv.Itoa(t.bottom+1) + "r"
	case "s":
		is = strconv.Itoa(t.left+1) + ";" + strconv.Itoa(t.right+1) + "s"
	case " q":
		is = strconv.Itoa(int(t.cursorKind)) + " q"
	case `"q`:
		is = strconv.Itoa(oneIf(t.pen.attrs&protected != 0)) + `"q`
	case `"p`:
		is = `62;1"p`
	default:
		t.answer("\x1bP0$r\x1b\\")
		return
	}
	t.answer("\x1bP1$r" + is + "\x1b\\")
}

// sortedPalette is what the program changed, in order.
func (t *Terminal) sortedPalette() []uint16 {
	return slices.Sorted(maps.Keys(t.palette))
}
