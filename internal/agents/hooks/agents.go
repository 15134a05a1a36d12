// Package hooks owns the messages between Kedge and the hooks of coding agents: the
// entries in an agent's settings, how they are added and removed, the messages that an
// agent sends to a hook, and the answers that the agent understands. An Agent, in an
// agent's profile, says how that agent differs from the others. The package promises to
// change nothing in a settings file that is not Kedge's (unknown names, order, comments,
// blanks). Adding entries twice has the effect of once, and Kedge can remove its entries
// again. It is pure: texts go in and come out; it reads and writes nothing, and uses no
// clock.
package hooks

import "encoding/json"

// Agent is a coding program with hooks, as far as Kedge uses them.
type Agent struct {
	Name     string
	Settings Settings // where its hooks stand
	Entries  []Entry  // the hooks that Kedge wants, among those of others
	// File is the text of a settings file that is Kedge's alone; nil: Entries stand
	// among others'.
	File       func(Wish) string
	StatusLine bool   // it has a status line that a command makes
	Note       string // what you are told when its hooks were installed; empty: nothing

	Replaces bool // what a tool gave can be replaced before the model sees it
	Focuses  bool // what is said before a compaction reaches whoever summarises

	// PlanFolders are parts of the paths below which it writes its plans.
	PlanFolders []string
	// CompactCommand is what you type to compact its context; empty: its status line
	// says when.
	CompactCommand string
	// Tokens is how many were in the context by a line of its own record; 0: the line
	// does not tell. nil: no line does.
	Tokens func(line []byte) int64
	// Keeps tells whether a file is where, and named as, it puts outputs that are too
	// large for it; temp is the folder for temporary files. nil: it keeps none.
	Keeps func(dir, name, temp string) bool
	// Twin is the other name that it may give such a file; nil: none.
	Twin func(file, temp string, uid int) string

	Dialect
}

// Dialect is how an agent is answered, and what it tells of its tools, where that
// differs from what most do.
type Dialect struct {
	Context func(text string) Object // gives the model a text
	Refuse  func(why string) Object  // keeps a tool from running, or the agent from stopping
	// Output is what a command printed, and the file with all of it.
	Output func(response json.RawMessage) (text, file string, ok bool)
	// Replace gives the model another text than the response of a tool.
	Replace func(response json.RawMessage, text string) Object
	Failed  func(response json.RawMessage) bool
}

// Object is an answer to a hook.
type Object = map[string]any

// Settings says where an agent's settings with its hooks are.
type Settings struct {
	Variable string // of the environment, that names the user's folder
	Folder   string // below HOME, where the variable is not set
	File     string // in the user's folder
	Local    string // the project's file that git does not track, below its root; empty: none
	Shared   string // the project's file that git tracks
}

// Entry is a hook that Kedge wants.
type Entry struct {
	Event   string
	Matcher string
	Timeout string
}

// How long an agent waits for Kedge, in seconds: usually, and while a gate runs.
// Kedge itself gives up before.
const (
	Usual = "30"
	Gated = "900"
)
