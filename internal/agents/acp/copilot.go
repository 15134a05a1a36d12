package acp

import (
	"strings"

	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// Copilot is the adapter of GitHub's Copilot CLI; argv is the program with
// arguments of its own, empty where it is simply copilot. It is driven over the
// Agent Client Protocol: of its two ways without a screen the one in which a
// prompt is no argument, it asks before it acts, and its figures are told. A tool
// that is refused ends its turn, so that for planning it is given only those that
// read. It was made with 1.0.102.
func Copilot(argv []string) *Adapter {
	return known(argv, program{
		kind: "copilot", args: []string{"--acp", "--no-auto-update"}, reads: []string{"--available-tools=view,grep,glob"},
		screen: "--interactive", chosen: true, summed: true, notice: copilotNotice,
	})
}

// copilotNotice: it tells of itself in the place of a message, and ends a prompt
// that came to nothing like any other.
func copilotNotice(text string) notice {
	info, isInfo := strings.CutPrefix(text, "Info: ")
	trouble, isTrouble := strings.CutPrefix(text, "Error: ")
	switch {
	case isTrouble:
		return notice{text: trouble, fatal: true, status: copilotStatus(trouble)}
	case isInfo && strings.Contains(info, "Compacting history"):
		return notice{kind: watch.Compact, text: info}
	case isInfo:
		return notice{text: info}
	default:
		return notice{}
	}
}

// copilotStatus is the provider's status in what it says of a prompt that failed: at
// the places where it puts one.
func copilotStatus(trouble string) int {
	line, _, _ := strings.Cut(trouble, "\n")
	if _, last, ok := strings.Cut(line, " Last error: "); ok {
		return stream.StatusIn(last)
	}
	_, code, ok := strings.Cut(line, " (HTTP ")
	if !ok || !strings.HasPrefix(line, "Authentication failed ") {
		return 0
	}
	code, _, _ = strings.Cut(code, ")")
	return stream.StatusIn(code)
}
