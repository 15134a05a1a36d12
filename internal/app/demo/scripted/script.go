// Package scripted is a coding agent without a model: it plays a script, for the
// demo and for tests. It owns the language of scripts and a simulated context
// window, and promises that the same script in the same place does the same. Its
// script may be honest or not: Kedge trusts it no more than any other agent. It
// never talks to a network beyond the loopback address.
//
// A script is JSON: settings and plays. The agent plays the first play that fits.
//
//	{"version": 1, "window": 20000, "overflow": "fail", "model": "scripted", "usd_per_mtok": 3,
//	 "plays": [
//	   {"feature": "user-*", "attempt": 1, "purpose": "implement", "number": 1, "brief": "text that it must contain",
//	    "do": [{"do": "write", "path": "{{feature}}.txt", "text": "hello\n"}, {"do": "done"}]}]}
//
// A play fits when all of its conditions match: feature (a pattern), attempt,
// purpose (implement, repair, fix, plan), number (of the session in its job) and
// brief. Texts may contain {{feature}}, {{attempt}}, {{purpose}}, {{number}},
// {{session}}, {{run}} and {{NAME}} for a variable of the environment. After the
// last action the agent says that it is done and ends with 0.
//
// Reading, writing and printing cost tokens of the window. A full window ends the
// agent with an error ("fail"), or makes it forget everything but its brief, so that
// it reads files again before it changes them ("forget"). With "silent": true, the
// agent reports none of this.
//
// The actions are in verbs.go.
package scripted

import (
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/watch"
	"kedge/internal/text/glob"
	"kedge/internal/text/strict"
)

// Script is everything that an agent does.
type Script struct {
	Version  int     `json:"version"`
	Window   int64   `json:"window"`       // tokens; 0: 200,000
	Overflow string  `json:"overflow"`     // fail (also when empty) or forget
	Model    string  `json:"model"`        //
	USD      float64 `json:"usd_per_mtok"` // 0: money is not reported
	Silent   bool    `json:"silent"`       // report nothing
	Plays    []Play  `json:"plays"`
}

// Play is what the agent does in sessions that fit; empty fits everything.
type Play struct {
	Feature string   `json:"feature"`
	Attempt int      `json:"attempt"`
	Purpose string   `json:"purpose"`
	Number  int      `json:"number"`
	Brief   string   `json:"brief"`
	Do      []Action `json:"do"`
}

// Action is one thing to do; which fields count depends on Do.
type Action struct {
	Do      string      `json:"do"`
	Path    string      `json:"path,omitempty"`
	Text    string      `json:"text,omitempty"`
	Old     string      `json:"old,omitempty"`
	New     string      `json:"new,omitempty"`
	Line    string      `json:"line,omitempty"`
	Must    bool        `json:"must,omitempty"`
	Loud    bool        `json:"loud,omitempty"`
	Tokens  int64       `json:"tokens,omitempty"`
	Times   int         `json:"times,omitempty"`
	Actions []Action    `json:"actions,omitempty"`
	For     string      `json:"for,omitempty"`
	Until   string      `json:"until,omitempty"`
	Code    int         `json:"code,omitempty"`
	Signal  string      `json:"signal,omitempty"`
	Port    int         `json:"port,omitempty"`
	Branch  string      `json:"branch,omitempty"`
	What    string      `json:"what,omitempty"`
	Usage   *watch.Used `json:"usage,omitempty"`
}

// usualWindow is the window of a script that says nothing.
const usualWindow = 200_000

// Parse reads a script; file is only a name for messages.
func Parse(file string, b []byte) (Script, error) {
	var s Script
	if err := strict.Decode(file, b, &s); err != nil {
		return Script{}, err
	}
	switch {
	case s.Version != 1:
		return Script{}, kedge.Errorf(kedge.Invalid, "%s: \"version\" is %d, and it must be 1", file, s.Version)
	case s.Window < 0 || s.USD < 0:
		return Script{}, kedge.Errorf(kedge.Invalid, "%s: \"window\" and \"usd_per_mtok\" must not be below 0", file)
	case s.Overflow != "" && s.Overflow != "fail" && s.Overflow != "forget":
		return Script{}, kedge.Errorf(kedge.Invalid, "%s: \"overflow\" is %q, and it must be \"fail\" or \"forget\"", file, s.Overflow)
	}
	if s.Window == 0 {
		s.Window = usualWindow
	}
	for i, p := range s.Plays {
		if err := check(p.Do); err != nil {
			return Script{}, kedge.Errorf(kedge.Invalid, "%s: entry %d of \"plays\": %w", file, i+1, err)
		}
	}
	return s, nil
}

// check finds actions that cannot be played before any is.
func check(actions []Action) error {
	for i, a := range actions {
		v, ok := verbs()[a.Do]
		if !ok {
			return kedge.Errorf(kedge.Invalid, "action %d: there is no action %q", i+1, a.Do).WithHint("see the actions: kedge fakeagent --help")
		}
		if v.path && a.Path == "" || v.line && a.Line == "" || v.text && a.Text == "" {
			return kedge.Errorf(kedge.Invalid, "action %d: %q lacks its \"path\", \"line\" or \"text\"", i+1, a.Do)
		}
		if _, err := time.ParseDuration(a.For); a.For != "" && err != nil {
			return kedge.Errorf(kedge.Invalid, "action %d: %q is not a time span such as 2s", i+1, a.For)
		}
		if err := check(a.Actions); err != nil {
			return err
		}
	}
	return nil
}

// Scene is the session that a play is chosen for.
type Scene struct {
	Feature string
	Attempt int
	Purpose string
	Number  int
	Brief   string
}

// choose gives the first play that fits.
func (s Script) choose(in Scene) (Play, bool) {
	for _, p := range s.Plays {
		if p.fits(in) {
			return p, true
		}
	}
	return Play{}, false
}

func (p Play) fits(in Scene) bool {
	return (p.Feature == "" || glob.Match(p.Feature, in.Feature)) &&
		(p.Attempt == 0 || p.Attempt == in.Attempt) &&
		(p.Purpose == "" || p.Purpose == in.Purpose) &&
		(p.Number == 0 || p.Number == in.Number) &&
		(p.Brief == "" || strings.Contains(in.Brief, p.Brief))
}
