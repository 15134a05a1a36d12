// Package agents is the contract between Kedge and coding programs: how a session starts
// with a brief, what its output means, what Kedge can send it, and what its end means. It
// owns that contract and the form of an agent's profile. Each agent has its own package
// below, with its adapter and its profile; package catalog lists them all. No adapter
// starts a process, and a prompt is never an argument of a command. Output that an
// adapter does not understand is counted and shown, never guessed.
package agents

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/watch"
)

// Task is what a session is started for.
type Task struct {
	Session  kedge.SessionID
	Run      kedge.RunID
	Feature  kedge.FeatureID // empty: none, as for planning and for a fix
	Attempt  int
	Purpose  string // implement, repair, fix, plan
	Number   int    // of the session among those of the run for its feature, counting from 1
	Model    string // empty: the program's own choice
	Dir      string // the worktree
	Brief    string // path of the brief, a file of mode 0600 outside the worktree
	ReadOnly bool   // planning: the program is asked to write nothing
	Attended bool   // a person sits at it: it shows its own screen and finds its brief in the file
	Resume   string // the program's own conversation that goes on (Exit.Conversation); empty: a fresh one

	Offer Offer // what of its tools the session is offered

	// Tools is the command of the server that gives the session Kedge's tools over
	// the Model Context Protocol, for programs that can be told of one. It finds
	// its session by what the environment holds. Empty: none.
	Tools []string
}

// Offer limits the tools that a session is offered. The zero value is no limit. Names are
// those that the program has for its tools; a tool of an MCP server is mcp__SERVER__TOOL,
// all tools of one are mcp__SERVER.
type Offer struct {
	Only    []string // nothing else of the program's own tools; nil: all
	Without []string // none of these
	Servers []string // no other MCP servers than these; nil: all, empty: none
}

// Limit is a way in which the tools of a session can be limited: the key of config.toml.
type Limit string

// The limits.
const (
	LimitOnly    Limit = "only"
	LimitWithout Limit = "without"
	LimitServers Limit = "servers"
)

// Asked are the limits that the offer has.
func (o Offer) Asked() []Limit {
	var out []Limit
	if o.Only != nil {
		out = append(out, LimitOnly)
	}
	if len(o.Without) > 0 {
		out = append(out, LimitWithout)
	}
	if o.Servers != nil {
		out = append(out, LimitServers)
	}
	return out
}

// Server is the MCP server of which a name of Without means every tool; empty: the name
// is that of a tool.
func Server(name string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok || strings.Contains(rest, "__") {
		return ""
	}
	return rest
}

// CannotLimit is the refusal of a limit that a program cannot be told.
func CannotLimit(kind string, what string) error {
	return kedge.Errorf(kedge.Invalid, "agents of kind %q do not support this setting of [[tools]]: %s", kind, what).
		WithHint("remove this setting from [[tools]] in .kedge/config.toml; docs/reference/config.md of Kedge lists the settings that each agent supports")
}

// ToolsName is what programs call the server of Kedge's tools.
const ToolsName = "kedge"

// ReadBrief is what the program of a person who sits at it is told to begin with.
func (t Task) ReadBrief() string {
	return "Read " + t.Brief + ": it says where the work stands. Then continue from there."
}

// Start is how a session of a task begins. What it is told is typed into its
// standard input (Reader.Open); nothing of it stands in Command or Env.
type Start struct {
	Command []string
	Env     []string // added to the caller's environment
	Pipes   bool     // no terminal: its output is a stream of events
}

// Argv is the command of an adapter, its own to change: the program with arguments
// of its own as config.toml has it, or simply the program's name.
func Argv(own []string, name string) []string {
	if len(own) == 0 {
		return []string{name}
	}
	return slices.Clone(own)
}

// Adapter knows one coding program. The conformance suite agenttest holds every
// one to this contract.
type Adapter interface {
	// Kind is its name in config.toml.
	Kind() string
	// Program is what has to be installed: the first word of its command.
	Program() string
	// Start says how to start a task. It is a pure function.
	Start(t Task) (Start, error)
	// Reader makes a reader of the output of one session of the task, from its
	// first byte.
	Reader(t Task) Reader
}

// Reader turns a session's output into events, and into what the program is
// answered. It is fed the bytes in order, in any pieces, with the time at which
// they were printed; the same bytes give the same events and the same answers, so
// that an adopted session is read again from its beginning. Who types an answer
// numbers it by the place of the output that it answers: read again, it is typed
// once.
type Reader interface {
	// Open is what a session starts with: its brief, as the program reads it. Where
	// answers are typed it is called before the first Feed.
	Open(brief []byte) Input
	Feed(b []byte, at Time) ([]watch.Act, Input)
	// Say is what tells the living program something that was decided outside of
	// it; false when it cannot be told that now. It changes nothing: what came of
	// it, the output shows.
	Say(w Word) (Input, bool)
	// Asks tells whether it waits, after what was read, for people's answer.
	Asks() bool
	// Broken is how many lines could not be understood so far.
	Broken() int
	// Exit says what the end of the program means after what was read. A last line
	// without its end is to be ended first.
	Exit(code int, cause string) Exit
}

// Input is what is typed into a program.
type Input struct {
	Text  []byte
	Close bool // nothing comes after it: the input is to be ended
}

// None tells whether there is nothing to type.
func (in Input) None() bool { return len(in.Text) == 0 && !in.Close }

// Word is something that Kedge has to say to a living session. ID makes it known
// to a program that hears it twice.
type Word struct {
	Kind WordKind
	ID   string
	Text string
}

// WordKind names what is said.
type WordKind string

// The words.
const (
	Tell      WordKind = "tell"      // Text, from a person: the answer to an open question, else a steer
	Interrupt WordKind = "interrupt" // stop this turn; the session lives on
	Close     WordKind = "close"     // no further turn is wanted: end when this one is over

	// Shorten: stop this turn and compact the context, keeping and dropping what Text
	// says where the program takes that. watch.Compact or watch.Spared that is Asked
	// comes of it; a Tell, which is refused until then, starts the next turn.
	Shorten WordKind = "shorten"
)
