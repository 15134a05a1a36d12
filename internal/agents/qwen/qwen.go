// Package qwen has everything that Kedge knows of Qwen Code: its adapter and its profile.
// Kedge drives Qwen Code over the Agent Client Protocol. Outside the protocol, it reports
// the usage of every reply. It was tested with 0.15.10.
package qwen

import (
	"slices"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/acp"
	"kedge/internal/core/watch"
)

// New is its adapter; argv is the program with arguments of its own, empty where it is
// simply qwen.
func New(argv []string) *acp.Adapter {
	argv, args := approving(argv)
	return acp.Known(argv, acp.Program{
		Kind: "qwen", Args: args, ScreenFlag: "--prompt-interactive", ModelFlag: true, Model: model, Notice: notice, SavesLate: true,
		Limit: limit, Hides: hides,
	})
}

// approving makes Kedge the one who is asked whether a tool may run. Left to itself, and
// in the mode auto, it asks a model, and tells nobody what that used.
func approving(argv []string) (own, args []string) {
	const flag, free = "--approval-mode", "--approval-mode=yolo"
	var mode string
	for i := 0; i < len(argv); i++ {
		switch {
		case argv[i] == flag && i+1 < len(argv):
			i++
			mode = flag + "=" + argv[i]
		case strings.HasPrefix(argv[i], flag+"="):
			mode = argv[i]
		default:
			own = append(own, argv[i])
		}
	}
	switch {
	case slices.Contains(own, "--yolo") || slices.Contains(own, "-y"):
		return own, []string{"--acp"}
	case mode == free:
		return own, []string{"--acp", free}
	default:
		return own, []string{"--acp", flag + "=default"}
	}
}

// limit are the arguments that limit its tools.
func limit(o agents.Offer) ([]string, error) {
	var out []string
	add := func(flag string, list []string) {
		for _, name := range list {
			out = append(out, flag+"="+name)
		}
	}
	add("--core-tools", o.Only)
	add("--exclude-tools", o.Without)
	add("--allowed-mcp-server-names", o.Servers)
	if o.Servers != nil && len(o.Servers) == 0 {
		add("--allowed-mcp-server-names", []string{""}) // no server has that name
	}
	if o.Only != nil && len(o.Only) == 0 {
		return nil, agents.CannotLimit("qwen", "no tools at all")
	}
	return out, nil
}

// model is the name in "$runtime|openai|NAME(openai)", or in "NAME(openai)".
func model(id string) string {
	name, _, _ := strings.Cut(id[strings.LastIndex(id, "|")+1:], "(")
	return name
}

// notice: that it shortened its context it says as if the model did.
func notice(text string) acp.Notice {
	if strings.HasPrefix(text, "IMPORTANT: This conversation approached the input token limit") {
		return acp.Notice{Kind: watch.Compact, Text: text}
	}
	return acp.Notice{}
}
