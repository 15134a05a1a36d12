// Package pi drives Pi over its own protocol (--mode rpc): commands, answers and
// events as lines of JSON, both ways. It owns what Kedge knows of that program,
// which asks for no permission: what it may do is what tools it is started with.
// It was made with 0.73.1.
package pi

import (
	"slices"

	"kedge/internal/agent"
	"kedge/internal/agent/talk"
)

// Adapter is that of Pi.
type Adapter struct{ argv []string }

// New makes one; argv is the program with arguments of its own, empty where it is
// simply pi.
func New(argv []string) *Adapter { return &Adapter{argv: agent.Argv(argv, "pi")} }

// Kind implements agent.Adapter.
func (p *Adapter) Kind() string { return "pi" }

// Program implements agent.Adapter.
func (p *Adapter) Program() string { return p.argv[0] }

// Shortens tells that it can be told to compact its context: Shorten.
func (p *Adapter) Shortens() bool { return true }

// Start implements agent.Adapter.
func (p *Adapter) Start(t agent.Task) (agent.Start, error) {
	s := agent.Start{Command: slices.Clone(p.argv), Env: []string{"PI_SKIP_VERSION_CHECK=1"}}
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

// Reader implements agent.Adapter.
func (p *Adapter) Reader(t agent.Task) agent.Reader {
	return &reader{Stream: talk.Stream{Max: talk.LongLine}, task: t}
}
