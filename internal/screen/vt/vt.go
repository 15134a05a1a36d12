// Package vt is the model of a terminal: it reads what a program prints and computes what
// the screen then shows. It promises to do what xterm does, with the widths of characters
// from Unicode, for any bytes in any pieces. A Snapshot and the later bytes always lead
// to the same screen as all bytes. Lines that leave the screen go to a callback; the
// model does not store them. It answers the queries of a program only if the caller says
// where the answers go.
//
// It is not for several goroutines at once.
package vt

import "kedge/internal/text/plain"

// The largest screen.
const (
	maxCols = 4096
	maxRows = 2048
)

// Terminal is the model. Reply and Left may be set and changed at any time.
type Terminal struct {
	// Reply takes the answers to queries: what a terminal types back. While it is
	// nil, as it must be for bytes that were printed long ago, queries have no answer.
	Reply func(answer []byte)
	// Left takes each line that leaves the main screen, from the top
	// downwards: at the upper edge, by erasing the whole screen, or because the screen
	// became smaller; see Returned. It must not use the terminal and not keep the line.
	Left func(Line)
	// Returned tells that the last so many lines that left are on the screen again,
	// because it became larger.
	Returned func(lines int)

	cols, rows int
	screen     *grid // the one that is shown: main or alt
	main, alt  *grid // alt is nil until it is needed
	past       past

	x, y                     int
	pending                  bool // the last column was written to: the next character wraps
	top, bottom, left, right int  // margins; they are part of the screen
	pen                      style
	modes                    modes
	mouse, encoding          uint16 // the number of the mode that is set; 0 for none
	charsets                 charsets
	tabs                     []bool

	// What was printed just now, if nothing else came since: marks join it.
	fresh       bool
	atX, atY    int
	joinedSoFar plain.Grapheme // 0: see the cell

	named
	palette    map[uint16]colour // what the program changed
	otherKeys  [8]uint16         // of modifyOtherKeys and its like
	cursorKind uint8             // DECSCUSR
	remembered map[uint16]bool   // private modes, by XTSAVE

	scan scanner
	args args

	styles         []style
	styleNumbers   map[style]uint32
	styleLimit     int
	clusters       []string
	clusterNumbers map[string]cell
	clusterLimit   int
	links          []link
	linkNumbers    map[link]uint32
	linkLimit      int
	collected      []link // as they were before the last collection
	penIs          uint32
	penKnown       bool
	blankIs        cell
	blankKnown     bool

	clock uint64 // counts what views have seen
	all   uint64 // the clock when every line changed last
	epoch uint64 // counts collections
}

// New gives a terminal of a size.
func New(cols, rows int) *Terminal {
	t := &Terminal{cols: clamp(cols, 1, maxCols), rows: clamp(rows, 1, maxRows), clock: 1}
	t.styleLimit, t.clusterLimit, t.linkLimit = leastStyles, leastClusters, leastLinks
	t.reset()
	return t
}

// reset is the state of a terminal that was just switched on, but for its title.
func (t *Terminal) reset() {
	t.clearTables()
	t.main, t.alt, t.past = newGrid(t.cols, t.rows), nil, newPast(t.cols)
	t.screen = t.main
	t.x, t.y, t.pending, t.fresh = 0, 0, false, false
	t.pen = style{}
	t.penKnown, t.blankKnown = false, false
	t.modes, t.mouse, t.encoding = usualModes, 0, 0
	t.charsets = charsets{}
	t.palette, t.remembered = nil, nil
	t.otherKeys, t.cursorKind = [8]uint16{}, 0
	t.resetMargins()
	t.resetTabs()
	t.touchAll()
	t.epoch++
}

func (t *Terminal) resetMargins() {
	t.top, t.bottom, t.left, t.right = 0, t.rows-1, 0, t.cols-1
}

func (t *Terminal) resetTabs() {
	t.tabs = make([]bool, t.cols)
	for i := 8; i < t.cols; i += 8 {
		t.tabs[i] = true
	}
}

// Size is the size of the screen.
func (t *Terminal) Size() (cols, rows int) { return t.cols, t.rows }

// Cursor is where the next character goes, from 0. x is the number of columns
// when it goes to the next line, because the last column was just written to.
func (t *Terminal) Cursor() (x, y int) {
	if t.pending && t.x == t.cols-1 {
		return t.cols, t.y
	}
	return t.x, t.y
}

// Alternate tells whether the alternate screen is shown.
func (t *Terminal) Alternate() bool { return t.screen == t.alt }

// Mode tells whether a private mode is set, such as 2026 while the program is in the middle
// of drawing, or 2004 when it wants to know what is pasted.
func (t *Terminal) Mode(number int) bool { return t.modeSet(number, true) == 1 }

// Recoloured tells whether the program gave the terminal colours that it did not take back.
func (t *Terminal) Recoloured() bool { return len(t.palette) > 0 }

// KeyFlags are those of the kitty keyboard protocol that hold now.
func (t *Terminal) KeyFlags() uint8 { return t.screen.keys[len(t.screen.keys)-1] }

// Title is what the program called its window; Icon is its short form.
func (t *Terminal) Title() string { return t.title.window }

// Icon is the short form of the title.
func (t *Terminal) Icon() string { return t.title.icon }

func (t *Terminal) touch(y int) { t.screen.rows[y].touched = t.clock }

func (t *Terminal) touchAll() { t.all = t.clock }

func clamp(n, least, most int) int { return max(least, min(n, most)) }
