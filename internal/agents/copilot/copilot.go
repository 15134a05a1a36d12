// Package copilot is GitHub's Copilot CLI: how it is driven, and all else that Kedge
// knows of it. It is driven over the Agent Client Protocol: of its two ways without a
// screen the one in which a prompt is no argument, it asks before it acts, and its
// figures are told. A tool that is refused ends its turn, so that for planning it is
// given only those that read. It was made with 1.0.102.
package copilot

import (
	"strings"

	"kedge/internal/agents/acp"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// New is its adapter; argv is the program with arguments of its own, empty where it is
// simply copilot.
func New(argv []string) *acp.Adapter {
	return acp.Known(argv, acp.Program{
		Kind: "copilot", Args: []string{"--acp", "--no-auto-update"}, ReadArgs: []string{"--available-tools=view,grep,glob"},
		ScreenFlag: "--interactive", ModelFlag: true, SumsItself: true, Notice: notice,
	})
}

// notice: it tells of itself in the place of a message, and ends a prompt
// that came to nothing like any other.
func notice(text string) acp.Notice {
	info, isInfo := strings.CutPrefix(text, "Info: ")
	trouble, isTrouble := strings.CutPrefix(text, "Error: ")
	switch {
	case isTrouble:
		return acp.Notice{Text: trouble, Fatal: true, Status: status(trouble)}
	case isInfo && strings.Contains(info, "Compacting history"):
		return acp.Notice{Kind: watch.Compact, Text: info}
	case isInfo:
		return acp.Notice{Text: info}
	default:
		return acp.Notice{}
	}
}

// status is the provider's status in what it says of a prompt that failed: at
// the places where it puts one.
func status(trouble string) int {
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
