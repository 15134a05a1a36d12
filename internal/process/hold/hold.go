// Package hold keeps a program alive through everything but the end of the machine. A
// holder is one small process per session: it owns the program's terminal or pipes,
// writes every byte to the session's tape before it shows the byte to anyone, answers on
// a private socket, and outlives the daemon. When the program ends, the holder ends the
// processes that the program left, writes exit.json, and waits until the daemon has read
// it.
//
// This package has both sides: Main is the holder; Start, Dial and Find are for its
// clients. The environment of a session is only in the holder's memory; no value of it is
// written to disk.
package hold

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"kedge"
)

// Place is where a session is: what a holder is told as soon as it is started.
type Place struct {
	Session kedge.SessionID `json:"session"`
	Dir     string          `json:"dir"`
	Socket  string          `json:"socket"`
}

// Spec is what a holder is told on its standard input: its place first, and all
// of it when the program is to run.
type Spec struct {
	Session kedge.SessionID `json:"session"`
	Dir     string          `json:"dir"`    // where tape, holder.json and exit.json go; exists, 0700
	Socket  string          `json:"socket"` // under 104 bytes, in a private folder
	Command []string        `json:"command"`
	Cwd     string          `json:"cwd"`
	Env     []string        `json:"env"`
	Cols    int             `json:"cols"` // 0: pipes instead of a terminal
	Rows    int             `json:"rows"`
}

// Record is holder.json: how to find a holder and to know it again.
type Record struct {
	Version int `json:"version"`
	Greeting
	Socket string `json:"socket"`
}

// Result is exit.json: how a session ended.
type Result struct {
	Version int             `json:"version"`
	Session kedge.SessionID `json:"session"`
	Exit
	Asked bool  `json:"asked"` // to end, by whoever uses Kedge
	End   int64 `json:"end"`   // length of the tape
	Lost  int64 `json:"lost"`  // bytes that never reached it and are not marked
	Left  int   `json:"left"`  // processes the program had left behind, ended by the holder
}

// SignalName is the name of the signal that ended the program, as this system
// calls it; empty where none did.
func (r Result) SignalName() string {
	if r.Signal == 0 {
		return ""
	}
	return unix.SignalName(syscall.Signal(r.Signal))
}

// fileVersion is the version of holder.json and exit.json.
const fileVersion = 1

func recordPath(dir string) string { return filepath.Join(dir, "holder.json") }
func resultPath(dir string) string { return filepath.Join(dir, "exit.json") }

// maxSocket is what fits into a socket address on every system.
const maxSocket = 103

func (p Place) check() error {
	switch {
	case !kedge.ValidID("ses", string(p.Session)):
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a session", p.Session)
	case !filepath.IsAbs(p.Dir) || !filepath.IsAbs(p.Socket):
		return kedge.Errorf(kedge.Invalid, "the paths of a session's folder and of its socket must be absolute")
	case len(p.Socket) > maxSocket:
		return kedge.Errorf(kedge.Invalid, "the path of the session's socket, %q, is too long: at most %d bytes are allowed", p.Socket, maxSocket).WithHint("set KEDGE_HOME to a shorter path")
	}
	return nil
}

func (s Spec) place() Place { return Place{Session: s.Session, Dir: s.Dir, Socket: s.Socket} }

func (s Spec) check() error {
	switch {
	case len(s.Command) == 0:
		return kedge.Errorf(kedge.Invalid, "the session has no command to run")
	case s.Cols < 0 || s.Rows < 0 || s.Cols > maxSide || s.Rows > maxSide:
		return kedge.Errorf(kedge.Invalid, "%d by %d is not a valid terminal size", s.Cols, s.Rows)
	}
	return s.place().check()
}
