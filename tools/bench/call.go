package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// calls is how many processes one measurement starts.
const calls = 20

// benchCall compares a CLI call to a running daemon with the start of a Go
// program that does nothing.
func benchCall(dir string) ([]result, error) {
	kedge, empty, err := buildBoth(dir)
	if err != nil {
		return nil, err
	}
	repo, env, err := project(dir, kedge)
	if err != nil {
		return nil, err
	}
	defer func() { _ = command(repo, env, kedge, "down").Run() }() // best effort: the folder goes next
	var results []result
	for _, args := range [][]string{{"ready", "--json"}, {"features"}} {
		a, b, err := interleave(
			func() (time.Duration, error) { return repeat(repo, env, append([]string{kedge}, args...)) },
			func() (time.Duration, error) { return repeat(repo, env, []string{empty}) },
		)
		if err != nil {
			return results, err
		}
		ratio := a.Seconds() / b.Seconds()
		results = append(results, result{
			fmt.Sprintf("kedge %s to a daemon; an empty Go program", args[0]),
			short(a / calls), short(b / calls), ratio, "<= 3", ratio <= 3,
		})
	}
	return results, nil
}

// buildBoth gives Kedge's program and an empty one. Both are put in their place as
// `make build` does it (tools/copy.sh), or what is measured is mostly how the
// linker left them in the system's memory.
func buildBoth(dir string) (kedge, empty string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	src := filepath.Join(abs, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return "", "", err
	}
	kedge, empty = filepath.Join(abs, "kedge"), filepath.Join(abs, "empty")
	for program, of := range map[string]string{kedge: "./cmd/kedge", empty: src} {
		for _, args := range [][]string{
			{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program + ".linked", of},
			{"tools/copy.sh", program + ".linked", program},
		} {
			c := exec.Command(args[0], args[1:]...)
			c.Env = append(os.Environ(), "CGO_ENABLED=0")
			if out, err := c.CombinedOutput(); err != nil {
				return "", "", fmt.Errorf("%s: %w\n%s", args[0], err, out)
			}
		}
	}
	return kedge, empty, nil
}

// project makes a repository with Kedge set up and the daemon running.
func project(dir, kedge string) (repo string, env []string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	repo = filepath.Join(abs, "repo")
	if err := os.MkdirAll(repo, 0o700); err != nil {
		return "", nil, err
	}
	// USER is set in every login; a container without it would have us measure how
	// long it takes to look the name up.
	env = append(os.Environ(), "USER=bench", "KEDGE_HOME="+filepath.Join(abs, "home"), "KEDGE_PROJECT=", "KEDGE_SESSION=", "HOME="+abs)
	if err := os.WriteFile(filepath.Join(abs, ".gitconfig"), []byte("[user]\n\tname = Bench\n\temail = bench@example.com\n"), 0o600); err != nil {
		return "", nil, err
	}
	for _, args := range [][]string{
		{"git", "init", "-q"},
		{kedge, "init", "--yes"},
		{kedge, "feature", "add", "first", "--name", "First"},
		{kedge, "up"},
	} {
		if out, err := command(repo, env, args...).CombinedOutput(); err != nil {
			return "", nil, fmt.Errorf("%v: %w\n%s", args, err, out)
		}
	}
	return repo, env, nil
}

func command(dir string, env []string, args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Dir, c.Env = dir, env
	return c
}

func repeat(dir string, env, args []string) (time.Duration, error) {
	return timed(func() error {
		for range calls {
			if err := command(dir, env, args...).Run(); err != nil {
				return fmt.Errorf("%v: %w", args, err)
			}
		}
		return nil
	})
}
