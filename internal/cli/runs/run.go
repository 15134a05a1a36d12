package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/cli/frame"
	"kedge/internal/server"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// Run is kedge run.
func Run(env *frame.Env) *cobra.Command {
	var (
		flags                     supply.Flags
		pause, goOn, stop, detach bool
	)
	c := &cobra.Command{
		Use:   "run",
		Short: "Work through the features until Kedge has verified them all",
		Long:  runLong,
		Example: `  kedge run                              with the agent of .kedge/config.toml
  kedge run --agent claude --parallel 2
  kedge run --until 1                    end with phase 1 of the plan
  kedge run --pause                      hold the sessions, start nothing new
  kedge run --continue --budget-usd 20   continue, with this budget in total
  kedge run --stop                       end the sessions, with checkpoints`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if pause && stop || goOn && (pause || stop) {
				return frame.UsageError(c, kedge.Errorf(kedge.Invalid, "use only one of --pause, --continue and --stop"))
			}
			if err := checkRunFlags(c, flags); err != nil {
				return err
			}
			switch {
			case pause:
				return runWord(c.Context(), env, "run.pause")
			case stop:
				return runWord(c.Context(), env, "run.stop")
			}
			return runAndWatch(c.Context(), env, flags, goOn, detach)
		},
	}
	f := c.Flags()
	f.StringVar(&flags.Agent, "agent", "", "the `agent`, or agent:model (default: [run] agent in config.toml)")
	f.IntVar(&flags.Parallel, "parallel", 0, "work on this `number` of features at once")
	f.IntVar(&flags.MaxSessions, "max-sessions", 0, "stop after this `number` of sessions")
	f.Float64Var(&flags.BudgetUSD, "budget-usd", 0, "the most that the run may cost, in `dollars`")
	f.Int64Var(&flags.BudgetTokens, "budget-tokens", 0, "the most `tokens` that the run may use")
	f.StringVar(&flags.Until, "until", "", "end with this `phase` of the plan: its number, id or title")
	f.BoolVar(&pause, "pause", false, "hold each session before its next tool call, and start nothing new")
	f.BoolVar(&goOn, "continue", false, "continue a run that was paused, stopped or halted")
	f.BoolVar(&stop, "stop", false, "end the sessions, each with a checkpoint")
	f.BoolVar(&detach, "detach", false, "do not wait until the run ends")
	frame.CompleteFlag(c, "until", phaseNumbers(env))
	return c
}

func checkRunFlags(c *cobra.Command, f supply.Flags) error {
	for _, n := range []struct {
		flag  string
		value int
	}{{"parallel", f.Parallel}, {"max-sessions", f.MaxSessions}, {"budget-tokens", int(f.BudgetTokens)}} {
		if err := frame.Positive(c, n.flag, n.value, 2); err != nil {
			return err
		}
	}
	if c.Flags().Changed("budget-usd") && !(f.BudgetUSD > 0) {
		return kedge.Errorf(kedge.Invalid, "--budget-usd %v is not a positive number", f.BudgetUSD).WithHint("repeat your command with: --budget-usd 5")
	}
	return nil
}

// runWord says one thing to the run and shows what it is like after that.
func runWord(ctx context.Context, env *frame.Env, name string) error {
	out, err := frame.Call[runs.RunReply](ctx, env, name, runs.RunRequest{})
	if err != nil {
		return err
	}
	return showRun(env, out)
}

// showRun prints a run as the answer of a command that does not wait for it.
func showRun(env *frame.Env, out runs.RunReply) error {
	sayNotes(env, out.Notes)
	if err := env.Show(out, func(w io.Writer) { fmt.Fprintln(w, afterWord(out.Run)) }); err != nil {
		return err
	}
	switch {
	case out.Run.Resting:
		nextSteps(env, out.Run)
	case out.Run.Halt != "":
		env.Talk("the run halts after its current step; to watch it until then: kedge run; to continue it after that: kedge run --continue")
	}
	return nil
}

func sayNotes(env *frame.Env, notes []string) {
	for _, n := range notes {
		env.Talk("note: %s", plain.Line(n))
	}
}

// standingLine is where a run stands, in one line.
func standingLine(v runs.RunView) string {
	if text, held := frame.HeldByYou(v.State, v.Halt, v.HaltedBy, v.HaltedAt); held {
		return text
	}
	s := words.Spaced(v.State)
	if v.Reason != "" {
		s += ": " + v.Reason
	}
	return plain.Line(s)
}

// afterWord is where a run stands after something was said to it: a state with
// nothing beside it would be a word alone.
func afterWord(v runs.RunView) string {
	if v.Reason == "" {
		return "the run is " + standingLine(v)
	}
	return standingLine(v)
}

