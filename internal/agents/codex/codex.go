// Package codex drives OpenAI's Codex over the protocol of its app server: requests,
// answers and notices as lines of JSON, in both directions. Of Codex's two ways without a
// screen, only this one reports how full the context is while it works, and accepts
// messages. The package owns what Kedge knows of Codex. Every request of Codex gets an
// answer; in planning, no answer allows it to write. It was tested with 0.166.0.
package codex

import (
	"slices"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/process"
	"kedge/internal/text/lazyre"
)

// Adapter is that of Codex.
type Adapter struct{ argv []string }

// New makes one; argv is the program with arguments of its own, empty where it is
// simply codex.
func New(argv []string) *Adapter { return &Adapter{argv: agents.Argv(argv, "codex")} }

// Kind implements agents.Adapter.
func (c *Adapter) Kind() string { return "codex" }

// Program implements agents.Adapter.
func (c *Adapter) Program() string { return c.argv[0] }

// Start implements agents.Adapter. Its own sandbox stays on: it may write to the work
// tree, and asks for what lies outside.
func (c *Adapter) Start(t agents.Task) (agents.Start, error) {
	s := agents.Start{Command: slices.Clone(c.argv)}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	less, err := without(t.Offer)
	if err != nil {
		return agents.Start{}, err
	}
	if t.Attended {
		add(less...)
		add(tools(t.Tools)...)
		if t.Model != "" {
			add("--model", t.Model)
		}
		if t.Resume != "" {
			add("resume", t.Resume)
		}
		add(t.ReadBrief())
		return s, nil
	}
	add("app-server", "-c", "sandbox_workspace_write.network_access=true", "-c", "features.default_mode_request_user_input=true")
	add(less...)
	add(tools(t.Tools)...)
	s.Pipes = true
	return s, nil
}

// Shortens tells that it can be told to compact its context: agents.Shorten.
func (c *Adapter) Shortens() bool { return true }

// Reader implements agents.Adapter.
func (c *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t, told: map[string]tokens{}}
}

// switches turn off those of its own tools that it can do without. Those for goals go
// together.
var switches = map[string]string{
	"web_search": `web_search="disabled"`, "create_goal": goals, "get_goal": goals, "update_goal": goals,
}

const goals = "features.goals=false"

// serverName is a name that needs no quotes in one of its settings.
var serverName = lazyre.New(`^[A-Za-z0-9_-]+$`)

// without are the arguments that leave tools away: servers that its settings name, and
// the few tools of its own that have a switch.
func without(o agents.Offer) ([]string, error) {
	for _, l := range o.Asked() {
		if l != agents.LimitWithout {
			return nil, agents.CannotLimit(name, string(l))
		}
	}
	var out []string
	for _, tool := range o.Without {
		server := agents.Server(tool)
		switch {
		case serverName.MatchString(server):
			out = append(out, "-c", "mcp_servers."+server+".enabled=false")
		case switches[tool] != "":
			out = append(out, "-c", switches[tool])
		default:
			return nil, agents.CannotLimit(name, "leaving out "+tool)
		}
	}
	return out, nil
}

// toolsEnv are the variables by which the server of Kedge's tools finds its
// session. Only their names are ever in a command.
var toolsEnv = []string{"KEDGE_HOME", "KEDGE_SESSION", process.TokenVariable}

// toolsSeconds is how long it waits for a tool: a gate may take long.
const toolsSeconds = "7200"

// tools are the arguments that tell it of that server. It passes nothing of its
// environment on that it is not told of.
func tools(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	var out []string
	for _, kv := range []string{
		"command=" + stream.JSON(command[0]), "args=" + stream.JSON(command[1:]), "env_vars=" + stream.JSON(toolsEnv), "tool_timeout_sec=" + toolsSeconds,
	} {
		out = append(out, "-c", "mcp_servers."+agents.ToolsName+"."+kv)
	}
	return out
}
