// Package engine is the contract between the callers who want runs and the engine that
// carries them out. An engine keeps the state of every run, applies each event with
// run.Step, stores the step before it carries the step's commands out, and repeats this
// until each command is answered. It promises that a run continues exactly where it was
// after any crash, that an event delivered twice has the effect of one, and that the
// answer of an earlier engine is refused.
package engine

import (
	"context"
	"errors"

	"kedge"
	"kedge/internal/core/run"
)

// Engine takes runs from their beginning to their end. Everything is idempotent
// by the id of the run and of the event.
type Engine interface {
	// Start begins a run with its first event, run.Begun.
	Start(ctx context.Context, begun run.Input) error
	// Deliver gives a run an event: what people want, or what happened.
	Deliver(ctx context.Context, id kedge.RunID, ev run.Input) error
	// Cancel stops a run like run.StopAsked, and returns when nothing of it lives.
	Cancel(ctx context.Context, id kedge.RunID, actor kedge.Actor) error
	// State is a run as it is now; NotFound when there is none.
	State(ctx context.Context, id kedge.RunID) (run.State, error)
	// Watch tells of every step from now on, first of the present state, until ctx
	// ends. A slow watcher misses steps in between, never the newest state.
	Watch(ctx context.Context, id kedge.RunID, tell func(Step)) error
}

// Step is one event and the state that it led to.
type Step struct {
	Event run.Input
	State run.State
}

// Executor carries out commands. Do returns the event that answers the command;
// doing a command twice, also by another process after a crash in the middle of
// it, has the effect of once. report delivers what a living session does
// meanwhile (run.Used, run.Signalled, run.TurnEnded); its epoch is filled in.
//
// When ctx ends with the cause ErrLeave, whoever called goes away and the work
// does not end: what lives under a holder is left alone, and Do returns ErrLeave;
// the command is done again later, with Adopts set when another owner does it.
// When ctx ends otherwise the command was withdrawn: what it started is ended.
// An error that is not ErrLeave is told to the run as run.Failed.
type Executor interface {
	Do(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error)
}

// ErrLeave is the cause with which the context of a command ends when its engine
// goes away and the command is to be done again later.
var ErrLeave = errors.New("the daemon is stopping")

// Left is ErrLeave when that is why ctx ended, and nil otherwise.
func Left(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrLeave) {
		return ErrLeave
	}
	return nil
}
