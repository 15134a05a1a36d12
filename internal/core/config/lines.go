package config

import (
	"fmt"
	"strings"
)

// lineIndex knows where the keys of a valid TOML text stand: by path with
// positions in arrays of tables ("check[1].run"), and by path without them,
// which gives the first.
type lineIndex map[string]int

// find gives the line of the key, or of the closest table around it, or 1.
func (x lineIndex) find(key string) int {
	for key != "" {
		if n, ok := x[key]; ok {
			return n
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			break
		}
		key = key[:i]
	}
	return 1
}

func (x lineIndex) add(key string, line int) {
	if _, ok := x[key]; !ok && key != "" {
		x[key] = line
	}
}

// repeat is a key or table that a text has a second time.
type repeat struct {
	key   string
	table bool
	first int // the line on which it stood before
}

// indexLines walks the text once; repeats are what a line has again. It relies on the
// decoder for validity: on text that is not TOML its lines may be wrong, but the decoder
// has then named one.
func indexLines(text string) (lineIndex, map[int]repeat) {
	w := lineWalk{index: lineIndex{}, count: map[string]int{}, repeats: map[int]repeat{}}
	for i, line := range strings.Split(text, "\n") {
		w.line(strings.TrimSpace(line), i+1)
	}
	return w.index, w.repeats
}

// lineWalk is the state between two lines: the table they are in, and the
// string or brackets that are still open.
type lineWalk struct {
	index   lineIndex
	repeats map[int]repeat // by line
	count   map[string]int // tables seen of each array
	table   string         // path with positions
	plain   string         // the same without
	closer  string         // `"""` or `'''` while inside such a string
	depth   int            // open brackets and braces of a value
}

func (w *lineWalk) line(s string, n int) {
	switch {
	case w.closer != "" || w.depth > 0:
		w.value(s)
	case s == "" || s[0] == '#':
	case strings.HasPrefix(s, "[["):
		w.header(s[2:], n, true)
	case s[0] == '[':
		w.header(s[1:], n, false)
	default:
		key, rest := cutKey(s)
		w.take(join(w.table, key), n, false)
		w.index.add(join(w.plain, key), n)
		w.value(rest)
	}
}

func (w *lineWalk) header(s string, n int, array bool) {
	key, _ := cutKey(s)
	w.plain = key
	if array {
		w.table = fmt.Sprintf("%s[%d]", key, w.count[key])
		w.count[key]++
	} else {
		w.table = w.inside(key)
	}
	w.take(w.table, n, true)
	w.index.add(w.plain, n)
}

// take notes where a key or table stands, or that it stood somewhere before.
func (w *lineWalk) take(key string, n int, table bool) {
	if first, again := w.index[key]; again {
		w.repeats[n] = repeat{key: key, table: table, first: first}
	}
	w.index.add(key, n)
}

// inside puts a sub-table into the last table of the array it belongs to.
func (w *lineWalk) inside(key string) string {
	first, rest, ok := strings.Cut(key, ".")
	if n := w.count[first]; ok && n > 0 {
		return fmt.Sprintf("%s[%d].%s", first, n-1, rest)
	}
	return key
}

// value follows strings, brackets and comments to the end of the line.
func (w *lineWalk) value(s string) {
	for s != "" {
		switch {
		case w.closer != "":
			i := strings.Index(s, w.closer)
			if i < 0 {
				return
			}
			s, w.closer = s[i+3:], ""
			continue
		case strings.HasPrefix(s, `"""`), strings.HasPrefix(s, `'''`):
			w.closer, s = s[:3], s[3:]
			continue
		case s[0] == '"' || s[0] == '\'':
			s = skipString(s)
			continue
		case s[0] == '#':
			return
		case s[0] == '[' || s[0] == '{':
			w.depth++
		case s[0] == ']' || s[0] == '}':
			w.depth = max(w.depth-1, 0)
		}
		s = s[1:]
	}
}

// skipString gives what follows the one-line string that s starts with.
func skipString(s string) string {
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\':
			i++
		case s[i] == s[0]:
			return s[i+1:]
		}
	}
	return ""
}

// cutKey takes a dotted key from the front of s, in the decoder's spelling, and
// gives what follows it.
func cutKey(s string) (key, rest string) {
	var parts []string
	for {
		s = strings.TrimLeft(s, " \t")
		var part string
		part, s = cutPart(s)
		parts = append(parts, part)
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ".") {
			return strings.Join(parts, "."), s
		}
		s = s[1:]
	}
}

func cutPart(s string) (part, rest string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		rest = skipString(s)
		return strings.Trim(s[:len(s)-len(rest)], `"'`), rest
	}
	i := strings.IndexAny(s, " \t.=]")
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

func join(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}
