package plan

import "strings"

// A fence is the mark of a code block that is open, behind the spaces that it is indented
// by; "" is none.

// fenceBefore gives the fence that a line stands in. A block inside a list item ends with
// the item, closed or not, at the next item or heading: one that nobody closes hides none.
func fenceBefore(fence, line string) string {
	deep := len(fence) - len(strings.TrimLeft(fence, " "))
	if deep == 0 {
		return fence
	}
	starts := strings.HasPrefix(line, "#") || markOf(line) != ""
	if starts && len(line)-len(strings.TrimLeft(line, " \t")) < min(deep, 2) {
		return ""
	}
	return fence
}

// fenceAfter gives the fence that is open after the line.
func fenceAfter(fence, line string) string {
	trimmed := strings.TrimSpace(line)
	if fence = fenceBefore(fence, line); fence != "" {
		if trimmed == strings.TrimSpace(fence) {
			return ""
		}
		return fence
	}
	if !strings.Contains(line, "```") && !strings.Contains(line, "~~~") {
		return "" // as nearly every line
	}
	deep := len(line) - len(strings.TrimLeft(line, " "))
	if mark := markOf(line); mark != "" {
		trimmed, deep = strings.TrimSpace(line[len(mark):]), len(mark)
	}
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(trimmed, mark) && !strings.Contains(trimmed[3:], mark[:1]) {
			return strings.Repeat(" ", deep) + mark
		}
	}
	return ""
}
