// Package opencode drives OpenCode without its screen (opencode run): the brief is
// its input, and its events come as lines of JSON. Of its ways it is the one that
// tells after every reply what it used. It owns what Kedge knows of that program,
// which reads nothing after its brief, and gives it no sub-agents: nobody would see
// what they do. It was made with 1.18.33.
package opencode

import (
	"slices"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// Adapter is that of OpenCode.
type Adapter struct{ argv []string }

// New makes one; argv is the program with arguments of its own, empty where it is
// simply opencode.
func New(argv []string) *Adapter { return &Adapter{argv: agents.Argv(argv, "opencode")} }

// Kind implements agents.Adapter.
func (o *Adapter) Kind() string { return "opencode" }

// Program implements agents.Adapter.
func (o *Adapter) Program() string { return o.argv[0] }

// What it may not do, whatever its own settings say. Nobody would see what a
// sub-agent does and uses: only the main conversation is printed.
const (
	works = `{"task":"deny"}`
	plans = `{"task":"deny","edit":"deny","bash":"deny"}`
)

// Start implements agents.Adapter. A conversation gets its name here: else it asks a
// model for one, and nobody is told what that cost.
func (o *Adapter) Start(t agents.Task) (agents.Start, error) {
	s := agents.Start{Command: slices.Clone(o.argv), Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1"}}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	if t.Attended {
		o.shared(t, add)
		add("--prompt", t.ReadBrief())
		return s, nil
	}
	add("run", "--format", "json")
	o.shared(t, add)
	if t.Resume == "" {
		add("--title", "kedge "+string(t.Session))
	}
	if t.ReadOnly {
		add("--agent", "plan")
		s.Env = append(s.Env, "OPENCODE_PERMISSION="+plans)
	} else {
		add("--auto")
		s.Env = append(s.Env, "OPENCODE_PERMISSION="+works)
	}
	s.Pipes = true
	return s, nil
}

// shared are the arguments of both of its faces.
func (o *Adapter) shared(t agents.Task, add func(...string)) {
	if t.Resume != "" {
		add("--session", t.Resume)
	}
	if t.Model != "" {
		add("--model", t.Model)
	}
}

// Reader implements agents.Adapter.
func (o *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t}
}
