package maintenance

import (
	"cmp"
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
	"kedge/internal/cli/frame"
	"kedge/internal/journal/spool"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// hooksReply is `hooks … --json`.
type hooksReply struct {
	Hooks   []hookLine `json:"hooks"`
	Waiting int        `json:"waiting"` // events that no daemon has taken yet
}

// hookLine is one settings file: what is in it, or what was done to it.
type hookLine struct {
	Agent string `json:"agent"`
	Scope string `json:"scope"`
	State string `json:"state"`
	File  string `json:"file"`
	Error string `json:"error,omitempty"` // why it is as it was
	Hint  string `json:"hint,omitempty"`
}

// Hooks is kedge hooks.
func Hooks(env *frame.Env) *cobra.Command {
	c := frame.Group("hooks", "Connect agents that you start yourself to Kedge",
		newHooksInstall(env), newHooksRemove(env), newHooksLs(env))
	c.Long = `Connect agents that you start yourself to Kedge, with hooks in their settings.

In a project, the hooks then have these effects:

  - the agent gets a brief when a conversation begins and after a compaction
  - Kedge shortens long output of commands, and keeps all of it (kedge logs)
  - Kedge saves a checkpoint before a compaction
  - an agent in its plan mode cannot change files, except its plan
  - when the agent wants to end, Kedge runs the checks; if a check is red, the
    agent receives the failure, once

An error in a hook does not stop the agent. Kedge writes such errors to the
file $KEDGE_HOME/hooks/log. docs/reference/agents.md of Kedge says what each
agent supports.`
	c.Example = "  kedge hooks install\n  kedge hooks ls"
	return c
}

func newHooksInstall(env *frame.Env) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "install [AGENT...]",
		Short: "Install Kedge's hooks in the settings of agents",
		Long: `Install Kedge's hooks in the settings of agents, beside existing entries.

Without an AGENT, Kedge installs hooks for every agent that is on the PATH.
The hooks go into these settings:

  claude    .claude/settings.local.json of this project, which git then
            ignores; with --user your own settings
  others    your own settings

In folders that are not a Kedge project the hooks do nothing. If Kedge cannot
read a settings file, it leaves the file unchanged and prints where the error
is. It installs the hooks in the other files and ends with exit code 2. Agents
may not install hooks.`,
		Example: `  kedge hooks install
  kedge hooks install claude --user   in every project`,
		RunE: func(c *cobra.Command, args []string) error {
			change := hookChange{agents: found, places: nearest, do: func(ctx context.Context, p hookPlace) (string, error) {
				program, err := os.Executable()
				if err != nil {
					return "", kedge.Errorf(kedge.Internal, "Kedge cannot find out where its own program file is: %w", err)
				}
				return p.install(ctx, env, program)
			}}
			if user {
				change.places = own
			}
			return changeHooks(c.Context(), env, args, change)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "use your own settings, for every project")
	return c
}

func newHooksRemove(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "remove [AGENT...]",
		Short: "Remove Kedge's hooks from the settings of agents",
		Long: `Remove Kedge's hooks from your own settings and those of this project.

If nobody has changed a settings file since the installation, Kedge restores
exactly the file that you had before.`,
		Example: `  kedge hooks remove
  kedge hooks remove codex`,
		RunE: func(c *cobra.Command, args []string) error {
			return changeHooks(c.Context(), env, args, hookChange{everyAgent, every, func(ctx context.Context, p hookPlace) (string, error) { return p.remove(ctx, env) }})
		},
	}
}

func newHooksLs(env *frame.Env) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the settings files and whether Kedge's hooks are in them", Args: cobra.NoArgs,
		Example: "  kedge hooks ls\n  kedge hooks ls --json",
		RunE: func(*cobra.Command, []string) error {
			reply := hooksReply{Hooks: []hookLine{}, Waiting: spool.Waiting(env.Home)}
			for _, a := range catalog.Hooks() {
				for _, p := range hookPlaces(env, a) {
					reply.Hooks = append(reply.Hooks, p.look(env))
				}
			}
			return showHooks(env, reply)
		},
	}
}

// line is a file with what it has, or what became of it; err is why nothing did.
func (p hookPlace) line(state string, err error) hookLine {
	l := hookLine{Agent: p.agent.Name, Scope: p.scope, State: state, File: p.file}
	if err != nil {
		l.Error, l.Hint = err.Error(), kedge.HintOf(err)
	}
	return l
}

// look tells what a file has; one that cannot be read is said to be so.
func (p hookPlace) look(env *frame.Env) hookLine {
	text, _, _, err := p.read()
	if err != nil {
		return p.line("unreadable", err)
	}
	program, err := os.Executable()
	if err != nil {
		return p.line("unknown", err)
	}
	state, err := p.agent.Look(text, p.wish(env, program))
	if err != nil {
		return p.line("unreadable", p.bad("install", err))
	}
	return p.line(string(state), nil)
}

