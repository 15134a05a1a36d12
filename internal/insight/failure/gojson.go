package failure

import (
	"encoding/json"
	"strings"
)

// GoEvent is a line of go test -json.
type GoEvent struct {
	Action     string
	ImportPath string
	Package    string
	Test       string
	Output     string
}

// goJSON turns the output of go test -json into the text that go test prints for
// the first thing that failed; false when the output is nothing of the kind. In
// JSON packages are interleaved, so the first fail event decides, and only its
// own output is given back.
func goJSON(lines []string) ([]string, bool) {
	printed := map[string][]string{}
	for _, line := range lines {
		e, ok := ParseGoEvent(line)
		if !ok {
			continue
		}
		key := e.ImportPath + e.Package + "\x00" + e.Test
		switch e.Action {
		case "output", "build-output":
			if len(printed[key]) < maxBlock {
				printed[key] = append(printed[key], strings.TrimSuffix(e.Output, "\n"))
			}
		case "pass", "skip":
			if e.Test != "" {
				delete(printed, key)
			}
		case "fail", "build-fail":
			return goJSONText(e, printed[key]), true
		}
	}
	return nil, false
}

func ParseGoEvent(line string) (GoEvent, bool) {
	var e GoEvent
	if !strings.HasPrefix(line, `{"`) || !strings.Contains(line, `"Action":"`) {
		return e, false
	}
	return e, json.Unmarshal([]byte(line), &e) == nil
}

// goJSONText puts a test's own result line first, as go test does without -v.
func goJSONText(e GoEvent, printed []string) []string {
	text := make([]string, 0, len(printed)+3)
	if e.Test != "" {
		text = append(text, "--- FAIL: "+e.Test+" (0.00s)")
	}
	for _, l := range printed {
		l = cleanLine(l)
		if strings.HasPrefix(l, "=== ") || goResult.MatchString(l) {
			continue
		}
		text = append(text, l)
	}
	if e.Package != "" && e.Test != "" {
		text = append(text, "FAIL\t"+e.Package)
	}
	return text
}
