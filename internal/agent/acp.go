package agent

import (
	"slices"

	"kedge"
)

// ACP drives any program that speaks the Agent Client Protocol, version 1, on its
// input and output: requests, answers and notices as lines of JSON, both ways.
// Kedge is the client. It offers the program neither files nor terminals: the
// program works in the work tree itself, and asks before it does.
type ACP struct {
	argv []string
	own  acpProgram
}

// acpProgram is what a program has of its own beside the protocol. The zero value
// is a program of which nothing more is known.
type acpProgram struct {
	kind    string
	args    func(t Task) []string // after its command, to be driven
	screen  func(t Task) []string // likewise, for a person
	env     []string
	wrap    []string                    // before its command
	window  int64                       // of its context, where it does not tell; 0: unknown
	metered bool                        // what it used comes beside the protocol: see telemetry
	chosen  bool                        // args choose its model
	reads   bool                        // args keep it from writing where it may only read
	settles bool                        // of a loaded conversation it tells its commands when it has told the rest
	notice  func(text string) acpNotice // what a piece of a message says that is none of the model's; nil: nothing
	model   func(id string) string      // the model's own name in what it calls one; nil: it is
}

// NewACP is the adapter of a program that speaks the protocol and nothing else is
// known of.
func NewACP(argv []string) (*ACP, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, kedge.Errorf(kedge.Invalid, "an agent of kind \"acp\" has no command").
			WithHint("[agents.NAME] kind = \"acp\" and command = [\"some-agent\", \"--acp\"] in .kedge/config.toml")
	}
	return &ACP{argv: slices.Clone(argv), own: acpProgram{kind: "acp"}}, nil
}

// Kind implements Adapter.
func (a *ACP) Kind() string { return a.own.kind }

// Program implements Adapter.
func (a *ACP) Program() string { return a.argv[0] }

// Start implements Adapter.
func (a *ACP) Start(t Task) (Start, error) {
	if t.Attended {
		if a.own.screen == nil {
			return Start{}, kedge.Errorf(kedge.Blocked, "an agent of kind %q has no screen of its own that Kedge knows", a.own.kind).
				WithHint("open it yourself and let it read %s", t.Brief)
		}
		return Start{Command: slices.Concat(a.argv, a.own.screen(t))}, nil
	}
	s := Start{Command: slices.Concat(a.own.wrap, a.argv), Env: slices.Clone(a.own.env), Pipes: true}
	if a.own.args != nil {
		s.Command = append(s.Command, a.own.args(t)...)
	}
	return s, nil
}

// Reader implements Adapter.
func (a *ACP) Reader(t Task) Reader {
	return &acpReader{task: t, own: a.own, lines: lines{max: claudeLine}, calls: map[string]*acpCall{}}
}

// readBrief is what a person's program is told to begin with.
func readBrief(t Task) string {
	return "Read " + t.Brief + ": it says where the work stands. Then go on from there."
}