// nextSteps says what to do about a run that rests.
func nextSteps(env *frame.Env, v runs.RunView) {
	env.Next(v.NextSteps...)
}

func runAndWatch(ctx context.Context, env *frame.Env, flags supply.Flags, goOn, detach bool) error {
	var (
		out runs.RunReply
		err error
	)
	if goOn {
		out, err = frame.Call[runs.RunReply](ctx, env, "run.continue", runs.RunContinueRequest{Flags: flags, Env: env.Environ})
	} else {
		out, err = frame.Call[runs.RunReply](ctx, env, "run.start", runs.RunStartRequest{Flags: flags, Env: env.Environ})
	}
	if err != nil {
		return err
	}
	if detach {
		return leaveRunning(env, out, out)
	}
	sayNotes(env, out.Notes)
	sayForecast(env, out)
	return watchRun(ctx, env, out)
}

// leaveRunning shows a run that nobody waits for: which it is, and how to come back
// to it. The answer is what --json prints.
func leaveRunning(env *frame.Env, out runs.RunReply, answer any) error {
	sayNotes(env, out.Notes)
	if err := env.Show(answer, func(w io.Writer) { fmt.Fprintf(w, "%s %s\n", out.Run.ID, standingLine(out.Run)) }); err != nil {
		return err
	}
	if out.Run.Resting {
		nextSteps(env, out.Run)
		return nil
	}
	sayForecast(env, out)
	env.Talk("watch the run: kedge run (Ctrl-C detaches); see its progress: kedge status")
	env.Talk("pause the run: kedge run --pause; end it: kedge run --stop")
	return nil
}

// runEnd is the last line of `run --json`.
type runEnd struct {
	Type string       `json:"type"` // end, or detached
	Run  runs.RunView `json:"run"`
	// Summary is that of a run that rests.
	Summary *reports.RunSummary `json:"summary,omitempty"`
}

// watchRun shows a run until it rests, through the death of daemons.
func watchRun(ctx context.Context, env *frame.Env, from runs.RunReply) error {
	show := newRunShow(env, from.Run)
	defer show.stop()
	show.last = from.Steps
	var out runs.RunReply
	var gone outage
	for {
		seen, asked := show.last, time.Now()
		in := runs.RunWatchRequest{Run: from.Run.ID, After: seen, Env: env.Environ}
		err := env.Call.Call(ctx, "run.watch", in, &out, show.line)
		switch {
		case err == nil:
			show.stop()
			show.finish(out.Run)
			return runOver(env, out.Run, out.Summary)
		case ctx.Err() != nil:
			show.stop()
			return sayDetached(env, show)
		case !errors.Is(err, server.ErrBroken) && !errors.Is(err, server.ErrNoDaemon):
			return err
		}
		served := errors.Is(err, server.ErrBroken) && time.Since(asked) > lived
		if !gone.bear(time.Now(), show.last > seen || served) {
			return err
		}
		breathe(ctx) // the next daemon goes on
	}
}

// How a watcher takes the death of daemons.
const (
	patience = 2 * time.Minute        // for daemons that die one after the other
	lived    = 30 * time.Second       // a daemon that was there for so long was no part of that
	breath   = 200 * time.Millisecond // before the next one is asked for
)

// outage is a time in which every daemon died before it was of any use.
type outage struct{ since time.Time }

// bear tells whether one more death is put up with.
func (o *outage) bear(now time.Time, useful bool) bool {
	if useful || o.since.IsZero() {
		o.since = now
	}
	return now.Sub(o.since) < patience
}

// breathe waits a moment; a person who leaves does not wait.
func breathe(ctx context.Context) {
	t := time.NewTimer(breath)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// sayDetached speaks when you leave a run, which does not notice.
func sayDetached(env *frame.Env, show *runShow) error {
	if env.JSON {
		return errors.Join(jsonLine(env, runEnd{Type: "detached", Run: show.view}), frame.Printed(kedge.Interrupted))
	}
	if v := show.view; v.Halt != "" {
		env.Talk("detached; the run halts after its current step (%s). To watch it until then: kedge run; to continue it after that: kedge run --continue", standingLine(v))
		return frame.Printed(kedge.Interrupted)
	}
	env.Talk("detached; the run continues. To watch it again: kedge run; to end it: kedge run --stop")
	return frame.Printed(kedge.Interrupted)
}

// runOver gives the end of a run: what it came to, what to do next, and the
// exit code.
func runOver(env *frame.Env, v runs.RunView, sum *reports.RunSummary) error {
	if env.JSON {
		if err := jsonLine(env, runEnd{Type: "end", Run: v, Summary: sum}); err != nil {
			return err
		}
	} else {
		if err := env.Show(nil, func(w io.Writer) { overText(w, v, sum) }); err != nil {
			return err
		}
		nextSteps(env, v)
	}
	if v.Kind == "" {
		return nil
	}
	return frame.Printed(v.Kind)
}

// overText is how a run ended, and what it came to.
func overText(w io.Writer, v runs.RunView, sum *reports.RunSummary) {
	state := words.Spaced(v.State) // every such line begins with it
	frame.Stated(w, 2, stateRole(v), state, strings.TrimPrefix(standingLine(v), state))
	summaryText(w, v, sum)
	if v.Phase != nil {
		frame.Stated(w, 2, frame.Plain, plain.Line(v.Phase.Title)+":", " "+plain.Line(v.Phase.Summary))
	}
}

// jsonLine prints one line of a stream.
func jsonLine(env *frame.Env, v any) error {
	b, err := frame.Encode(v)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot print the answer as JSON: %w", err)
	}
	_, err = env.Out.Write(b)
	return err
}

