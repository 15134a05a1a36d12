// Package qwen is Qwen Code: how it is driven, and all else that Kedge knows of it. It
// is driven over the Agent Client Protocol, beside which it tells what every reply used.
// It was made with 0.15.10.
package qwen

import (
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/acp"
	"kedge/internal/core/watch"
)

// New is its adapter; argv is the program with arguments of its own, empty where it is
// simply qwen.
func New(argv []string) *acp.Adapter {
	return acp.Known(argv, acp.Program{
		Kind: "qwen", Args: []string{"--acp"}, ScreenFlag: "--prompt-interactive", ModelFlag: true, Model: model, Notice: notice, SavesLate: true,
		Limit: limit,
	})
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
