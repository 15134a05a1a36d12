package failure

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// What single lines say, for whoever makes an output shorter.

// Spots are the places inside a line that speak of a complaint or name a place in a
// file, the first ones of each kind, in their order.
func Spots(line string, most int) [][]int {
	list := append(words.FindAllStringIndex(line, most), place.FindAllStringIndex(line, most)...)
	slices.SortFunc(list, func(a, b []int) int { return a[0] - b[0] })
	return list
}

// Counts tells whether a line is one by which a runner counts its tests.
func Counts(line string) bool { return otherLine(line) != silent }

var (
	pyFile   = lazyre.New(`File "([^"]+)", line \d+`)
	byParens = lazyre.New(`^\S[^()\s]*\.\w+[(\[]\d+,\d+[)\]]: |:\[\d+,\d+\]`)
	lintHit  = lazyre.New(`^\s+\d+:\d+\s+\w+\s+\S`)
	address  = lazyre.New(`^[\d.]+$`)
)

// Placed tells whether a line names a place in a file.
func Placed(text string) bool {
	if strings.Contains(text, ", line ") && pyFile.MatchString(text) {
		return true
	}
	if hasPlace(text) {
		for _, m := range place.FindAllStringSubmatch(text, -1) {
			if !address.MatchString(m[1]) {
				return true
			}
		}
		return lintHit.MatchString(text)
	}
	return byParens.MatchString(text)
}

// ForeignFrame tells whether a line is a frame of a stack in a runtime or a
// dependency.
func ForeignFrame(text string) bool {
	if indent(text) == 0 {
		return false
	}
	if m := pyFile.FindStringSubmatch(text); m != nil {
		return !ours(m[1])
	}
	if m := javaFrame.FindStringSubmatch(text); m != nil {
		return hasPrefix(m[1][strings.LastIndexByte(m[1], '/')+1:], javaForeign)
	}
	for _, re := range []*lazyre.Regexp{jsFrame, goFrame} {
		if m := re.FindStringSubmatch(text); m != nil {
			return !ours(m[1])
		}
	}
	return strings.HasPrefix(strings.TrimSpace(text), "at node:") || strings.HasPrefix(strings.TrimSpace(text), "at java.")
}
