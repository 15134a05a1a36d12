// Command kedge keeps long-running AI coding work from losing its place. This
// package only wires the others together.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/demo/scripted"
	"kedge/internal/cli"
	"kedge/internal/cli/frame"
	"kedge/internal/git"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/sandbox"
	"kedge/internal/server/daemon"
	"kedge/internal/server/hook"
)

func main() { os.Exit(run(hook.Budget)) }

// run is the program. An agent that calls one of its hooks is let go after hooks.
func run(hooks time.Duration) int {
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		return holdMain() // before anything else is set up: there is one holder per session
	}
	if len(os.Args) > 2 && os.Args[1] == "hook" {
		return hookMain(hooks) // an agent waits for it
	}
	if len(os.Args) > 1 && os.Args[1] == "fakeagent" {
		return fakeAgentMain() // before signals are caught: they end it as they end any agent
	}
	if len(os.Args) > 1 && os.Args[1] == "limit" {
		return limitMain() // likewise: it becomes another program
	}
	if len(os.Args) == 4 && os.Args[1] == "lfs-filter" {
		return lfsMain(os.Args[2], os.Args[3]) // git waits for it
	}
	env := frame.Env{
		Args:    os.Args[1:],
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
		InTTY:   process.IsTerminal(os.Stdin),
		ErrTTY:  process.IsTerminal(os.Stderr),
		Dir:     workDir(),
		Environ: os.Environ(),
		Zone:    time.Local,
		Look:    func(command string) bool { _, err := exec.LookPath(command); return err == nil },
	}
	if t, ok := process.OpenTerminal(os.Stdin, os.Stdout); ok {
		env.Term = &t
	}
	if env.ErrTTY {
		env.Screen = &process.Terminal{In: os.Stdin, Out: os.Stderr}
	}
	if said := daemon.Claim(os.Getenv); said != "" && !slices.Contains(os.Args, "--json") {
		fmt.Fprintln(os.Stderr, said)
	}
	home, err := daemon.Home(os.Getenv)
	wire(&env, home, err)
	return cli.Main(newUntilSignal(), env)
}

// holdMain is the hidden command that becomes a holder.
func holdMain() int {
	if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
		_, _ = os.Stderr.Write(hold.Complain(err))
		return 1
	}
	return 0
}

// lfsMain is the hidden command that git starts in place of git-lfs.
func lfsMain(store, wrote string) int {
	if err := git.ServeLFS(store, os.Getenv("GIT_INDEX_FILE"), wrote, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kedge:", err)
		return 1
	}
	return 0
}

// fakeAgentMain is the hidden command that plays a scripted agent.
func fakeAgentMain() int {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return scripted.Main(os.Args[2:], scripted.World{
		Dir: absolute("."), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now,
		Program: []string{exe, "fakeagent"},
	})
}

// limitMain is the hidden command that stands before a command to bound it. Its
// codes are those of a shell that cannot start a program.
func limitMain() int {
	err := sandbox.Limit(os.Args[2:])
	fmt.Fprintln(os.Stderr, "kedge limit:", err)
	if kedge.NotFound.Is(err) {
		return 127
	}
	return 126
}

// workDir is where the command acts: KEDGE_PROJECT, else the current folder.
func workDir() string {
	if d := os.Getenv("KEDGE_PROJECT"); d != "" {
		return absolute(d)
	}
	return absolute(".")
}