// hookChange is what is done to settings files: of which agents where none is named,
// to which of an agent's, and what.
type hookChange struct {
	agents func(*frame.Env) (here, skipped []hooks.Agent)
	places func([]hookPlace) []hookPlace
	do     func(context.Context, hookPlace) (string, error)
}

// found are the agents that are installed, and the others.
func found(env *frame.Env) (here, skipped []hooks.Agent) {
	for _, a := range catalog.Hooks() {
		if env.Look != nil && env.Look(a.Name) {
			here = append(here, a)
		} else {
			skipped = append(skipped, a)
		}
	}
	return here, skipped
}

func everyAgent(*frame.Env) (here, skipped []hooks.Agent) { return catalog.Hooks(), nil }

// nearest is the project's file where the agent has one, else the user's.
func nearest(all []hookPlace) []hookPlace { return all[:1] }

// own is the user's file.
func own(all []hookPlace) []hookPlace { return all[len(all)-1:] }

func every(all []hookPlace) []hookPlace { return all }

// changeHooks does something to the settings of the agents that are named, or of
// all that are there. A file to which it cannot be done stays as it is, and keeps
// nothing from the others.
func changeHooks(ctx context.Context, env *frame.Env, names []string, change hookChange) error {
	if id := env.Getenv("KEDGE_SESSION"); id != "" {
		return kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not change the settings of any agent", id).
			WithHint("ask the user to run the command in a terminal outside the session")
	}
	if env.Home == "" {
		return kedge.Errorf(kedge.Invalid, "neither KEDGE_HOME nor HOME is set, so Kedge has no folder for its data").WithHint("name a folder: export KEDGE_HOME=/absolute/path/of/a/folder")
	}
	agents, skipped, err := change.of(env, names)
	if err != nil {
		return err
	}
	reply := hooksReply{Hooks: []hookLine{}, Waiting: spool.Waiting(env.Home)}
	var failed error
	for _, a := range agents {
		for _, p := range change.places(hookPlaces(env, a)) {
			state, err := change.do(ctx, p)
			if err != nil {
				state, failed = "failed", cmp.Or(failed, err)
			}
			reply.Hooks = append(reply.Hooks, p.line(state, err))
			if state == "installed" && a.Note != "" {
				env.Talk("%s", a.Note)
			}
		}
	}
	for _, a := range skipped {
		p := change.places(hookPlaces(env, a))[0]
		reply.Hooks = append(reply.Hooks, p.line("skipped", nil))
		env.Talk("Kedge skipped agent %s, because its command is not on the PATH; to install its hooks anyway: kedge hooks install %s", a.Name, a.Name)
	}
	if err := showHooks(env, reply); err != nil || failed == nil {
		return err
	}
	return frame.Printed(kedge.KindOf(failed))
}

// removeProjectHooks takes the hooks out that stand in this project's own settings.
// Those that stay for some reason do nothing outside of a project.
func removeProjectHooks(ctx context.Context, env *frame.Env) {
	for _, a := range catalog.Hooks() {
		for _, p := range hookPlaces(env, a) {
			if p.scope != "project" || p.look(env).State == string(hooks.Absent) {
				continue
			}
			if _, err := p.remove(ctx, env); err != nil {
				env.Talk("Kedge did not remove the hooks in %s: %s", plain.Line(p.file), err.Error())
			}
		}
	}
}

// of are the agents of the arguments, which have to be known; without any, those
// that the change is for.
func (c hookChange) of(env *frame.Env, names []string) (agents, skipped []hooks.Agent, err error) {
	for _, name := range names {
		a, ok := catalog.HooksOf(name)
		if !ok {
			return nil, nil, kedge.Errorf(kedge.NotFound, "Kedge has no hooks for agent %q", name).WithHint("see the agents with hooks: kedge hooks ls")
		}
		agents = append(agents, a)
	}
	if len(names) > 0 {
		return agents, nil, nil
	}
	agents, skipped = c.agents(env)
	if len(agents) == 0 {
		return nil, nil, kedge.Errorf(kedge.NotFound, "Kedge found none of the agents that it has hooks for: their commands are not on the PATH").WithHint("name an agent to install its hooks anyway: kedge hooks install %s", catalog.Hooks()[0].Name)
	}
	return agents, skipped, nil
}

func showHooks(env *frame.Env, reply hooksReply) error {
	return env.Show(reply, func(w io.Writer) {
		t := frame.Table{Columns: []frame.Column{{Title: "AGENT"}, {Title: "SCOPE"}, {Title: "STATE"}, {Title: "FILE"}}}
		for _, h := range reply.Hooks {
			t.Row(string(h.Agent), string(h.Scope), string(h.State), h.File)
		}
		t.Print(w)
		for _, h := range reply.Hooks {
			if h.Error != "" {
				env.Talk("%s: %s", h.Agent, plain.Line(h.Error))
				env.Talk("next: %s", plain.Line(h.Hint))
			}
		}
		if reply.Waiting > 0 {
			env.Talk("the hooks stored %s, and Kedge has not read them yet; to read them, start the daemon: kedge up", words.Count(reply.Waiting, "event"))
		}
	})
}
