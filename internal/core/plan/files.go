package plan

import (
	"strings"

	"kedge"
	"kedge/internal/text/glob"
)

// filesField is the field of a plan that names files.
const filesField = "Files expected to change"

// FilesOf are the paths and patterns that a plan expects to change: what each list
// item of that field begins with, one or several by commas. Prose names none.
func FilesOf(p kedge.Plan) []string {
	var out []string
	for _, f := range p.Fields {
		if f.Name != filesField {
			continue
		}
		for line := range strings.Lines(f.Text) {
			out = append(out, filePatterns(line)...)
		}
	}
	return out
}

// filePatterns are the paths that a list item begins with.
func filePatterns(line string) []string {
	item := strings.TrimSpace(line)
	rest, ok := strings.CutPrefix(item, "- ")
	if !ok {
		rest, ok = strings.CutPrefix(item, "* ")
	}
	if !ok {
		return nil
	}
	var out []string
	for word := range strings.FieldsSeq(rest) {
		pattern := filePattern(word)
		switch {
		case pattern != "":
			out = append(out, pattern)
		case word != "and" || len(out) == 0:
			return out
		}
		if strings.ContainsAny(word[len(word)-1:], ":;)") {
			return out // what it is for comes next
		}
	}
	return out
}

// filePattern is the path that a word is; empty for any other word.
func filePattern(word string) string {
	word = strings.Trim(word, "`\"',:;()")
	if !strings.ContainsAny(word, "/.*") || strings.Trim(word, ".") == "" || glob.Valid(word) != nil {
		return ""
	}
	if strings.HasSuffix(word, "/") {
		word += "**"
	}
	return word
}
