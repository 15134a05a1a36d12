package frame

import (
	"context"
	"errors"
	"slices"
	"time"

	"kedge"

	"kedge/internal/app/runs"
	"kedge/internal/core/run"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// AfterChange says what comes next, as the state is now: every command that changes
// it ends so. A session has its brief, and a program asks when it wants to know.
func (env *Env) AfterChange(ctx context.Context) {
	if env.JSON || env.Getenv("KEDGE_SESSION") != "" {
		return
	}
	out, err := Call[runs.StepsReply](ctx, env, "steps", runs.StepsRequest{})
	if err != nil {
		return // what was asked for is done, and kedge status says what is wrong
	}
	env.Next(slices.DeleteFunc(out.NextSteps, func(s kedge.NextStep) bool { return out.Going && aboutGoing(s) })...)
	if out.Going {
		env.Talk("next: kedge run   # shows the run, which continues by itself")
	}
}

// ToDecide prints how you look at the work on a feature that waits for you, and decide about it.
func (env *Env) ToDecide(ctx context.Context, id kedge.FeatureID) {
	if env.JSON || env.Getenv("KEDGE_SESSION") != "" {
		return
	}
	if out, err := Call[runs.StepsReply](ctx, env, "steps", runs.StepsRequest{Feature: id}); err == nil {
		env.Next(out.NextSteps...)
	}
}

// aboutGoing tells whether a step is one for a run that works by itself.
func aboutGoing(s kedge.NextStep) bool {
	return s.Is("kedge", "run") || s.Is("kedge", "run", "--pause") || s.Is("kedge", "run", "--stop")
}

// Next prints steps, each as a command line to be pasted. Commands of Kedge say what they
// do; of several commands of git, which may be alternatives, each says what it is for in a comment
// of the shell, so that the whole line can be pasted.
func (env *Env) Next(steps ...kedge.NextStep) {
	git := 0
	for _, s := range steps {
		if s.Command == "git" {
			git++
		}
	}
	for _, s := range steps {
		line := StepText(s)
		if s.Command == "git" && git > 1 && s.Why != "" {
			line += "   # " + plain.Line(s.Why)
		}
		env.Talk("next: %s", line)
	}
}

// StepText is a step as a command line to be pasted.
func StepText(s kedge.NextStep) string { return plain.Line(s.String()) }

// StepWithWhy is a step with what it is for in front; the command stays at the end, to
// be copied.
func StepWithWhy(s kedge.NextStep) string {
	if s.Why == "" {
		return StepText(s)
	}
	return plain.Line(s.Why) + ": " + StepText(s)
}

// Changed is an answer after which comes what to do next.
func (env *Env) Changed(ctx context.Context, err error) error {
	if _, said := errors.AsType[Printed](err); err == nil || said {
		env.AfterChange(ctx)
	}
	return err
}

// HeldByYou says that you paused or stopped a run, and when. It is false for any other
// run, also for one that Kedge paused by itself: there the reason matters.
func HeldByYou(state run.Status, halt run.Halt, by kedge.Actor, at *time.Time) (string, bool) {
	if !by.IsHuman() {
		return "", false
	}
	var text string
	switch {
	case state == run.StatusPaused && halt == run.Paused:
		text = "paused by you"
	case state == run.StatusStopped && halt == run.Stopped:
		text = "stopped by you"
	default:
		return "", false
	}
	if at != nil {
		text += ", " + words.Ago(time.Since(*at))
	}
	return text, true
}
