package condense

import (
	"maps"
	"slices"
	"strings"
)

// table has the columns of an output.
type table struct {
	buf    []token
	names  bool // the lines are alike but for names: how these are built says nothing
	lines  int
	builds map[uint64]*group
	how    *column // how lines are built
	indent *column
	left   []*column // tokens by their place from the left, whatever the build
	right  []*column
	ending *column // of paths
	top    *column
	keys   map[uint64]*column // what stands behind a key: "phase": "Running", rc=0
	signs  [129]*column       // of each sign the lines that have it; the last: letters beyond ASCII
}

// group are lines that are built alike.
type group struct {
	lines   int
	columns []*column // by token
	exact   []*column // of words with numbers in them, as they are
}

// column is what stands at one place of lines that are built alike.
type column struct {
	lines    int
	values   map[uint64]int // nil: too many different ones
	share    int            // one line in so many may be rare
	numbers  int
	zero     int
	negative int
	decades  map[int]int
	seen     []float64 // the numbers, as long as there are few

	regular     bool
	seldom      int         // lines with values that few have
	rare        int         // lines with rare values
	high, low   *int        // decades from which on a number is far from nearly all others
	apart       *[2]float64 // between these are nearly all numbers, and close to each other; far from them are few
	oddZero     bool
	oddNegative bool
}

const (
	sideLeft  = 5 // tokens from the left that are columns whatever the build
	sideRight = 3
	mostKeys  = 500
)

func newTable() *table {
	t := &table{
		builds: map[uint64]*group{}, how: newColumn(unlike), indent: newColumn(irregular), ending: newColumn(irregular), top: newColumn(irregular),
		left: newColumns(sideLeft), right: newColumns(sideRight), keys: map[uint64]*column{},
	}
	for i := range t.signs {
		t.signs[i] = newColumn(0)
	}
	return t
}

func newColumn(share int) *column { return &column{values: map[uint64]int{}, share: share} }

func newColumns(n int) []*column {
	list := make([]*column, n)
	for i := range list {
		list[i] = newColumn(irregular)
	}
	return list
}

func (t *table) tokens(l string) []token {
	t.buf = tokensOf(t.buf, l[:min(len(l), oddBytes)])
	return t.buf
}

// build tells how a line is built: its classes and signs.
func build(list []token) uint64 {
	h := uint64(hashStart)
	for _, k := range list {
		h = mix(h, uint64(k.class))
	}
	return h
}

// count takes how a line is built.
func (t *table) count(l string) {
	t.lines++
	list := t.tokens(l)
	b := build(list)
	g := t.builds[b]
	if g == nil {
		g = &group{}
		t.builds[b] = g
	}
	if g.lines++; g.lines == likeLines {
		g.columns, g.exact = newColumns(len(list)), newColumns(len(list))
	}
}

// learn takes what stands in a line.
func (t *table) learn(l string) { t.each(l, (*column).take) }

// cell is what a line has in a column.
type cell struct {
	token        // if it has a class
	value uint64 // else
	exact bool   // its numbers count too
	group bool   // it is in a column of lines that are built alike
}

// hash is the value by which cells are compared: all clocks are the same, and words
// whatever their numbers.
func (c cell) hash() uint64 {
	switch {
	case c.class == 0:
		return c.value
	case c.class == 'T':
		return 'T'
	case c.class == 'N' || c.exact:
		return hashOf(mix(hashStart, uint64(c.class)), c.text)
	default:
		return maskedHash(mix(hashStart, uint64(c.class)), c.text)
	}
}

// take counts a value.
func (c *column) take(v cell) {
	c.lines++
	if c.values != nil {
		if c.values[v.hash()]++; len(c.values) > oddDiverse && len(c.values)*4 > c.lines {
			c.values = nil
		}
	}
	if v.group && v.class == 'N' {
		c.takeNumber(v.text)
	}
}

func (c *column) takeNumber(text string) {
	v, ok := quantity(text)
	if !ok {
		return
	}
	if c.numbers++; len(c.seen) <= oddNumbers {
		c.seen = append(c.seen, v)
	}
	switch {
	case v == 0:
		c.zero++
	case v < 0:
		c.negative++
	default:
		if c.decades == nil {
			c.decades = map[int]int{}
		}
		c.decades[decade(v)]++
	}
}

