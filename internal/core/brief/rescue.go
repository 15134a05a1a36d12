package brief

import "strings"

// Rescue gives the text that belongs below the end marker of the document that
// replaces old: what people wrote there, and after it the lines that somebody
// put above the marker by mistake, which are also given by themselves. last is
// the document as Kedge wrote it; a line that stands there is not rescued.
func Rescue(old, last []byte) (notes string, moved []string) {
	notes = HumanNotes(old)
	p := split(old)
	if p.end == "" {
		return notes, nil // no line of it was Kedge's: all of it is in notes
	}
	known := map[string]bool{}
	for _, l := range strings.Split(split(last).body, "\n") {
		known[l] = true
	}
	for _, l := range strings.Split(strings.ToValidUTF8(p.body, "\uFFFD"), "\n") {
		if strings.TrimSpace(l) != "" && !known[l] && !strings.HasPrefix(l, openPrefix) {
			moved = append(moved, l)
		}
	}
	if len(moved) == 0 {
		return notes, nil
	}
	if notes != "" && !strings.HasSuffix(notes, "\n") {
		notes += "\n"
	}
	return notes + strings.Join(moved, "\n") + "\n", moved
}
