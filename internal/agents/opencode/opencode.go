// Package opencode drives OpenCode without its screen (opencode run): the brief is its
// input, and its events are lines of JSON. Of its ways, only this one reports the usage
// after every reply. The package owns what Kedge knows of OpenCode. OpenCode reads
// nothing after its brief. Kedge gives it no sub-agents, because nobody would see what
// they do. It was tested with 1.18.33.
package opencode

import (
	"slices"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// Program is one of the family: OpenCode itself, or a program that grew from it, is
// started in the same way and prints the same.
type Program struct {
	Kind string // its name; it is called so, too
	Env  string // what the names of its environment variables begin with
	Data string // its folder below XDG_DATA_HOME, and the name of its database in there
}

// own is OpenCode itself.
func own() Program { return Program{Kind: name, Env: "OPENCODE_", Data: "opencode"} }

// Adapter is that of a program of the family.
type Adapter struct {
	argv []string
	own  Program
}

// New is the adapter of OpenCode; argv is the program with arguments of its own, empty
// where it is simply opencode.
func New(argv []string) *Adapter { return Known(argv, own()) }

// Known is the adapter of a program of the family; argv is as with New.
func Known(argv []string, p Program) *Adapter {
	return &Adapter{argv: agents.Argv(argv, p.Kind), own: p}
}

// Kind implements agents.Adapter.
func (o *Adapter) Kind() string { return o.own.Kind }

// Program implements agents.Adapter.
func (o *Adapter) Program() string { return o.argv[0] }

// What it may not do, whatever its own settings say. Nobody would see what a
// sub-agent does and uses: only the main conversation is printed.
var (
	works = []string{"task"}
	plans = []string{"task", "edit", "bash"}
)

// permission is what it may not do in a session, as its setting of that name: a tool
// that is denied is not offered.
func (o *Adapter) permission(t agents.Task) (string, error) {
	for _, l := range t.Offer.Asked() {
		if l != agents.LimitWithout {
			return "", agents.CannotLimit(o.own.Kind, string(l))
		}
	}
	denied := works
	if t.ReadOnly {
		denied = plans
	}
	var parts []string
	for _, name := range slices.Concat(denied, t.Offer.Without) {
		if server := agents.Server(name); server != "" {
			name = server + "_*"
		} else if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
			name = strings.Replace(rest, "__", "_", 1)
		}
		parts = append(parts, stream.JSON(name)+`:"deny"`)
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

// Start implements agents.Adapter. A conversation gets its name here: else it asks a
// model for one, and nobody is told what that cost.
func (o *Adapter) Start(t agents.Task) (agents.Start, error) {
	s := agents.Start{Command: slices.Clone(o.argv), Env: []string{o.own.Env + "DISABLE_AUTOUPDATE=1"}}
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
	} else {
		add("--auto")
	}
	may, err := o.permission(t)
	if err != nil {
		return agents.Start{}, err
	}
	s.Env = append(s.Env, o.own.Env+"PERMISSION="+may)
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
