package plan

import (
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	codeSpan = lazyre.New("`([^`]+)`")
	listMark = lazyre.New(`^[ \t]*(?:[-*+]|[0-9]{1,4}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?`)
)

// Commands gives the commands that a Validation field lists: the lines of its
// fenced blocks, its code spans and its other list items; where there is none of
// these, every line.
func Commands(field string) []string {
	var listed, bare []string
	fence := ""
	for _, line := range strings.Split(field, "\n") {
		before := fenceBefore(fence, line)
		fence = fenceAfter(fence, line)
		switch spans := codeSpan.FindAllStringSubmatch(line, -1); {
		case before != "" && fence != "":
			listed = addCommand(listed, line)
		case before != fence:
		case len(spans) > 0:
			for _, m := range spans {
				listed = addCommand(listed, m[1])
			}
		case listMark.MatchString(line):
			listed = addCommand(listed, listMark.ReplaceAllString(line, ""))
		default:
			bare = addCommand(bare, line)
		}
	}
	if len(listed) > 0 {
		return listed
	}
	return bare
}

func addCommand(to []string, s string) []string {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "$ "))
	if s == "" || strings.HasPrefix(s, "#") {
		return to
	}
	return append(to, s)
}
