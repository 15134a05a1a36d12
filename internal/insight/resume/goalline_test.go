package resume

import (
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

func TestGoalInOneLine(t *testing.T) {
	said := func(texts ...string) (list []audit.Entry) {
		for _, text := range texts {
			list = append(list, audit.Entry{Kind: audit.UserText, Text: text})
		}
		return list
	}
	for name, c := range map[string]struct {
		entries []audit.Entry
		want    string
	}{
		"the first request":   {said("<command-name>/clear</command-name>", "Fix the  race  in tests", "now the docs"), "Fix the race in tests"},
		"the title of a plan": {said("Implement the following plan:\n\n# Plan: Number folders from 1\n\n## Goal\nx"), "Number folders from 1"},
		"no title":            {said("do this:\n\n1. build\n2. test"), "do this: 1. build"},
		"steering until then": {said("yes", "Rename the flag of the command"), "Rename the flag of the command"},
		"only steering":       {said("continue"), "continue"},
		"of a summary": {
			[]audit.Entry{{Kind: audit.UserText, Summary: true, Text: summaryStart + "\n1. Primary Request and Intent: port it\n6. All user messages:\n - \"Port the parser to Go, please\"\n"}},
			"Port the parser to Go, please",
		},
		"not the program's words": {append([]audit.Entry{{Kind: audit.UserText, Rules: true, Text: "be kind"}, {Kind: audit.AssistantText, Text: "hello"}}, said("<system-reminder>x</system-reminder>")...), ""},
		"nothing that hides":      {said("a\x1b[31mred\x1b[0m\u202e word or two"), "a[31mred[0m word or two"},
	} {
		var g Goal
		for i := range c.entries {
			g.Take(&c.entries[i])
		}
		if g.Text() != c.want {
			t.Errorf("%s: %q, want %q", name, g.Text(), c.want)
		}
	}
	var g Goal
	g.Take(&audit.Entry{Kind: audit.UserText, Text: strings.Repeat("ä ", goalSize)})
	if len(g.Text()) > goalSize+len("…") || !strings.HasSuffix(g.Text(), "ä…") && !strings.HasSuffix(g.Text(), "ä …") {
		t.Errorf("%d bytes: %q", len(g.Text()), g.Text())
	}
}
