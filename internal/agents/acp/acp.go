// Package acp drives programs that speak the Agent Client Protocol, version 1, on
// their input and output: requests, answers and notices as lines of JSON, both
// ways. Kedge is the client. It owns the protocol, and what Gemini, Qwen Code and
// Copilot have of their own beside it. It offers a program neither files nor
// terminals: the program works in the work tree itself, and asks before it does;
// what it asks is allowed once, never for always.
package acp

import (
	"slices"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// Adapter is that of a program that speaks the protocol.
type Adapter struct {
	argv []string
	own  program
}

// program is what a program has of its own beside the protocol. The zero value
// is a program of which nothing more is known.
type program struct {
	kind    string
	args    []string // after its command, to be driven
	reads   []string // and these, that keep it from writing, where it may only read; none: its mode does
	screen  string   // the switch before what a person's screen begins with; empty: it has none that is known
	env     []string
	wrap    []string                 // before its command
	window  int64                    // of its context, where it does not tell; 0: unknown
	metered bool                     // what it used comes beside the protocol: see telemetry
	chosen  bool                     // --model chooses its model
	settles bool                     // of a loaded conversation it tells its commands when it has told the rest
	writes  bool                     // it ends without having written down its last reply, where its input ends with the prompt
	summed  bool                     // the sums at the end of a prompt are those of its process, also in a conversation that goes on
	notice  func(text string) notice // what a piece of a message says that is none of the model's; nil: nothing
	model   func(id string) string   // the model's own name in what it calls one; nil: it is
}

// New is the adapter of a program that speaks the protocol and nothing else is
// known of.
func New(argv []string) (*Adapter, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, kedge.Errorf(kedge.Invalid, "an agent of kind \"acp\" has no command").
			WithHint("[agents.NAME] kind = \"acp\" and command = [\"some-agent\", \"--acp\"] in .kedge/config.toml")
	}
	return &Adapter{argv: slices.Clone(argv), own: program{kind: "acp"}}, nil
}

// known is the adapter of a program that is called as its kind is, where argv does
// not say otherwise.
func known(argv []string, own program) *Adapter {
	return &Adapter{argv: agents.Argv(argv, own.kind), own: own}
}

// Kind implements agents.Adapter.
func (a *Adapter) Kind() string { return a.own.kind }

// Program implements agents.Adapter.
func (a *Adapter) Program() string { return a.argv[0] }

// Start implements agents.Adapter.
func (a *Adapter) Start(t agents.Task) (agents.Start, error) {
	if t.Attended {
		return a.attended(t)
	}
	s := agents.Start{Command: slices.Concat(a.own.wrap, a.argv, a.own.args), Env: slices.Clone(a.own.env), Pipes: true}
	if a.own.chosen && t.Model != "" {
		s.Command = append(s.Command, "--model", t.Model)
	}
	if t.ReadOnly {
		s.Command = append(s.Command, a.own.reads...)
	}
	return s, nil
}

// attended is how a person's screen begins.
func (a *Adapter) attended(t agents.Task) (agents.Start, error) {
	if a.own.screen == "" {
		return agents.Start{}, kedge.Errorf(kedge.Blocked, "an agent of kind %q has no screen of its own that Kedge knows", a.own.kind).
			WithHint("open it yourself and let it read %s", t.Brief)
	}
	s := agents.Start{Command: slices.Clone(a.argv)}
	if t.Model != "" {
		s.Command = append(s.Command, "--model", t.Model)
	}
	if t.Resume != "" {
		s.Command = append(s.Command, "--resume", t.Resume)
	}
	s.Command = append(s.Command, a.own.screen, t.ReadBrief())
	return s, nil
}

// Reader implements agents.Adapter.
func (a *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t, own: a.own, calls: map[string]*call{}}
}