// each calls do for every column that a line has a value in.
func (t *table) each(l string, do func(*column, cell)) {
	list := t.tokens(l)
	b := build(list)
	if !t.names {
		do(t.how, cell{value: b})
		do(t.indent, cell{value: uint64(indent(l))}) //nolint:gosec // never negative
		t.eachSign(l, do)
		t.path(list, do)
	}
	g := t.builds[b]
	for i, c := range g.columns {
		if k := list[i]; wordy(k.class) && k.class != 'T' {
			do(c, cell{token: k, group: true})
			if k.class == 'W' && strings.ContainsAny(k.text, "0123456789") {
				do(g.exact[i], cell{token: k, group: true, exact: true})
			}
		}
	}
	t.eachKey(list, do)
	n := 0
	for i := 0; i < len(list) && n < sideLeft; i++ {
		if wordy(list[i].class) {
			do(t.left[n], cell{token: list[i]})
			n++
		}
	}
	n = 0
	for i := len(list) - 1; i >= 0 && n < sideRight; i-- {
		if wordy(list[i].class) {
			do(t.right[n], cell{token: list[i]})
			n++
		}
	}
}

func wordy(class byte) bool { return class == 'W' || class == 'N' || class == 'T' || class == 'S' }

// eachKey gives what stands behind the keys of a line.
func (t *table) eachKey(list []token, do func(*column, cell)) {
	for i := 1; i+1 < len(list); i++ {
		if list[i].class != ':' && list[i].class != '=' {
			continue
		}
		key, value := i-1, i+1
		if quote(list[key].class) && key > 0 {
			key--
		}
		for value+1 < len(list) && quote(list[value].class) {
			value++
		}
		if k, v := list[key], list[value]; k.class == 'W' && wordy(v.class) {
			h := maskedHash(hashStart, k.text)
			c := t.keys[h]
			if c == nil {
				if len(t.keys) >= mostKeys {
					return
				}
				c = newColumn(irregular)
				t.keys[h] = c
			}
			do(c, cell{token: v, group: true, exact: true})
		}
	}
}

func quote(class byte) bool { return class == '"' || class == '\'' || class == '`' }

// eachSign gives the signs that a line has.
func (t *table) eachSign(l string, do func(*column, cell)) {
	var seen [129]bool
	for i := range min(len(l), oddBytes) {
		c := l[i]
		switch {
		case c >= 0x80:
			c = 0x80
		case c == ' ' || wordByte(c):
			continue
		}
		if !seen[c] {
			seen[c] = true
			do(t.signs[c], cell{value: 1})
		}
	}
}

// path gives of the last path of a line how it ends and where it begins.
func (t *table) path(list []token, do func(*column, cell)) {
	for i := len(list) - 1; i >= 0; i-- {
		k := list[i]
		slash := strings.LastIndexByte(k.text, '/')
		if k.class != 'W' || slash < 0 {
			continue
		}
		dot := max(strings.LastIndexByte(k.text[slash:], '.'), 0)
		do(t.ending, cell{value: maskedHash(hashStart, k.text[slash+dot:][:min(dot, 1)*(len(k.text)-slash-dot)])})
		top, _, _ := strings.Cut(strings.TrimLeft(k.text, "./"), "/")
		do(t.top, cell{value: maskedHash(hashStart, top)})
		return
	}
}

// settle finds out what is usual.
func (t *table) settle() {
	all := slices.Concat([]*column{t.how, t.indent, t.ending, t.top}, t.left, t.right, t.signs[:])
	for _, g := range t.builds {
		all = append(append(all, g.columns...), g.exact...)
	}
	all = slices.AppendSeq(all, maps.Values(t.keys))
	for _, c := range all {
		c.settle(t.lines)
	}
}

func (c *column) settle(all int) {
	if c.share == 0 { // a sign: what lines have it
		c.regular = all >= likeLines && c.lines <= rareCount
		c.rare = c.lines
		c.lines = all
		return
	}
	if c.values != nil && c.lines >= likeLines {
		for _, n := range c.values {
			if n <= rareCount {
				c.rare += n
			}
			if n <= c.lines/rareShare {
				c.seldom += n
			}
		}
		c.regular = c.rare <= max(rareCount, c.lines/c.share) && len(c.values) > 1
	}
	c.settleNumbers()
}

