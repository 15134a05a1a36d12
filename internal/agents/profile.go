package agents

import (
	"kedge/internal/agents/hooks"
	"kedge/internal/agents/trust"
	"kedge/internal/insight/transcript"
)

// Profile is all that Kedge knows of one agent. Each agent's package has its own, and
// package catalog lists them: whoever needs to know something of an agent asks there,
// by name, and no other package knows the name.
type Profile struct {
	Name  string // in config.toml: the kind, and the name of the agent that needs no table there
	Title string // as its makers call it
	About string // how Kedge drives it, in a phrase

	// Generic says that it is a way to drive programs and no program: config.toml has
	// to name the command.
	Generic bool
	// New makes its adapter; argv is the command that config.toml names, empty where
	// the program is called as its maker calls it.
	New func(argv []string) (Adapter, error)
	// Hears are the words that reach a living session.
	Hears []WordKind

	// CommandLine is how its options are written, for a command that you typed.
	CommandLine CommandLine

	// Limits are the ways in which the tools of a session can be limited.
	Limits []Limit

	Versions Versions
	// Writes are the folders and files in which it keeps its own state, below HOME:
	// what a sandbox must let it write for it to work at all.
	Writes []string
	// Obeys are the files of a repository that it runs or obeys, and the variables that
	// move its settings or make it run something. They need your approval.
	Obeys trust.Rules
	// Guards are patterns of its files in a repository that decide about the work: a
	// verdict tells when work adds or changes one.
	Guards []string
	// Hooks are how its hooks are used while you drive it by hand; nil: it has none, or
	// Kedge does not know them.
	Hooks *hooks.Agent
	// Transcript is how it keeps what its sessions did; nil: Kedge cannot read that.
	Transcript *transcript.Format

	// Lacks says, by the name of a field above that is empty, why it is.
	Lacks map[string]string
}
