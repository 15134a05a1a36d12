// Package pi drives Pi over its own protocol (--mode rpc): commands, answers and
// events as lines of JSON, both ways. It owns what Kedge knows of that program,
// which asks for no permission: what it may do is what tools it is started with.
// It was made with 0.73.1.
package pi

import (
	"slices"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// Adapter is that of Pi.
type Adapter struct{ argv []string }

// New makes one; argv is the program with arguments of its own, empty where it is
// simply pi.
func New(argv []string) *Adapter { return &Adapter{argv: agents.Argv(argv, "pi")} }

// Kind implements agents.Adapter.
func (p *Adapter) Kind() string { return "pi" }

// Program implements agents.Adapter.
func (p *Adapter) Program() string { return p.argv[0] }

// Shortens tells that it can be told to compact its context: Shorten.
func (p *Adapter) Shortens() bool { return true }

// Start implements agents.Adapter.
func (p *Adapter) Start(t agents.Task) (agents.Start, error) {
	s := agents.Start{Command: slices.Clone(p.argv), Env: []string{"PI_SKIP_VERSION_CHECK=1"}}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	if t.Resume != "" {
		add("--session", t.Resume)
	}
	if t.Model != "" {
		add("--model", t.Model)
	}
	if t.Attended {
		add(t.ReadBrief())
		return s, nil
	}
	add("--mode", "rpc")
	if t.ReadOnly {
		add("--tools", "read,grep,find,ls")
	}
	s.Pipes = true
	return s, nil
}

// Reader implements agents.Adapter.
func (p *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t}
}
