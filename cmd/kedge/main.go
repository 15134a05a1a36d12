// Command kedge keeps long-running AI coding work from losing its place. This
// package only wires the others together.
package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"kedge/internal/cli"
	"kedge/internal/daemon"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	env := cli.Env{
		Args:    os.Args[1:],
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
		InTTY:   isTerminal(os.Stdin),
		ErrTTY:  isTerminal(os.Stderr),
		Dir:     workDir(),
		Environ: os.Environ(),
		Look:    func(command string) bool { _, err := exec.LookPath(command); return err == nil },
	}
	home, err := daemon.Home(os.Getenv)
	wire(&env, home, err)
	return cli.Main(ctx, env)
}

// workDir is where the command acts: KEDGE_PROJECT, else the current folder.
func workDir() string {
	if d := os.Getenv("KEDGE_PROJECT"); d != "" {
		return absolute(d)
	}
	return absolute(".")
}
