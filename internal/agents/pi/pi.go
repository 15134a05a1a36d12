// Package pi drives Pi over its own protocol (--mode rpc): commands, answers and events
// as lines of JSON, in both directions. It owns what Kedge knows of Pi. Pi asks for no
// permission: the tools with which it is started limit what it may do. It was tested with
// 0.73.1.
package pi

import (
	"slices"
	"strings"

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
	given, err := given(t)
	if err != nil {
		return agents.Start{}, err
	}
	add(given...)
	s.Pipes = true
	return s, nil
}

// reads are its tools that change nothing.
var reads = []string{"read", "grep", "find", "ls"}

// given are the arguments that say which tools it has. A session that may only read gets
// nothing else, whatever is offered.
func given(t agents.Task) ([]string, error) {
	for _, l := range t.Offer.Asked() {
		if l != agents.LimitOnly {
			return nil, agents.CannotLimit("pi", string(l))
		}
	}
	only := t.Offer.Only
	switch {
	case t.ReadOnly && only == nil:
		only = reads
	case t.ReadOnly:
		only = slices.DeleteFunc(slices.Clone(only), func(name string) bool { return !slices.Contains(reads, name) })
	}
	switch {
	case only == nil:
		return nil, nil
	case len(only) == 0:
		return []string{"--no-tools"}, nil
	default:
		return []string{"--tools", strings.Join(only, ",")}, nil
	}
}

// Reader implements agents.Adapter.
func (p *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t}
}
