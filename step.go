package kedge

import (
	"errors"
	"slices"
	"strings"
)

// NextStep is one thing that you can do now: a command that works now, and what it is
// for. Arguments in capitals, as WHY in "--reason WHY", are yours to fill in.
type NextStep struct {
	Command string    `json:"command"` // the program: kedge, git
	Args    []string  `json:"args"`
	Why     string    `json:"why,omitempty"`  // what it is for; empty: it says so itself
	Then    *NextStep `json:"then,omitempty"` // what follows once it has succeeded
}

// Step makes a step of a command line.
func Step(command string, args ...string) NextStep {
	return NextStep{Command: command, Args: append([]string{}, args...)}
}

// For is the step with what it is for.
func (s NextStep) For(why string) NextStep {
	s.Why = why
	return s
}

// AndThen is the step with another one behind it.
func (s NextStep) AndThen(next NextStep) NextStep {
	s.Then = &next
	return s
}

// Is tells whether the step is this command line and nothing more.
func (s NextStep) Is(command string, args ...string) bool {
	return s.Command == command && s.Then == nil && slices.Equal(s.Args, args)
}

// String is the command line, quoted so that a shell reads these very arguments.
func (s NextStep) String() string {
	line := quoted(s.Command)
	for _, a := range s.Args {
		line += " " + quoted(a)
	}
	if s.Then != nil {
		line += " && " + s.Then.String()
	}
	return line
}

// quoted is one word of a command line.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@=,%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// StepLines are the command lines of steps; never nil.
func StepLines(steps []NextStep) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.String()
	}
	return out
}

// WithStep returns e with a step as its hint.
func (e *Error) WithStep(s NextStep) *Error {
	e.Hint, e.Step = s.String(), &s
	return e
}

// StepOf is the step that an error names; false where it names none, or a hint in
// words.
func StepOf(err error) (NextStep, bool) {
	if e, ok := errors.AsType[*Error](err); ok && e.Step != nil {
		return *e.Step, true
	}
	return NextStep{}, false
}
