package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// benchHook compares what an agent waits for after each of its tools with the
// start of a Go program that does nothing: with a daemon, with one that hangs, and
// with none.
func benchHook(dir string) ([]result, error) {
	kedge, empty, err := buildBoth(dir)
	if err != nil {
		return nil, err
	}
	repo, env, err := project(dir, kedge)
	if err != nil {
		return nil, err
	}
	defer func() { _ = command(repo, env, kedge, "down").Run() }() // best effort: the folder goes next
	input := filepath.Join(filepath.Dir(repo), "event.json")
	event := fmt.Sprintf(`{"session_id":"c0ffee","transcript_path":"/t.jsonl","cwd":%q,"hook_event_name":"PostToolUse","permission_mode":"default","tool_name":"Write","tool_use_id":"toolu_1",`+
		`"tool_input":{"file_path":"a.go","content":%q},"tool_response":{"type":"create","filePath":"a.go"}}`, repo, strings.Repeat("package a // and so on\n", 100))
	if err := os.WriteFile(input, []byte(event), 0o600); err != nil {
		return nil, err
	}
	var results []result
	for _, is := range []string{"up", "hung", "down"} {
		if err := daemonIs(is, repo, env, kedge); err != nil {
			return results, err
		}
		a, b, err := interleave(
			func() (time.Duration, error) { return repeatFed(repo, env, input, []string{kedge, "hook", "claude"}) },
			func() (time.Duration, error) { return repeatFed(repo, env, input, []string{empty}) },
		)
		if is == "hung" {
			err = firstError(err, signalDaemon(env, syscall.SIGCONT))
		}
		if err != nil {
			return results, err
		}
		ratio := a.Seconds() / b.Seconds()
		results = append(results, result{
			fmt.Sprintf("kedge hook, the daemon %s; an empty Go program", is), short(a / calls), short(b / calls), ratio, "<= 3", ratio <= 3,
		})
	}
	return results, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// daemonIs brings the daemon into a state, from the one before.
func daemonIs(state, repo string, env []string, kedge string) error {
	switch state {
	case "hung":
		return signalDaemon(env, syscall.SIGSTOP)
	case "down":
		return command(repo, env, kedge, "down").Run()
	default:
		return nil
	}
}

// signalDaemon signals the daemon of the benchmark's own KEDGE_HOME.
func signalDaemon(env []string, s syscall.Signal) error {
	for _, kv := range env {
		home, ok := strings.CutPrefix(kv, "KEDGE_HOME=")
		if !ok || home == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(home, "daemon", "pid"))
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil {
			return err
		}
		return syscall.Kill(pid, s)
	}
	return os.ErrNotExist
}

// repeatFed is repeat with a file as input.
func repeatFed(dir string, env []string, input string, args []string) (time.Duration, error) {
	return timed(func() error {
		for range calls {
			f, err := os.Open(input)
			if err != nil {
				return err
			}
			c := command(dir, env, args...)
			c.Stdin = f
			err = c.Run()
			_ = f.Close()
			if err != nil {
				return fmt.Errorf("%v: %w", args, err)
			}
		}
		return nil
	})
}