// telling is how much it says that a line is one of so few: less, where there are many
// different values.
func (c *column) telling(few int) float64 {
	return max(float64(c.lines)/float64(few)/(1+float64(len(c.values))/manyValues), leastScore)
}

// rarity tells how much of an exception a value is that so many lines have; 0: none.
func (c *column) rarity(n int) float64 {
	switch {
	case !c.regular:
		return 0
	case n <= rareCount:
		return c.telling(c.rare)
	case n <= c.lines/rareShare && c.seldom*10 <= c.lines:
		return c.telling(c.seldom)
	case len(c.values) <= categories:
		return scoreSample
	default:
		return 0
	}
}

// settleNumbers finds from where on a number is far from nearly all others.
func (c *column) settleNumbers() {
	few := max(rareCount, c.numbers/oddFew)
	if c.numbers < likeLines || c.numbers*10 < c.lines*9 {
		return
	}
	c.oddZero, c.oddNegative = c.zero > 0 && c.zero <= few, c.negative > 0 && c.negative <= few
	c.settleApart(few)
	positive := c.numbers - c.zero - c.negative
	if one := decade(1); positive <= few && c.beyond(few, func(x int) bool { return x >= one }) { // 2.3 s among tests that took none
		c.high = &one
	}
	if positive < likeLines {
		return
	}
	sorted := slices.Sorted(maps.Keys(c.decades))
	if d := tenth(sorted, c.decades, positive) - oddDecades; c.beyond(few, func(x int) bool { return x <= d }) {
		c.low = &d
	}
	slices.Reverse(sorted)
	if d := tenth(sorted, c.decades, positive) + oddDecades; c.beyond(few, func(x int) bool { return x >= d }) {
		c.high = &d
	}
}

// settleApart finds whether few numbers are far from all others, measured by how close those
// are to each other: port 2375 among 8000 to 8060.
func (c *column) settleApart(few int) {
	if n := len(c.seen); n > oddNumbers || n < likeLines {
		return
	}
	slices.Sort(c.seen)
	n := len(c.seen)
	low, high := c.seen[few], c.seen[n-1-few]
	room := (high - low) * oddDecades
	if room <= 0 || c.seen[n-1]-high <= room && low-c.seen[0] <= room {
		return
	}
	bounds := [2]float64{low - room, high + room}
	out := 0
	for _, v := range c.seen {
		if v < bounds[0] || v > bounds[1] {
			out++
		}
	}
	if out <= few {
		c.apart = &bounds
	}
}

// tenth gives the place that one in ten numbers is at or before.
func tenth(sorted []int, counts map[int]int, all int) int {
	n := 0
	for _, d := range sorted {
		if n += counts[d]; n*10 >= all {
			return d
		}
	}
	return 0
}

// beyond tells whether there are numbers that far out, and few.
func (c *column) beyond(few int, is func(int) bool) bool {
	n := 0
	for d, k := range c.decades {
		if is(d) {
			n += k
		}
	}
	return n > 0 && n <= few
}

// marks are what is odd about a line.
func (t *table) marks(l string) []mark {
	var list []mark
	t.each(l, func(c *column, v cell) {
		switch {
		case !c.regular || t.names && v.group:
		case c.share == 0:
			list = append(list, mark{c, 1, float64(c.lines) / float64(c.rare)})
		default:
			h := v.hash()
			if score := c.rarity(c.values[h]); score > 0 {
				list = append(list, mark{c, h, score})
			}
		}
		if v.group && v.class == 'N' && c.far(v.text) {
			list = append(list, mark{c, 0, scoreFar})
		}
	})
	return list
}

// far tells whether a number is far from nearly all others of its column.
func (c *column) far(number string) bool {
	if !c.oddZero && !c.oddNegative && c.high == nil && c.low == nil && c.apart == nil {
		return false
	}
	v, ok := quantity(number)
	switch {
	case !ok:
		return false
	case c.apart != nil && (v < c.apart[0] || v > c.apart[1]):
		return true
	case v == 0:
		return c.oddZero
	case v < 0:
		return c.oddNegative
	}
	d := decade(v)
	return c.high != nil && d >= *c.high || c.low != nil && d <= *c.low
}
