package agent

import "slices"

// Pi drives Pi over its own protocol (--mode rpc): commands, answers and events
// as lines of JSON, both ways. It asks for no permission: what it may do is what
// tools it is started with. It was made with 0.73.1.
type Pi struct{ argv []string }

// NewPi is the adapter; argv is the program with arguments of its own, empty
// where it is simply pi.
func NewPi(argv []string) *Pi {
	if len(argv) == 0 {
		argv = []string{"pi"}
	}
	return &Pi{argv: slices.Clone(argv)}
}

// Kind implements Adapter.
func (p *Pi) Kind() string { return "pi" }

// Program implements Adapter.
func (p *Pi) Program() string { return p.argv[0] }

// Start implements Adapter.
func (p *Pi) Start(t Task) (Start, error) {
	s := Start{Command: slices.Clone(p.argv), Env: []string{"PI_SKIP_VERSION_CHECK=1"}}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	if t.Resume != "" {
		add("--session", t.Resume)
	}
	if t.Model != "" {
		add("--model", t.Model)
	}
	if t.Attended {
		add("Read " + t.Brief + ": it says where the work stands. Then go on from there.")
		return s, nil
	}
	add("--mode", "rpc")
	if t.ReadOnly {
		add("--tools", "read,grep,find,ls")
	}
	s.Pipes = true
	return s, nil
}

// Reader implements Adapter.
func (p *Pi) Reader(t Task) Reader { return &piReader{task: t, lines: lines{max: claudeLine}} }
