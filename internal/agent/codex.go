package agent

import (
	"slices"
)

// Codex drives OpenAI's Codex over the protocol of its app server: requests,
// answers and notices as lines of JSON, both ways. Of its two ways without a
// screen it is the one that tells how full the context is while it works, and in
// which it can be told something. It was made with 0.166.0.
type Codex struct{ argv []string }

// NewCodex is the adapter; argv is the program with arguments of its own, empty
// where it is simply codex.
func NewCodex(argv []string) *Codex {
	if len(argv) == 0 {
		argv = []string{"codex"}
	}
	return &Codex{argv: slices.Clone(argv)}
}

// Kind implements Adapter.
func (c *Codex) Kind() string { return "codex" }

// Program implements Adapter.
func (c *Codex) Program() string { return c.argv[0] }

// Start implements Adapter. Its own sandbox stays on: it may write to the work
// tree, and asks for what lies outside.
func (c *Codex) Start(t Task) (Start, error) {
	s := Start{Command: slices.Clone(c.argv)}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	if t.Attended {
		add(codexTools(t.Tools)...)
		if t.Model != "" {
			add("--model", t.Model)
		}
		if t.Resume != "" {
			add("resume", t.Resume)
		}
		add("Read " + t.Brief + ": it says where the work stands. Then go on from there.")
		return s, nil
	}
	add("app-server", "-c", "sandbox_workspace_write.network_access=true", "-c", "features.default_mode_request_user_input=true")
	add(codexTools(t.Tools)...)
	s.Pipes = true
	return s, nil
}

// Shortens tells that it can be told to compact its context: Shorten.
func (c *Codex) Shortens() bool { return true }

// Reader implements Adapter.
func (c *Codex) Reader(t Task) Reader {
	return &codexReader{task: t, lines: lines{max: claudeLine}, told: map[string]codexTokens{}}
}
