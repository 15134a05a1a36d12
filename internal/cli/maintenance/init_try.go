package maintenance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kedge/internal/app/setup"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// tryInit runs what init would propose, and shows how it goes.
func tryInit(ctx context.Context, env *frame.Env, limit time.Duration) (setup.InitTryReply, error) {
	in := setup.InitTryRequest{Path: env.Getenv("PATH"), Env: env.Environ, Seconds: int(limit / time.Second)}
	var reply setup.InitTryReply
	err := env.Call.Call(ctx, "init.try", in, &reply, trialStep(env))
	env.Running("")
	return reply, err
}

// trialNotes are what you should know of the trials besides their results.
func trialNotes(r setup.InitTryReply) []string {
	switch {
	case r.Untried != "":
		return []string{"Kedge tried none of the commands: " + r.Untried}
	case r.Dirty:
		return []string{"Kedge tried the commands on the last commit, without your uncommitted changes: runs use only committed files"}
	}
	return nil
}

// trialStep shows one trial after another.
func trialStep(env *frame.Env) func(json.RawMessage) {
	said := false
	return func(b json.RawMessage) {
		var p setup.TryProgress
		if json.Unmarshal(b, &p) != nil {
			return // the daemon is of another version
		}
		if !said {
			said = true
			where := "here"
			if p.Commit != "" {
				where = "in a fresh worktree of commit " + words.Hash(p.Commit)
			}
			env.Talk("Kedge tries each command %s, for at most %s (to skip this: kedge init --no-try)", where, setup.Span(time.Duration(p.Limit)*time.Second))
		}
		if p.Trial.State == setup.Trying {
			env.Running("run   " + plain.Line(p.Trial.Command))
			return
		}
		env.Running("")
		env.Talk("%s", trialLine(p.Trial))
		if p.Trial.Why != "" {
			env.Talk("        %s", plain.Line(p.Trial.Why))
		}
	}
}

// trialLine says how one trial ended.
func trialLine(t setup.Trial) string {
	line := fmt.Sprintf("%-7s %s: %s", t.State, t.Name, plain.Line(t.Command))
	if t.State == setup.TrialUntried {
		return line
	}
	return line + " (" + took(t) + ")"
}

func took(t setup.Trial) string {
	return time.Duration(t.Seconds * float64(time.Second)).Round(100 * time.Millisecond).String()
}

// howItEnded is the result of a trial, for the end of a line; empty: it was not tried.
func howItEnded(trials []setup.Trial, name, command string) string {
	i := slices.IndexFunc(trials, func(t setup.Trial) bool { return t.Name == name && t.Command == command })
	if i < 0 {
		return ""
	}
	if t := trials[i]; t.State == setup.TrialGreen || t.State == setup.TrialRed {
		return fmt.Sprintf(" (%s in %s)", t.State, took(t))
	}
	return fmt.Sprintf(" (%s: %s)", trials[i].State, plain.Line(trials[i].Why))
}

// askLeft asks of each red command whether it is left out. No answer is yes.
func askLeft(env *frame.Env, trials []setup.Trial, answers *bufio.Reader) {
	for i, t := range trials {
		if !t.Left {
			continue
		}
		question := "The command of " + t.Name + " is red. Leave it out? It stays in its file as a comment."
		green := func(o setup.Trial) bool { return o.Name == t.Name && o.State == setup.TrialGreen }
		if j := slices.IndexFunc(trials, green); j >= 0 {
			question = "The command of " + t.Name + " is red. Use this green command instead? " + plain.Line(trials[j].Command)
		}
		fmt.Fprintf(env.Err, "%s [Y/n] ", question)
		answer, _ := answers.ReadString('\n') // the end of the input is no answer
		trials[i].Left = isYes(answer)
	}
}
