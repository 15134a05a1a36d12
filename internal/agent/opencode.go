package agent

import "slices"

// OpenCode drives OpenCode without its screen (opencode run): the brief is its
// input, and its events come as lines of JSON. Of its ways it is the one that
// tells after every reply what it used. It was made with 1.18.33.
type OpenCode struct{ argv []string }

// NewOpenCode is the adapter; argv is the program with arguments of its own,
// empty where it is simply opencode.
func NewOpenCode(argv []string) *OpenCode {
	if len(argv) == 0 {
		argv = []string{"opencode"}
	}
	return &OpenCode{argv: slices.Clone(argv)}
}

// Kind implements Adapter.
func (o *OpenCode) Kind() string { return "opencode" }

// Program implements Adapter.
func (o *OpenCode) Program() string { return o.argv[0] }

// What it may not do, whatever its own settings say. Nobody would see what a
// sub-agent does and uses: only the main conversation is printed.
const (
	opencodeWorks = `{"task":"deny"}`
	opencodePlans = `{"task":"deny","edit":"deny","bash":"deny"}`
)

// Start implements Adapter. A conversation gets its name here: else it asks a
// model for one, and nobody is told what that cost.
func (o *OpenCode) Start(t Task) (Start, error) {
	s := Start{Command: slices.Clone(o.argv), Env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1"}}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	if t.Attended {
		o.shared(t, add)
		add("--prompt", "Read "+t.Brief+": it says where the work stands. Then go on from there.")
		return s, nil
	}
	add("run", "--format", "json")
	o.shared(t, add)
	if t.Resume == "" {
		add("--title", "kedge "+string(t.Session))
	}
	if t.ReadOnly {
		add("--agent", "plan")
		s.Env = append(s.Env, "OPENCODE_PERMISSION="+opencodePlans)
	} else {
		add("--auto")
		s.Env = append(s.Env, "OPENCODE_PERMISSION="+opencodeWorks)
	}
	s.Pipes = true
	return s, nil
}

// shared are the arguments of both of its faces.
func (o *OpenCode) shared(t Task, add func(...string)) {
	if t.Resume != "" {
		add("--session", t.Resume)
	}
	if t.Model != "" {
		add("--model", t.Model)
	}
}

// Reader implements Adapter.
func (o *OpenCode) Reader(t Task) Reader {
	return &opencodeReader{task: t, lines: lines{max: claudeLine}}
}
