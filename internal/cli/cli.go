// Package cli turns arguments into calls and answers into text. It owns the root command,
// the table of all commands and the exit codes. The commands themselves are in the
// packages below, one file each, and use package frame.
//
// It keeps no state: what a command knows comes from Env, and what it prints goes to
// Env.Out (the answer) or Env.Err (messages). It builds only the command that was called.
package cli

import (
	"context"
	"errors"
	"fmt"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/server"
	"kedge/internal/text/plain"
)

// exitCodes is the whole contract with scripts.
var exitCodes = map[kedge.Kind]int{
	kedge.Internal:    1,
	kedge.Invalid:     2,
	kedge.NotFound:    3,
	kedge.Conflict:    4,
	kedge.Blocked:     5,
	kedge.Red:         6,
	kedge.OverBudget:  7,
	kedge.Interrupted: 130,
}

// Main runs one command and returns its exit code.
func Main(ctx context.Context, env frame.Env) int {
	out, talk := env.Out, env.Err
	env.RawOut, env.RawErr = out, talk
	env.Out, env.Err = &plain.Writer{W: out}, &plain.Writer{W: talk}
	root := newRoot(&env)
	root.SetArgs(env.Args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	namedShells(root, env.Args)
	namedTopics(root, env.Args)
	c, err := root.ExecuteContextC(ctx)
	if damage := damageOf(&env); damage != nil {
		report(ctx, &env, c.CommandPath(), damage)
		if err == nil {
			return exitCodes[kedge.KindOf(damage)]
		}
	}
	if err == nil {
		return 0
	}
	if said, ok := errors.AsType[frame.Printed](err); ok {
		return exitCodes[kedge.Kind(said)]
	}
	if code, ok := errors.AsType[frame.ExitCode](err); ok {
		return int(code)
	}
	report(ctx, &env, c.CommandPath(), err)
	if code, ok := exitCodes[kedge.KindOf(err)]; ok {
		return code
	}
	return exitCodes[kedge.Internal]
}

// damageOf is why the answer that was given may lack something.
func damageOf(env *frame.Env) error {
	if env.Damage == nil {
		return nil
	}
	return env.Damage()
}

// report is the only place that shows an error to a person. Who pressed Ctrl-C
// knows why the command ended: one word says that it did.
func report(ctx context.Context, env *frame.Env, command string, err error) {
	w := server.ToWire(err)
	if w.Hint == "" {
		w.Hint = usualHint(kedge.KindOf(err), command)
	}
	if env.JSON {
		b, _ := frame.Encode(map[string]any{"error": w}) // three strings always encode
		fmt.Fprintf(env.Err, "%s", b)
		return
	}
	if ctx.Err() != nil && kedge.Interrupted.Is(err) {
		fmt.Fprintln(env.Err, "interrupted")
		return
	}
	fmt.Fprintf(env.Err, "kedge: %s\n", w.Message)
	if w.Hint != "" {
		fmt.Fprintf(env.Err, "next: %s\n", w.Hint)
	}
}

// usualHint is what to do about an error that does not say it itself.
func usualHint(kind kedge.Kind, command string) string {
	switch kind {
	case kedge.Interrupted:
		return ""
	case kedge.Invalid:
		return command + " --help"
	case kedge.NotFound, kedge.Conflict, kedge.Blocked, kedge.Red, kedge.OverBudget:
		return "see where the work stands: kedge status; see how the command works: " + command + " --help"
	default:
		return "see what is wrong: kedge doctor"
	}
}
