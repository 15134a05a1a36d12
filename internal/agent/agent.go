// Package agent makes sessions of coding programs: an adapter, one file each,
// says how a program is started with a brief and what its output means. It owns
// what Kedge knows of each program and nothing else: it starts no process, and
// a prompt is never an argument of a command. What an adapter does not
// understand is counted and shown, never guessed.
package agent

import (
	"kedge"
	"kedge/internal/watch"
)

// Task is what a session is started for.
type Task struct {
	Session  kedge.SessionID
	Run      kedge.RunID
	Feature  kedge.FeatureID // empty: none, as for planning and for a fix
	Attempt  int
	Purpose  string // implement, repair, fix, plan
	Number   int    // of the session in its job, counting from 1
	Model    string // empty: the program's own choice
	Dir      string // the work tree
	Brief    string // path of the brief, a file of mode 0600 outside the work tree
	ReadOnly bool   // planning: the program is asked to write nothing
}

// Start is how a session of a task begins. Whoever starts it types the brief into
// its standard input, which is closed then; nothing of it stands in Command or
// Env.
type Start struct {
	Command []string
	Env     []string // added to the caller's environment
	Pipes   bool     // no terminal: its output is a stream of events
}

// Adapter knows one coding program. The conformance suite agenttest holds every
// one to this contract.
type Adapter interface {
	// Kind is its name in config.toml.
	Kind() string
	// Start says how to start a task. It is a pure function.
	Start(t Task) (Start, error)
	// Reader makes a reader of the output of one session, from its first byte.
	Reader() Reader
}

// Reader makes events of a session's output. It is fed the bytes in order, in
// any pieces, with the time at which they were printed; the same bytes give the
// same events, so that an adopted session is read again from its beginning.
type Reader interface {
	Feed(b []byte, at Time) []watch.Event
	// Broken is how many lines could not be understood so far.
	Broken() int
	// Exit says what the end of the program means after what was read. A last line
	// without its end is to be ended first.
	Exit(code int, cause string) Exit
}
