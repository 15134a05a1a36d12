// Package codex drives OpenAI's Codex over the protocol of its app server:
// requests, answers and notices as lines of JSON, both ways. Of its two ways
// without a screen it is the one that tells how full the context is while it works,
// and in which it can be told something. It owns what Kedge knows of that program;
// whatever it asks gets an answer, and in planning none that lets it write. It was
// made with 0.166.0.
package codex

import (
	"slices"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/process"
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
	if t.Attended {
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
