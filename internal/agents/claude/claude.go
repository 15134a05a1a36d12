// Package claude drives Claude Code without a terminal: its events are lines of JSON, and
// Kedge answers its questions (before a tool runs, and to the user) on its input. It owns
// what Kedge knows of Claude Code. A reply is counted once. A planning session is denied
// every tool that changes something. Output that the package does not understand is
// ignored or counted. It was tested with 2.1.197 and 2.1.325.
package claude

import (
	"crypto/sha1" //nolint:gosec // of names: what RFC 4122 makes an id of
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// Adapter is that of Claude Code.
type Adapter struct{ argv []string }

// New makes one; argv is the program with arguments of its own, empty where it is
// simply claude.
func New(argv []string) *Adapter { return &Adapter{argv: agents.Argv(argv, "claude")} }

// Kind implements agents.Adapter.
func (c *Adapter) Kind() string { return "claude" }

// Program implements agents.Adapter.
func (c *Adapter) Program() string { return c.argv[0] }

// Start implements agents.Adapter. Every tool that is not harmless is asked for, and the
// reader answers: so it needs none of the switches that let it do anything, which
// it refuses to root.
func (c *Adapter) Start(t agents.Task) (agents.Start, error) {
	s := agents.Start{Command: slices.Clone(c.argv), Env: []string{"DISABLE_AUTOUPDATER=1"}}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	limits, err := limited(t)
	if err != nil {
		return agents.Start{}, err
	}
	add(limits...) // never last: these take every word up to the next switch
	if t.Resume != "" {
		add("--resume", t.Resume)
	} else {
		add("--session-id", conversation(t.Session))
	}
	if t.Model != "" {
		add("--model", t.Model)
	}
	if t.Attended {
		add(t.ReadBrief())
		return s, nil
	}
	mode := "acceptEdits"
	if t.ReadOnly {
		mode = "plan"
	}
	add("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
		"--permission-prompt-tool", "stdio", "--permission-mode", mode)
	// Its end is the claim to be finished: nothing of it goes on behind that.
	s.Env = append(s.Env, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1")
	s.Pipes = true
	return s, nil
}

// Shortens tells that it can be told to compact its context: agents.Shorten.
func (c *Adapter) Shortens() bool { return true }

// Reader implements agents.Adapter.
func (c *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t}
}

// conversation is that of a session: a UUID, because Claude takes nothing
// else, and the same for whoever asks.
func conversation(id kedge.SessionID) string {
	b := sha1.Sum([]byte("kedge: session " + string(id))) //nolint:gosec // as above
	b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// limited are the arguments about its tools: the server of Kedge's, and what the session
// is offered. Of its own servers it can be told to leave all away, and none by name.
func limited(t agents.Task) ([]string, error) {
	o := t.Offer
	own := t.Tools
	var out []string
	if o.Servers != nil {
		for _, name := range o.Servers {
			if name != agents.ToolsName {
				return nil, agents.CannotLimit("claude", "the server "+name+" by its name; leave out other servers with without = [\"mcp__SERVER\"]")
			}
		}
		if len(o.Servers) == 0 {
			own = nil
		}
		out = append(out, "--strict-mcp-config")
	}
	out = append(out, tools(own)...)
	if o.Only != nil {
		out = append(out, "--tools", strings.Join(o.Only, ","))
	}
	if len(o.Without) > 0 {
		out = append(out, "--disallowedTools", strings.Join(o.Without, ","))
	}
	return out, nil
}

// tools are the arguments that tell it of the server of Kedge's tools, beside those
// that its own settings name.
func tools(command []string) []string {
	if len(command) == 0 {
		return nil
	}
	server := map[string]any{"type": "stdio", "command": command[0], "args": command[1:]}
	return []string{"--mcp-config", stream.JSON(map[string]any{"mcpServers": map[string]any{agents.ToolsName: server}})}
}
