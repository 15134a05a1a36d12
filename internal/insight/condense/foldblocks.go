package condense

import (
	"fmt"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// Warnings that take several lines each, and say the same of many places, are shown whole at
// the first ones; of all others there is the place, and the words that are its own.

const (
	alikeFrom  = 6 // warnings of a kind from which on they are put together
	alikeShown = 2 // of them that are shown whole
	alike      = "alike"
)

var (
	rustHead  = lazyre.New(`^(warning)(?:\[(\S+)\])?: (.+)$`)
	rustPlace = lazyre.New(`^\s*--> (\S+?):(\d+:\d+)$`)
	javaHead  = lazyre.New(`^(\S+\.\w+):(\d+(?::\d+)?): (warning): (?:\[([\w-]+)\] )?(.+)$`)
	shellHead = lazyre.New(`^In (\S+) line (\d+):$`)
	shellCode = lazyre.New(`^\s*\^-*\^?-* (SC\d+) \((?:warning|info|style)\): `)
	beside    = lazyre.New(`^\s*(?:\d+ +)?[|=]`) // a line that rustc puts beside or below the source
	counted   = lazyre.New(`^\d+ (?:warning|error)s?$`)
)

// block is a complaint of several lines.
type block struct {
	complaint
	from, to int
}

// groupBlocks puts warnings of several lines together.
func (f *folding) groupBlocks() {
	var list []block
	for i := 0; i < len(f.lines); {
		b, ok := f.blockAt(i)
		if !ok || f.lines[i].gone {
			i++
			continue
		}
		list = append(list, b)
		i = b.to
	}
	at := map[string]int{}
	var groups [][]block
	for _, b := range list {
		key := b.key()
		n, there := at[key]
		if !there {
			n = len(groups)
			at[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], b)
	}
	for _, g := range groups {
		if len(g) >= alikeFrom {
			f.putTogether(g[alikeShown:])
		}
	}
}

// blockAt gives the warning that begins at a line.
func (f *folding) blockAt(i int) (block, bool) {
	text := f.lines[i].text
	switch c := firstByte(text); {
	case c == 'w' && rustHead.MatchString(text):
		at := rustPlace.FindStringSubmatch(f.below(i))
		if at == nil {
			return block{}, false
		}
		m := rustHead.FindStringSubmatch(text)
		end := f.until(i+2, func(l string) bool { return blank(l) || f.says(l) && !beside.MatchString(l) })
		return block{complaint{file: at[1], place: at[2], severity: m[1], code: m[2], said: m[3]}, i, end}, end == len(f.lines) || blank(f.lines[end].text)
	case c == 'I' && shellHead.MatchString(text):
		return f.shellAt(i)
	case strings.Contains(text, ": warning: "):
		m := javaHead.FindStringSubmatch(text)
		if m == nil {
			return block{}, false
		}
		end := f.until(i+1, func(l string) bool {
			return blank(l) || counted.MatchString(l) || leadPlace.MatchString(l) || f.says(l) && (indent(l) == 0 || fails(l))
		})
		pointed := slices.ContainsFunc(f.lines[i:end], func(l line) bool { return pointer.MatchString(l.text) })
		return block{complaint{file: m[1], place: m[2], severity: m[3], code: m[4], said: m[5]}, i, end}, pointed
	}
	return block{}, false
}

// shellAt gives what ShellCheck says of one line of a script: its codes, and the line.
func (f *folding) shellAt(i int) (block, bool) {
	m := shellHead.FindStringSubmatch(f.lines[i].text)
	end := f.until(i+1, func(l string) bool { return shellHead.MatchString(l) || strings.HasPrefix(l, "For more information:") })
	var codes []string
	for _, l := range f.lines[i+1 : end] {
		c := shellCode.FindStringSubmatch(l.text)
		if c == nil && f.says(l.text) {
			return block{}, false
		}
		if c != nil && !slices.Contains(codes, c[1]) {
			codes = append(codes, c[1])
		}
	}
	if len(codes) == 0 {
		return block{}, false
	}
	return block{complaint{file: m[1], place: m[2], severity: "warning", code: strings.Join(codes, " "), said: strings.TrimSpace(f.below(i))}, i, end}, true
}

// says tells whether a line says something by itself, so that it goes with no other.
func (f *folding) says(text string) bool {
	is, _ := f.mode.look(text)
	return is >= finding || is == noise
}

// until gives the first line from i on that ends what began before it.
func (f *folding) until(i int, ends func(string) bool) int {
	for i < len(f.lines) && !ends(f.lines[i].text) {
		i++
	}
	return i
}

// key is the same for warnings that say the same but for names and numbers.
func (b block) key() string {
	words := strings.Fields(b.said)
	for i, w := range words {
		if strings.ContainsAny(w, "0123456789'\"`$") {
			words[i] = "…"
		}
	}
	return b.severity + " " + b.code + " " + strings.Join(words, " ")
}

// putTogether writes the places of warnings in the place of their lines, where that is
// shorter.
func (f *folding) putTogether(g []block) {
	said := shared(g)
	text := "alike: " + g[0].severity
	if g[0].code != "" {
		text += " " + g[0].code
	}
	text += fmt.Sprintf(" (%d): %s\n", len(g), said)
	list := make([]complaint, len(g))
	size := 0
	for i, b := range g {
		list[i] = b.complaint
		for _, l := range f.lines[b.from:b.to] {
			size += len(l.text) + 1
		}
	}
	for _, in := range inOrder(list, func(c complaint) string { return c.file }) {
		text += "  " + in[0].file + " " + placesOf(in) + "\n"
	}
	if len(text) >= size {
		return
	}
	for _, b := range g {
		for k := b.from; k < b.to; k++ {
			f.lines[k].is, f.lines[k].gone, f.lines[k].kind = finding, true, alike
		}
	}
	f.lines[g[len(g)-1].to-1].instead = text
}

// shared gives the words that all say, with … for those that differ, which are put with each.
func shared(g []block) string {
	first := strings.Fields(g[0].said)
	differs := make([]bool, len(first))
	for _, b := range g {
		for i, w := range strings.Fields(b.said) {
			differs[i] = differs[i] || w != first[i]
		}
	}
	for k := range g {
		var own []string
		for i, w := range strings.Fields(g[k].said) {
			if differs[i] {
				own = append(own, w)
			}
		}
		g[k].own = strings.Join(own, " ")
	}
	for i := range first {
		if differs[i] {
			first[i] = "…"
		}
	}
	return strings.Join(first, " ")
}
