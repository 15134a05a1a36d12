package maintenance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/setup"
	"kedge/internal/cli/frame"
	"kedge/internal/core/check"
	"kedge/internal/core/scaffold"
	"kedge/internal/text/plain"
)

// Init is kedge init.
func Init(env *frame.Env) *cobra.Command {
	var in setup.InitRequest
	var how initHow
	var remove bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up Kedge in this repository, or in a plain folder",
		Long: `Set up Kedge in this repository, or in a plain folder.

Kedge finds the commands that test, build and start the project, and what a
fresh worktree needs first, such as npm ci. Then it writes these files and
commits them:

  .kedge/          settings, checks, rules, feature list, progress, a script
  AGENTS.md        a block for agents
  CLAUDE.md        a line that imports AGENTS.md
  .gitattributes   a line

The commit contains nothing else: what you have staged stays staged. Kedge
overwrites no existing file, so a second init changes nothing.

First, Kedge runs each of the commands once, in a temporary worktree of HEAD.
It prints the result and the time. If a command is red (it fails), Kedge writes
it as a comment only, with the first failure. If there is another command for
the same purpose, or if the test runner can leave out the few tests that are
red, Kedge tries that command. If it is green, Kedge uses it instead. On a
terminal, Kedge asks you before it leaves out or replaces a command.

Kedge stops a command after --try-time, but still uses it. With --no-try, or if
the repository has files that run code or steer agents and that you have not
approved, Kedge runs nothing.

If git ignores files under .kedge/, Kedge adds two lines to .gitignore that
undo this, because runs and clones need these files. The set-up and the checks
may write files that git does not ignore. Kedge adds these to .gitignore.

In a clone, init imports the decisions, notes and risks of the repository and
prints how to import its features.

With --remove, Kedge removes the files that it wrote, its hooks in the settings
of this project, and the branches of runs that have landed. Files that somebody
has changed since then stay. If something of Kedge stays in git or in your own
settings, Kedge prints a command that removes it. Kedge's record of the project
(its journal) also stays. To remove it, use kedge project rm. If a run is not
over, or has unlanded work, Kedge removes nothing (exit code 4).`,
		Example: `  kedge init                  set up, with one commit
  kedge init --agent claude   name the agent for unattended work
  kedge init --no-try         do not try the commands that Kedge finds
  kedge init --remove         remove what Kedge wrote`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if remove && in.Agent != "" {
				return frame.UsageError(c, errors.New("--agent and --remove cannot be combined"))
			}
			if remove {
				return runInitRemove(c.Context(), env)
			}
			if how.limit < time.Second {
				return frame.UsageError(c, fmt.Errorf("--try-time must be at least 1s, not %s", how.limit))
			}
			return runInit(c.Context(), env, in, how)
		},
	}
	c.Flags().StringVar(&in.Agent, "agent", "", "the `agent` for kedge run, saved in .kedge/config.toml")
	c.Flags().BoolVar(&how.yes, "yes", false, "do not ask for confirmation (on a terminal, init shows what it would write and asks)")
	c.Flags().BoolVar(&how.untried, "no-try", false, "do not try the commands that Kedge finds")
	c.Flags().DurationVar(&how.limit, "try-time", setup.TryLimit, "how long each command may take when Kedge tries it")
	c.Flags().BoolVar(&remove, "remove", false, "remove what Kedge wrote, with one commit")
	return c
}

// initHow is how init goes about it.
type initHow struct {
	yes, untried bool
	limit        time.Duration
}

// unasked is the same command, which then asks nothing.
func (h initHow) unasked(agent string) kedge.NextStep {
	args := []string{"init", "--yes"}
	if agent != "" {
		args = append(args, "--agent", agent)
	}
	if h.untried {
		args = append(args, "--no-try")
	}
	if h.limit != setup.TryLimit {
		args = append(args, "--try-time", h.limit.String())
	}
	return kedge.Step("kedge", args...)
}

func runInit(ctx context.Context, env *frame.Env, in setup.InitRequest, how initHow) error {
	in.Path = env.Getenv("PATH")
	asks := !how.yes && env.InTTY && env.ErrTTY && !env.JSON
	answers := bufio.NewReader(env.In)
	if asks {
		if err := askInit(ctx, env, in, how, answers); err != nil {
			return err
		}
	}
	var notes []string
	if !how.untried {
		tried, err := tryInit(ctx, env, how.limit)
		if err != nil {
			return err
		}
		if in.Trials, notes = tried.Trials, trialNotes(tried); asks {
			askLeft(env, in.Trials, answers)
		}
	}
	r, err := frame.Call[setup.InitReply](ctx, env, "init", in)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, notes...)
	for _, note := range r.Notes {
		env.Talk("note: %s", plain.Line(note))
	}
	return env.Show(r, func(w io.Writer) { printInit(w, r) })
}

