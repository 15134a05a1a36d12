package agent

import (
	"slices"
	"strings"

	"kedge/internal/watch"
)

// NewCopilot is the adapter of GitHub's Copilot CLI; argv is the program with
// arguments of its own, empty where it is simply copilot. It is driven over the
// Agent Client Protocol: of its two ways without a screen the one in which a
// prompt is no argument, it asks before it acts, and its figures are told. It was
// made with 1.0.102.
func NewCopilot(argv []string) *ACP {
	if len(argv) == 0 {
		argv = []string{"copilot"}
	}
	return &ACP{argv: slices.Clone(argv), own: acpProgram{kind: "copilot", args: copilotArgs, screen: copilotScreen, chosen: true, reads: true, notice: copilotNotice}}
}

// copilotArgs: a tool that is refused ends its turn, so that for planning it is
// given only those that read.
func copilotArgs(t Task) []string {
	args := []string{"--acp", "--no-auto-update"}
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	if t.ReadOnly {
		args = append(args, "--available-tools=view,grep,glob")
	}
	return args
}

func copilotScreen(t Task) []string {
	var args []string
	if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	if t.Resume != "" {
		args = append(args, "--resume", t.Resume)
	}
	return append(args, "--interactive", readBrief(t))
}

// copilotNotice: it tells of itself in the place of a message, and ends a prompt
// that came to nothing like any other.
func copilotNotice(text string) acpNotice {
	info, isInfo := strings.CutPrefix(text, "Info: ")
	trouble, isTrouble := strings.CutPrefix(text, "Error: ")
	switch {
	case isTrouble:
		return acpNotice{text: trouble, fatal: true, status: copilotStatus(trouble)}
	case isInfo && strings.Contains(info, "Compacting history"):
		return acpNotice{kind: watch.Compact, text: info}
	case isInfo:
		return acpNotice{text: info}
	default:
		return acpNotice{}
	}
}

// copilotStatus is the provider's status in what it says of a prompt that failed: at
// the places where it puts one.
func copilotStatus(trouble string) int {
	line, _, _ := strings.Cut(trouble, "\n")
	if _, last, ok := strings.Cut(line, " Last error: "); ok {
		return statusIn(last)
	}
	_, code, ok := strings.Cut(line, " (HTTP ")
	if !ok || !strings.HasPrefix(line, "Authentication failed ") {
		return 0
	}
	code, _, _ = strings.Cut(code, ")")
	return statusIn(code)
}
