package kedge

import (
	"context"
	"errors"
	"fmt"
)

// Kind says what an error means to the caller; each surface maps it once, to an
// exit code, an HTTP status or an MCP result.
type Kind string

// The kinds of error. A Kind that is not listed here is Internal.
const (
	Internal    Kind = "internal"
	Invalid     Kind = "invalid"     // usage, bad input, findings of a lint or doctor
	NotFound    Kind = "not_found"   //
	Conflict    Kind = "conflict"    // locked, already exists, moved meanwhile
	Blocked     Kind = "blocked"     // waits for a person
	Red         Kind = "gate_red"    // a gate's verdict is red
	OverBudget  Kind = "over_budget" //
	Interrupted Kind = "interrupted" //
)

// Error is an error that a person is shown: Msg says what happened, in lower
// case and without a full stop; Hint is what to do next, a command where one
// helps.
type Error struct {
	Kind Kind
	Msg  string
	Hint string
	Step *NextStep // the hint, where it is a command
	Err  error
}

func (e *Error) Error() string { return e.Msg }

// Unwrap gives the cause, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// WithHint returns e with the hint set, so that it can follow Errorf.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Errorf makes an Error; like fmt.Errorf it wraps the operand of %w.
func Errorf(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// KindOf gives the kind of err: that of the outermost Error in its chain,
// Interrupted for a cancelled context, Internal for anything else.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) {
		return Interrupted
	}
	return Internal
}

// Is tells whether err is of the kind.
func (k Kind) Is(err error) bool { return err != nil && KindOf(err) == k }

// HintOf gives the first hint in err's tree: joined errors have theirs too.
func HintOf(err error) string {
	if e, ok := err.(*Error); ok && e.Hint != "" { //nolint:errorlint // walks the tree itself
		return e.Hint
	}
	switch x := err.(type) { //nolint:errorlint // likewise
	case interface{ Unwrap() error }:
		return HintOf(x.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			if hint := HintOf(e); hint != "" {
				return hint
			}
		}
	}
	return ""
}