// runShow shows the lines of a watched run: as JSON, as text line by line, or
// as a table that is redrawn in place.
type runShow struct {
	env  *frame.Env
	view runs.RunView
	last int64 // the newest step that was shown
	live *liveTable
	stop func() // the clock of the table
}

func newRunShow(env *frame.Env, v runs.RunView) *runShow {
	s := &runShow{env: env, view: v, stop: func() {}}
	if env.Redraws() {
		s.live = newLiveTable(env, v)
		s.live.live.Update(func() {})
		s.stop = s.live.live.Follow(env)
	}
	return s
}

// line takes one line of progress. A step that was shown before, as after a
// daemon's death, is not shown again.
func (s *runShow) line(b json.RawMessage) {
	var l runs.RunLine
	if json.Unmarshal(b, &l) != nil {
		return // the daemon is of another version; the end says it all
	}
	off := ""
	switch {
	case l.Step != nil:
		if l.Step.N <= s.last {
			return
		}
		s.last = l.Step.N
	case l.Run != nil:
		off = offNow(s.view, *l.Run)
		s.view = *l.Run
	}
	switch {
	case s.env.JSON:
		_ = jsonLine(s.env, l) // a reader that went away shows at the end
	case s.live != nil:
		s.live.take(s.env, l, s.view)
	case l.Step != nil && l.Step.Text != "":
		s.env.Talk("%s", stepLine(s.env, *l.Step))
	case off != "":
		s.env.Talk("%s", off)
	}
}

// stepLine is one step for a person.
func stepLine(env *frame.Env, st reports.RunStep) string {
	at := env.Clock(st.At)
	if st.Feature == "" {
		return at + "  " + plain.Line(st.Text)
	}
	return at + "  " + plain.Line(string(st.Feature)) + ": " + plain.Line(st.Text)
}

func (s *runShow) finish(v runs.RunView) {
	s.view = v
	if s.live != nil {
		s.live.end(v)
	}
}

const runLong = `Work through the features until all are verified, until none can continue, or
until a budget is spent.

Each feature gets a short session and a git worktree of its own. Kedge runs
the checks itself, commits what is green and sets the rest aside. Agents and
checks outlive this command and the daemon.

With --until PHASE, the run ends when the features of that phase and of all
earlier phases are done. The run then saves a checkpoint, prints a summary of
the phase and starts no later phase. kedge plan diff PHASE shows what the phase
changed. The next kedge run begins the next phase.

If a run is working already, kedge run shows this run and applies your flags to
it. A paused or otherwise halted run accepts flags only with --continue. Ctrl-C
detaches your terminal; the run continues.

First Kedge commits the files that it wrote under .kedge/. Then it leaves these
files in your checkout unchanged until the work has landed, so that they never
block your own git commands. Until then, Kedge keeps new decisions and notes in
its own record (the journal). The commands that save them tell you so.

At the start, Kedge prints a forecast of what the run may cost, based on past
sessions of this project. After each feature it prints how far the run is
above or below the forecast (kedge forecast).

On a terminal, Kedge shows a live table. Otherwise, or if TERM is dumb or not
set, Kedge prints one line per step to stderr.

How a run ends (each end prints what to do next):

  exit  state                 why
  0     done                  every feature is completed or skipped; with
                              --until, every feature up to that phase
  4     paused                somebody changed the repository while
                              the run worked
  5     waiting, paused,      it waits for you: a question, a review, a
        stopped, done         blocked feature, checks that cannot run here, a
                              missing agent, files to approve, or finished
                              work that could not land
  6     stopped               the project's checks are red and a session
                              could not fix them
  7     over_budget, stopped  a budget or --max-sessions is reached
  130   stopped, or any       you stopped it, or detached with Ctrl-C

A provider's limit (state waiting_quota) does not end the run: Kedge prints
when the run tries again, and the run resumes by itself. kedge run --continue
tries now.`
