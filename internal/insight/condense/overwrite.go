package condense

import (
	"strings"

	"kedge/internal/insight/failure"
)

// Of a line that was written over many times, as progress is, these stay beside the last
// state: what complained, and what was like no other.
const (
	oddStates  = 5 // most states that stay because they are like no other
	likeStates = 8 // states from which on there is a usual one
)

// overwrites tells whether a line of an output was written over.
func overwrites(out string) bool {
	for at := 0; ; {
		i := strings.IndexByte(out[at:], '\r')
		if i < 0 {
			return false
		}
		for at += i; at < len(out) && out[at] == '\r'; at++ {
		}
		if at < len(out) && out[at] != '\n' {
			return true
		}
	}
}

// visible cuts an output into lines as a terminal would show them in the end.
func visible(out string) []line {
	var lines []line
	for l := range strings.SplitSeq(strings.TrimSuffix(out, "\n"), "\n") {
		l = strings.TrimRight(l, "\r")
		if strings.IndexByte(l, '\r') < 0 {
			lines = append(lines, line{text: failure.Unescaped(l)})
			continue
		}
		states := strings.Split(l, "\r")
		for i := range states {
			states[i] = failure.Unescaped(states[i])
		}
		last := len(states) - 1
		for _, s := range statesToKeep(states[:last]) {
			lines = append(lines, line{text: s})
		}
		lines = append(lines, line{text: states[last], short: true})
	}
	return lines
}

// statesToKeep gives those that complained and, of many, the few that are like no other.
func statesToKeep(states []string) []string {
	counts := map[uint64]int{}
	for _, s := range states {
		counts[stateShape(s)]++
	}
	few := 0
	for _, n := range counts {
		if n <= rareCount {
			few += n
		}
	}
	var kept []string
	for _, s := range states {
		odd := len(states) >= likeStates && few <= oddStates && counts[stateShape(s)] <= rareCount && !blank(s)
		if odd || failure.Complains(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// stateShape is the words of a state: numbers and bars are the same in all.
func stateShape(s string) uint64 {
	h := uint64(hashStart)
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' {
			h = mix(h, uint64(c))
		}
	}
	return h
}