// askInit shows what would be written. Nothing to write is nothing to ask.
func askInit(ctx context.Context, env *frame.Env, in setup.InitRequest, how initHow, answers *bufio.Reader) error {
	plan, err := frame.Call[setup.InitReply](ctx, env, "init.plan", in)
	if err != nil || len(plan.Written) == 0 {
		return err
	}
	env.Talk("Kedge will write these files, checks and commands to %s:", plan.Project.Dir)
	for _, path := range plan.Written {
		env.Talk("  %s", path)
	}
	for _, c := range plan.Checks {
		env.Talk("  check %s: %s", c.Name, check.Text(c))
	}
	for _, v := range plan.Services {
		env.Talk("  service %s, which Kedge starts for the checks that need it: %s", v.Name, v.Run)
	}
	if plan.Setup != "" {
		env.Talk("  command that sets up fresh worktrees: %s", plan.Setup)
	}
	fmt.Fprintf(env.Err, "Continue? [Y/n] ")
	answer, err := answers.ReadString('\n')
	if err != nil && answer == "" {
		return kedge.Errorf(kedge.Interrupted, "you gave no answer, so Kedge wrote nothing").WithStep(how.unasked(in.Agent))
	}
	if !isYes(answer) {
		return kedge.Errorf(kedge.Interrupted, "you said no, so Kedge wrote nothing")
	}
	return nil
}

// isYes reads an answer; none is yes.
func isYes(answer string) bool {
	a := strings.ToLower(strings.TrimSpace(answer))
	return a == "" || a == "y" || a == "yes"
}

func printInit(w io.Writer, r setup.InitReply) {
	if len(r.Written) == 0 && r.Commit == nil {
		fmt.Fprintf(w, "nothing to do: Kedge is already set up in %s\nnext    %s\n", r.Project.Dir, r.Next)
		return
	}
	fmt.Fprintf(w, "project %s in %s\n", r.Project.Name, r.Project.Dir)
	for _, path := range r.Written {
		fmt.Fprintf(w, "wrote   %s\n", path)
	}
	if slices.Contains(r.Written, scaffold.AgentsFile) {
		fmt.Fprintf(w, "later   %s: Kedge writes this file with the first feature; agents read it, and you may edit it\n", kedge.ContextFile)
	}
	if r.Setup != "" {
		fmt.Fprintf(w, "set-up  %s%s\n", r.Setup, howItEnded(r.Trials, setup.SetupName, r.Setup))
	}
	for _, c := range r.Checks {
		fmt.Fprintf(w, "check   %s: %s%s\n", c.Name, check.Text(c), howItEnded(r.Trials, c.Name, check.Text(c)))
	}
	for _, v := range r.Services {
		fmt.Fprintf(w, "service %s: %s\n", v.Name, v.Run)
	}
	for _, l := range r.Left {
		fmt.Fprintf(w, "unused  %s: %s (%s)\n", l.Name, plain.Line(l.Command), plain.Line(l.Why))
	}
	if r.Commit != nil {
		fmt.Fprintf(w, "commit  %s\n", *r.Commit)
	}
	fmt.Fprintf(w, "next    %s\n", r.Next)
}

// userHooks are the settings of the user's own that have Kedge's hooks.
func userHooks(env *frame.Env) []string {
	var out []string
	for _, a := range catalog.Hooks() {
		for _, p := range hookPlaces(env, a) {
			if state := p.look(env).State; p.scope == "user" && state != string(hooks.Absent) && state != "unreadable" {
				out = append(out, p.file)
			}
		}
	}
	return out
}

func runInitRemove(ctx context.Context, env *frame.Env) error {
	r, err := frame.Call[setup.InitRemoveReply](ctx, env, "init.remove", setup.InitRemoveRequest{})
	if err != nil {
		return err
	}
	removeProjectHooks(ctx, env)
	return env.Show(r, func(w io.Writer) {
		for _, path := range r.Removed {
			fmt.Fprintf(w, "removed %s\n", path)
		}
		for _, path := range r.Cut {
			fmt.Fprintf(w, "changed %s: Kedge's lines are removed, yours stay\n", plain.Line(path))
		}
		for _, path := range r.Kept {
			fmt.Fprintf(w, "kept    %s\n", path)
		}
		for _, l := range r.Left {
			fmt.Fprintf(w, "kept    %s: %s; to remove it: %s\n", plain.Line(l.What), plain.Line(l.Why), plain.Line(l.Command))
		}
		for _, file := range userHooks(env) {
			fmt.Fprintf(w, "kept    %s: this file has Kedge's hooks for all projects; to remove them: kedge hooks remove\n", plain.Line(file))
		}
		if r.Commit != nil {
			fmt.Fprintf(w, "commit  %s\n", *r.Commit)
		}
		if len(r.Removed)+len(r.Cut) == 0 {
			fmt.Fprintf(w, "nothing to remove: Kedge has no files here\n")
		}
		fmt.Fprintf(w, "Kedge's record of the project (its journal) stays; to remove it: kedge project rm %s\n", r.Project.ID)
		fmt.Fprintf(w, "to set Kedge up here again: kedge init\n")
	})
}
