// Package copilot has everything that Kedge knows of GitHub's Copilot CLI: its adapter
// and its profile. Kedge drives it over the Agent Client Protocol. Of its two ways
// without a screen, only in this one the prompt is not an argument, Copilot asks before
// it acts, and it reports figures. A refused tool ends its turn, so in planning it gets
// only tools that read. It was tested with 1.0.102.
package copilot

import (
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/acp"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// New is its adapter; argv is the program with arguments of its own, empty where it is
// simply copilot.
func New(argv []string) *acp.Adapter {
	return acp.Known(argv, acp.Program{
		Kind: "copilot", Args: []string{"--acp", "--no-auto-update"}, ReadArgs: []string{"--available-tools=" + strings.Join(reads, ",")},
		ReadTools: reads, Limit: limit,
		ScreenFlag: "--interactive", ModelFlag: true, SumsItself: true, Notice: notice,
	})
}

// reads are its tools that change nothing.
var reads = []string{"view", "grep", "glob"}

// limit are the arguments that limit its tools. A server is left away by its name; all
// but some cannot be.
func limit(o agents.Offer) ([]string, error) {
	var out, tools []string
	if o.Servers != nil {
		return nil, agents.CannotLimit("copilot", string(agents.LimitServers))
	}
	if o.Only != nil {
		out = append(out, "--available-tools="+strings.Join(o.Only, ","))
	}
	for _, name := range o.Without {
		if server := agents.Server(name); server != "" {
			out = append(out, "--disable-mcp-server="+server)
		} else {
			tools = append(tools, name)
		}
	}
	if len(tools) > 0 {
		out = append(out, "--excluded-tools="+strings.Join(tools, ","))
	}
	return out, nil
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
