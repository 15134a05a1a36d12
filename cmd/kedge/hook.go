package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"kedge"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
	"kedge/internal/app/attend"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/core/config"
	"kedge/internal/git"
	"kedge/internal/server"

	"kedge/internal/server/daemon"
	"kedge/internal/server/hook"
)

// hookMain is the hidden command that agents call. It takes the short way: nothing
// of the command line is set up, and whatever happens the agent goes on.
func hookMain(budget time.Duration) int {
	args, getenv := hook.Homed(os.Args[2:], os.Getenv)
	home, err := daemon.Home(getenv)
	if err != nil {
		return 0
	}
	hook.Main(context.Background(), args, hook.World{
		In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv, Environ: hookEnviron(getenv), Dir: workDir(), Home: home, Now: time.Now,
		Budget: budget, GateBudget: hook.GateBudget, Service: hookService{home, budget}, Project: projectOf, CompactFrom: compactFrom, Shell: statusLine, Block: blockOf,
	})
	return 0
}

// hookEnviron is the agent's environment with the state folder that the hook's own words
// name: what a check asks of kedge goes to the same one.
func hookEnviron(getenv func(string) string) []string {
	env := os.Environ()
	if home := getenv("KEDGE_HOME"); home != os.Getenv("KEDGE_HOME") {
		env = append(env, "KEDGE_HOME="+home)
	}
	return env
}

// projectOf is the project that a folder lies in: elsewhere Kedge has nothing to do.
func projectOf(dir string) (string, bool) {
	pl, ok := git.Locate(dir)
	if !ok {
		return "", false
	}
	id, err := git.ReadID(pl)
	return string(id), err == nil
}

// blockOf is what an agent used in the window of its provider's limit; what cannot be read
// is none.
func blockOf(ctx context.Context, agent string) *hooks.Block {
	row, err := reports.CurrentBlock(ctx, os.Environ(), agent, time.Now())
	if err != nil {
		return nil
	}
	return reports.StatusBlock(row)
}

// compactFrom is [context] compact_tokens of the project that a folder lies in; what
// cannot be read counts as not set.
func compactFrom(dir string) int64 {
	var user, ours config.Config
	if b, err := os.ReadFile(projects.UserFile(os.Environ())); err == nil {
		user, _ = config.ParseConfig("config.toml", b, catalog.Kinds())
	}
	if pl, ok := git.Locate(dir); ok {
		if b, err := os.ReadFile(filepath.Join(pl.Root, kedge.Dir, "config.toml")); err == nil {
			ours, _ = config.ParseConfig("config.toml", b, catalog.Kinds())
		}
	}
	c, err := config.Merge(user, ours, catalog.Kinds())
	if err != nil {
		c = config.Default(catalog.Kinds())
	}
	return c.Context.CompactTokens
}

// hookService reaches the daemon without waiting for one that does not answer.
type hookService struct {
	home     string
	patience time.Duration // until an answer begins
}

func (s hookService) caller(dir string) *caller {
	return &caller{home: s.home, dir: dir, environ: os.Environ()}
}

// Brief implements hook.Service.
func (s hookService) Brief(ctx context.Context, dir string, in attend.HookBriefRequest) (string, error) {
	var out attend.HookBriefReply
	err := s.caller(dir).Call(ctx, "hook.brief", in, &out, nil)
	return out.Text, err
}

// Poke implements hook.Service.
func (s hookService) Poke() {
	_ = daemon.Poke(s.home, server.LeftPath) // without a daemon the next one takes it
}

// Take implements hook.Service.
func (s hookService) Take(ctx context.Context, dir string) error {
	return s.call(ctx, dir, "hook.take", attend.HookTakeRequest{}, &attend.HookTakeReply{})
}

// Stop implements hook.Service.
func (s hookService) Stop(ctx context.Context, dir string, in attend.HookStopRequest) (attend.HookStopReply, error) {
	var out attend.HookStopReply
	err := s.call(ctx, dir, "hook.stop", in, &out)
	return out, err
}

// call asks the daemon once; its answer must begin soon.
func (s hookService) call(ctx context.Context, dir, name string, in, out any) error {
	entry, err := server.Find(name)
	if err != nil {
		return err
	}
	env, err := s.caller(dir).envelope(entry, in)
	if err != nil {
		return err
	}
	cl := &server.Client{HTTP: daemon.Client(s.home, s.patience)}
	return cl.Call(ctx, name, env, out, nil)
}

// statusLine runs the person's own status line, and ends what is left of it when
// the time is over.
func statusLine(ctx context.Context, line string, input []byte) ([]byte, error) {
	c := exec.CommandContext(ctx, "sh", "-c", line) //nolint:gosec // the person's own words
	c.Stdin = bytes.NewReader(input)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	return c.Output()
}
