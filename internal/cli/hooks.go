package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/hooks"
	"kedge/internal/journal/spool"
	"kedge/internal/text/plain"
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

func newHooks(env *Env) *cobra.Command {
	c := group("hooks", "Let agents that you drive by hand tell Kedge what they do, and get their place back",
		newHooksInstall(env), newHooksRemove(env), newHooksLs(env))
	c.Long = `Puts entries of Kedge's into the settings of agents, beside what is there. Then a
conversation in a project gets its brief when it begins and after a compaction; long
output of commands is condensed and kept (kedge logs); a checkpoint is saved before a
compaction; nothing is changed while an agent plans; and when it means to be done the
gate is run: a red one is told to it once.

An agent is never held up: what goes wrong stands in $KEDGE_HOME/hooks/log. What each
agent allows: docs/agents.md.`
	return c
}

func newHooksInstall(env *Env) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "install [AGENT...]",
		Short: "Put Kedge's hooks into the settings of agents",
		Long: `Without an AGENT, into those of every agent that is on the PATH. Claude Code gets them in
.claude/settings.local.json of this project, which git then passes over; with --user in
your own settings. Codex, Gemini, OpenCode (as a plugin) and Copilot get them in your own
settings. In folders that are no project of Kedge's they do nothing.`,
		Example: "  kedge hooks install\n  kedge hooks install claude --user   in every project",
		RunE: func(c *cobra.Command, args []string) error {
			change := hookChange{agents: found, places: nearest, do: func(ctx context.Context, p hookPlace) (string, error) {
				program, err := os.Executable()
				if err != nil {
					return "", kedge.Errorf(kedge.Internal, "find this program: %w", err)
				}
				return p.install(ctx, env, program)
			}}
			if user {
				change.places = own
			}
			return changeHooks(c.Context(), env, args, change)
		},
	}
	c.Flags().BoolVar(&user, "user", false, "in your own settings, for every project")
	return c
}

func newHooksRemove(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "remove [AGENT...]",
		Short:   "Take Kedge's hooks out of the settings of agents",
		Long:    "Out of your own settings and those of this project. A file that nobody changed since is\nthen what it was before, byte for byte.",
		Example: "  kedge hooks remove\n  kedge hooks remove codex",
		RunE: func(c *cobra.Command, args []string) error {
			return changeHooks(c.Context(), env, args, hookChange{everyAgent, every, func(ctx context.Context, p hookPlace) (string, error) { return p.remove(ctx, env) }})
		},
	}
}

func newHooksLs(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "List the settings files that can have Kedge's hooks", Args: cobra.NoArgs,
		Example: "  kedge hooks ls\n  kedge hooks ls --json",
		RunE: func(*cobra.Command, []string) error {
			reply := hooksReply{Hooks: []hookLine{}, Waiting: spool.Waiting(env.Home)}
			for _, a := range hooks.Agents() {
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
func (p hookPlace) look(env *Env) hookLine {
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
	agents func(*Env) (here, skipped []hooks.Agent)
	places func([]hookPlace) []hookPlace
	do     func(context.Context, hookPlace) (string, error)
}

// found are the agents that are installed, and the others.
func found(env *Env) (here, skipped []hooks.Agent) {
	for _, a := range hooks.Agents() {
		if env.Look != nil && env.Look(a.Name) {
			here = append(here, a)
		} else {
			skipped = append(skipped, a)
		}
	}
	return here, skipped
}

func everyAgent(*Env) (here, skipped []hooks.Agent) { return hooks.Agents(), nil }

// nearest is the project's file where the agent has one, else the user's.
func nearest(all []hookPlace) []hookPlace { return all[:1] }

// own is the user's file.
func own(all []hookPlace) []hookPlace { return all[len(all)-1:] }

func every(all []hookPlace) []hookPlace { return all }

// changeHooks does something to the settings of the agents that are named, or of
// all that are there. A file to which it cannot be done stays as it is, and keeps
// nothing from the others.
func changeHooks(ctx context.Context, env *Env, names []string, change hookChange) error {
	if env.getenv("KEDGE_SESSION") != "" {
		return kedge.Errorf(kedge.Blocked, "the settings of agents are changed by a person, not from inside a session").
			WithHint("run `kedge hooks` in a terminal outside the session")
	}
	if env.Home == "" {
		return kedge.Errorf(kedge.Invalid, "there is no state folder").WithHint("export KEDGE_HOME=/absolute/path/of/a/folder")
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
			if state == "installed" && a.Name == "codex" {
				env.talk("codex asks you once whether you trust its new hooks, when it starts")
			}
		}
	}
	for _, a := range skipped {
		p := change.places(hookPlaces(env, a))[0]
		reply.Hooks = append(reply.Hooks, p.line("skipped", nil))
		env.talk("%s is not on the PATH; to let it have hooks all the same: kedge hooks install %s", a.Name, a.Name)
	}
	if err := showHooks(env, reply); err != nil || failed == nil {
		return err
	}
	return errSaid{kedge.KindOf(failed)}
}

// removeProjectHooks takes the hooks out that stand in this project's own settings.
// Those that stay for some reason do nothing outside of a project.
func removeProjectHooks(ctx context.Context, env *Env) {
	for _, a := range hooks.Agents() {
		for _, p := range hookPlaces(env, a) {
			if p.scope != "project" || p.look(env).State == string(hooks.Absent) {
				continue
			}
			if _, err := p.remove(ctx, env); err != nil {
				env.talk("the hooks in %s stay: %s", plain.Line(p.file), err.Error())
			}
		}
	}
}

// of are the agents of the arguments, which have to be known; without any, those
// that the change is for.
func (c hookChange) of(env *Env, names []string) (agents, skipped []hooks.Agent, err error) {
	for _, name := range names {
		a, ok := hooks.Find(name)
		if !ok {
			return nil, nil, kedge.Errorf(kedge.NotFound, "Kedge has no hooks for agent %q", name).WithHint("kedge hooks ls")
		}
		agents = append(agents, a)
	}
	if len(names) > 0 {
		return agents, nil, nil
	}
	agents, skipped = c.agents(env)
	if len(agents) == 0 {
		return nil, nil, kedge.Errorf(kedge.NotFound, "no agent with hooks is on the PATH").WithHint("name one: kedge hooks install claude")
	}
	return agents, skipped, nil
}

func showHooks(env *Env, reply hooksReply) error {
	return env.show(reply, func(w io.Writer) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprint(t, "AGENT\tSCOPE\tSTATE\tFILE\n")
		for _, h := range reply.Hooks {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", h.Agent, h.Scope, h.State, plain.Line(h.File))
		}
		_ = t.Flush() // a closed pipe is the reader's choice
		for _, h := range reply.Hooks {
			if h.Error != "" {
				env.talk("%s: %s", h.Agent, plain.Line(h.Error))
				env.talk("hint: %s", plain.Line(h.Hint))
			}
		}
		if reply.Waiting > 0 {
			env.talk("%s of hooks wait for a daemon: kedge up", plural(reply.Waiting, "event"))
		}
	})
}
