package history

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// view is a text on one line, with itself in small letters beside it.
type view struct {
	text string // every run of space is one space
	low  string
	at   []int32 // of each byte of low, its place in text; nil: the same
}

func newView(s string) *view {
	var text, low strings.Builder
	text.Grow(len(s))
	low.Grow(len(s))
	var at []int32
	space := false
	put := func(r rune) {
		small := unicode.ToLower(r)
		if at == nil && utf8.RuneLen(small) != utf8.RuneLen(r) {
			at = make([]int32, low.Len(), len(s))
			for i := range at {
				at[i] = int32(i)
			}
		}
		if at != nil {
			for range max(utf8.RuneLen(small), 1) {
				at = append(at, int32(text.Len()))
			}
		}
		text.WriteRune(r)
		low.WriteRune(small)
	}
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = text.Len() > 0
			continue
		}
		if space {
			put(' ')
			space = false
		}
		put(r)
	}
	return &view{text: text.String(), low: low.String(), at: at}
}

// place gives where a byte of low is in text.
func (v *view) place(i int) int {
	switch {
	case v.at == nil:
		return i
	case i >= len(v.at):
		return len(v.text)
	default:
		return int(v.at[i])
	}
}

// spot is where a word stands in low.
type spot struct{ from, to, word int }

// spots finds the words, in the order of the text.
func (v *view) spots(words []Word) []spot {
	var list []spot
	const most = 2000 // of a word: more tell nothing new
	for i, w := range words {
		for at, n := 0, 0; n < most; n++ {
			j := strings.Index(v.low[at:], w.Text)
			if j < 0 {
				break
			}
			list = append(list, spot{at + j, at + j + len(w.Text), i})
			at += j + len(w.Text)
		}
	}
	slices.SortFunc(list, func(a, b spot) int { return a.from - b.from })
	return list
}

// window is the shortest part of a text with as many of the words as there are.
func window(spots []spot, words int) (from, to, n int) {
	count := make([]int, words)
	have, left := 0, 0
	for _, p := range spots {
		if count[p.word]++; count[p.word] == 1 {
			have++
		}
		for count[spots[left].word] > 1 {
			count[spots[left].word]--
			left++
		}
		if start := spots[left].from; have > n || have == n && p.to-start < to-from {
			from, to, n = start, p.to, have
		}
	}
	return from, to, n
}

// passage cuts out the part of a text in which the words stand nearest to each other.
func (v *view) passage(words []Word, size int) (string, []Mark) {
	spots := v.spots(words)
	from, to, _ := window(spots, len(words))
	first, last := v.cut(v.place(from), v.place(to), size)
	out := v.text[first:last]
	lead := 0
	if first > 0 {
		out = "…" + out
		lead = len("…")
	}
	if last < len(v.text) {
		out += "…"
	}
	var marks []Mark
	for _, p := range spots {
		a, b := v.place(p.from), v.place(p.to)
		if a >= first && b <= last && (len(marks) == 0 || a-first+lead >= marks[len(marks)-1].To) {
			marks = append(marks, Mark{a - first + lead, b - first + lead})
		}
	}
	return out, marks
}

// cut widens a part of the text to a size, at the ends of words.
func (v *view) cut(from, to, size int) (first, last int) {
	if to-from > size {
		to = from + size
	}
	before := (size - (to - from)) / 3 // more of what comes behind it
	first = max(0, from-before)
	last = min(len(v.text), first+size)
	first = max(0, min(first, last-size))
	if first > 0 {
		if i := strings.IndexByte(v.text[first:max(from, first)], ' '); i >= 0 {
			first += i + 1
		}
	}
	if last < len(v.text) {
		if i := strings.LastIndexByte(v.text[min(max(to, first), last):last], ' '); i >= 0 {
			last = min(max(to, first), last) + i
		}
	}
	for first > 0 && !utf8.RuneStart(v.text[first]) {
		first--
	}
	for last < len(v.text) && !utf8.RuneStart(v.text[last]) {
		last++
	}
	return first, last
}
