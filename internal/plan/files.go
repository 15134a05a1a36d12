package plan

import (
	"strings"

	"kedge"
	"kedge/internal/glob"
)

// filesField is the field of a plan that names files.
const filesField = "Files expected to change"

// FilesOf are the paths and patterns that a plan expects to change: the first
// word of each list item of that field that can be one. Prose names none.
func FilesOf(p kedge.Plan) []string {
	var out []string
	for _, f := range p.Fields {
		if f.Name != filesField {
			continue
		}
		for line := range strings.Lines(f.Text) {
			if pattern := filePattern(line); pattern != "" {
				out = append(out, pattern)
			}
		}
	}
	return out
}

// filePattern is the path that a list item begins with; empty for none.
func filePattern(line string) string {
	item := strings.TrimSpace(line)
	rest, ok := strings.CutPrefix(item, "- ")
	if !ok {
		rest, ok = strings.CutPrefix(item, "* ")
	}
	words := strings.Fields(rest)
	if !ok || len(words) == 0 {
		return ""
	}
	word := strings.Trim(words[0], "`\"',:;()")
	if !strings.ContainsAny(word, "/.*") || strings.Trim(word, ".") == "" || glob.Valid(word) != nil {
		return ""
	}
	if strings.HasSuffix(word, "/") {
		word += "**"
	}
	return word
}
