// Package acp drives programs that speak the Agent Client Protocol, version 1, on their
// input and output: requests, answers and notices as lines of JSON, in both directions.
// Kedge is the client. The package owns the protocol. What is special about one program
// is a Program, in that agent's package. Kedge offers a program neither files nor
// terminals: the program works in the worktree itself, and asks before it acts. Kedge
// allows each request once, never "always".
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
	own  Program
}

// Program is what a program has of its own beside the protocol. The zero value is a
// program of which nothing more is known.
type Program struct {
	Kind       string
	Args       []string // after its command, to be driven
	ReadArgs   []string // and these, that keep it from writing, where it may only read; none: its mode does
	ScreenFlag string   // before what your screen begins with; empty: it has no screen that is known
	Env        []string
	Wrap       []string                               // before its command
	Limit      func(o agents.Offer) ([]string, error) // arguments that limit its tools; nil: it cannot be told
	ReadTools  []string                               // those of ReadArgs, where a list of tools is what keeps it from writing
	Window     int64                                  // the size of its context, where it does not tell; 0: unknown
	Beside     func() Beside                          // where what it used comes beside the protocol; nil: it does not
	ModelFlag  bool                                   // --model chooses its model
	Settles    bool                                   // after a loaded conversation it lists its commands, and only then has told all of it
	SavesLate  bool                                   // it saves its last reply only if its input stays open after the prompt
	Hides      func(version string) bool              // whether a version asks models for things that it does not tell of; nil: none does
	SumsItself bool                                   // the sums at the end of a prompt are those of its process, also in a resumed conversation
	Notice     func(text string) Notice               // what the program itself says in the place of a message; nil: nothing
	Model      func(id string) string                 // the model's own name in what the program calls it; nil: it is that name
}

// New is the adapter of a program that speaks the protocol and nothing else is
// known of.
func New(argv []string) (*Adapter, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, kedge.Errorf(kedge.Invalid, "an agent of kind \"acp\" in .kedge/config.toml has no command").
			WithHint("under that agent's [agents.NAME] in the file, add for example: command = [\"some-agent\", \"--acp\"]")
	}
	return &Adapter{argv: slices.Clone(argv), own: Program{Kind: "acp"}}, nil
}

// Known is the adapter of a program of which more is known. argv is the program with
// arguments of its own; empty: the program is called as its kind is.
func Known(argv []string, own Program) *Adapter {
	return &Adapter{argv: agents.Argv(argv, own.Kind), own: own}
}

// Kind implements agents.Adapter.
func (a *Adapter) Kind() string { return a.own.Kind }

// Program implements agents.Adapter.
func (a *Adapter) Program() string { return a.argv[0] }

// Start implements agents.Adapter.
func (a *Adapter) Start(t agents.Task) (agents.Start, error) {
	if t.Attended {
		return a.attended(t)
	}
	s := agents.Start{Command: slices.Concat(a.own.Wrap, a.argv, a.own.Args), Env: slices.Clone(a.own.Env), Pipes: true}
	if a.own.ModelFlag && t.Model != "" {
		s.Command = append(s.Command, "--model", t.Model)
	}
	limits, err := a.limits(t)
	if err != nil {
		return agents.Start{}, err
	}
	s.Command = append(s.Command, limits...)
	return s, nil
}

// limits are the arguments about its tools: what keeps it from writing, and what the
// session is offered.
func (a *Adapter) limits(t agents.Task) ([]string, error) {
	o := t.Offer
	var out []string
	switch {
	case t.ReadOnly && o.Only != nil && a.own.ReadTools != nil: // both at once: what is in both lists
		o.Only = slices.DeleteFunc(slices.Clone(o.Only), func(name string) bool { return !slices.Contains(a.own.ReadTools, name) })
	case t.ReadOnly:
		out = slices.Clone(a.own.ReadArgs)
	}
	if len(o.Asked()) == 0 {
		return out, nil
	}
	if a.own.Limit == nil {
		return nil, agents.CannotLimit(a.own.Kind, "a choice of tools")
	}
	more, err := a.own.Limit(o)
	return append(out, more...), err
}

// attended is how a person's screen begins.
func (a *Adapter) attended(t agents.Task) (agents.Start, error) {
	if a.own.ScreenFlag == "" {
		return agents.Start{}, kedge.Errorf(kedge.Blocked, "Kedge does not know how to start an agent of kind %q in a terminal", a.own.Kind).
			WithHint("start the agent yourself, and tell the agent to read %s", t.Brief)
	}
	s := agents.Start{Command: slices.Clone(a.argv)}
	if t.Model != "" {
		s.Command = append(s.Command, "--model", t.Model)
	}
	if t.Resume != "" {
		s.Command = append(s.Command, "--resume", t.Resume)
	}
	s.Command = append(s.Command, a.own.ScreenFlag, t.ReadBrief())
	return s, nil
}

// Reader implements agents.Adapter.
func (a *Adapter) Reader(t agents.Task) agents.Reader {
	return &reader{Stream: stream.Stream{Max: stream.LongLine}, task: t, own: a.own, calls: map[string]*call{}, beside: a.own.beside()}
}
